import torch
class SFB(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x, None, 5)
        return x * 1
    @staticmethod
    def backward(ctx, g):
        return g
x = torch.ones(2, requires_grad=True)
try:
    SFB.apply(x)
except TypeError as e:
    print(e)
class S2(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x, None)
        ctx.save_for_backward(x)
        print(ctx.to_save)
        return x * 1
    @staticmethod
    def backward(ctx, g):
        print(ctx.saved_tensors, ctx.saved_variables if hasattr(ctx, 'saved_variables') else '')
        return g
S2.apply(x).sum().backward()
