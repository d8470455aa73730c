import torch
x = torch.ones(3, requires_grad=True)
y = x * torch.tensor([1., 2., 3.])
y.register_hook(lambda g: torch.where(g > 0, g, torch.zeros_like(g)))
y.register_hook(lambda g: g.clamp(max=0.5))
(y * torch.tensor([-1., 1., 2.])).sum().backward()
print(x.grad)
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, s):
        ctx.s = s
        return x.view_as(x)
    @staticmethod
    def backward(ctx, g):
        return g.neg() * ctx.s, None
x.grad = None
z = Scale.apply(x, 0.5)
print(z._base is x, z.grad_fn, z._version)
z.sum().backward()
print(x.grad)
try:
    z.add_(1)
except RuntimeError as e:
    print(e)
