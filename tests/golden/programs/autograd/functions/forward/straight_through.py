import torch
class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)
    @staticmethod
    def backward(ctx, g):
        return g
x = torch.tensor([0.4, 1.6], requires_grad=True)
y = Round.apply(x)
print(y)
(y ** 2).sum().backward()
print(x.grad)
