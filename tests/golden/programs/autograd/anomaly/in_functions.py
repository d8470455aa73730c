import torch
x = torch.tensor([1., 2.], requires_grad=True)
with torch.autograd.detect_anomaly():
    y = x.exp()
    y.add_(1)
    try:
        y.sum().backward()
    except RuntimeError as e:
        print(e)
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1
    @staticmethod
    def backward(ctx, g):
        return g * float('nan')
with torch.autograd.detect_anomaly():
    F.apply(x).sum().backward()
