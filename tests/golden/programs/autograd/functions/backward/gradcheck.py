import torch
class Good(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 2
    @staticmethod
    def backward(ctx, g):
        return g * 2 * ctx.saved_tensors[0]
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 2
    @staticmethod
    def backward(ctx, g):
        return g * 3 * ctx.saved_tensors[0]
x = torch.tensor([1., 2.], dtype=torch.double, requires_grad=True)
print(torch.autograd.gradcheck(Good.apply, (x,)))
print(torch.autograd.gradcheck(Bad.apply, (x,), raise_exception=False))
torch.autograd.gradcheck(Bad.apply, (x,))
