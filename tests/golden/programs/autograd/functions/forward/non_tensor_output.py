import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, "note", 5
    @staticmethod
    def backward(ctx, g, *rest):
        print(rest)
        return g * 2
x = torch.ones(2, requires_grad=True)
y, note, n = F.apply(x)
print(y, note, n)
y.sum().backward()
print(x.grad)
