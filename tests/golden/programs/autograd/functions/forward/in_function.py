import torch
class Inner(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        print("inner")
        return g * 2
class Outer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            ctx.x = x.detach().requires_grad_()
            ctx.y = Inner.apply(ctx.x) ** 2
        return ctx.y.detach()
    @staticmethod
    def backward(ctx, g):
        print("outer")
        gx, = torch.autograd.grad(ctx.y, ctx.x, g)
        return gx
x = torch.tensor([1., 2.], requires_grad=True)
y = Outer.apply(x)
print(y)
y.sum().backward()
print(x.grad)
