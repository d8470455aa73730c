import torch
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k, flag):
        ctx.k = k
        ctx.flag = flag
        return x * k
    @staticmethod
    def backward(ctx, g):
        return g * ctx.k, None, None
x = torch.ones(2, requires_grad=True)
y = Scale.apply(x, 3, "yes")
print(y, y.grad_fn.next_functions)
y.sum().backward()
print(x.grad)
