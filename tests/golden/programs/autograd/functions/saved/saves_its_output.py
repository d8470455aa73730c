import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y
    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        print(y.grad_fn, y.requires_grad)
        return g * y
x = torch.zeros(2, requires_grad=True)
y = F.apply(x)
y.sum().backward(retain_graph=True)
print(y.grad_fn.saved_tensors)
y.add_(1)
print(y.grad_fn)
y.sum().backward()
