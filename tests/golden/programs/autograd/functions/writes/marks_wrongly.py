import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x * 2)
        ctx.mark_non_differentiable(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g
x = torch.ones(2, requires_grad=True)
y = F.apply(x)
print(y.requires_grad, y is x, x.requires_grad)
class G(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        ctx.mark_dirty(y)
        return y
    @staticmethod
    def backward(ctx, g):
        return g
try:
    print(G.apply(x))
except RuntimeError as e:
    print(e)
class H(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(5)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g
try:
    print(H.apply(x))
except Exception as e:
    print(type(e).__name__, e)
class I(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_non_differentiable(5)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g
I.apply(x)
