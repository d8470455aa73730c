import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        print(ctx.needs_input_grad, torch.is_grad_enabled(), x.requires_grad)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    print(F.apply(x))
print(F.apply(x.detach()))
print(F.apply(x))
