import torch
class Max(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        value, index = x.max(0)
        ctx.mark_non_differentiable(index)
        ctx.save_for_backward(index)
        ctx.size = x.shape
        return value, index
    @staticmethod
    def backward(ctx, g, gi):
        index, = ctx.saved_tensors
        print(gi)
        out = torch.zeros(ctx.size)
        out[index] = g
        return out
x = torch.tensor([1., 5., 2.], requires_grad=True)
v, i = Max.apply(x)
print(v, i, i.requires_grad)
v.backward()
print(x.grad)
