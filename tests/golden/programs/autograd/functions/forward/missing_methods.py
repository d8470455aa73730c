import torch
class NoForward(torch.autograd.Function):
    pass
class NoBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
x = torch.ones(2, requires_grad=True)
try:
    NoForward.apply(x)
except NotImplementedError as e:
    print(e)
y = NoBackward.apply(x)
print(y)
y.sum().backward()
