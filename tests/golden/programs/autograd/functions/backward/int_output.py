import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, (x * 3).long()
    @staticmethod
    def backward(ctx, g, gi):
        print(g, gi)
        return g
x = torch.ones(2, requires_grad=True)
a, b = F.apply(x)
print(a, b)
a.sum().backward()
