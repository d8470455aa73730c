import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        raise RuntimeError("broken")
x = torch.ones(1, requires_grad=True)
with torch.autograd.detect_anomaly():
    F.apply(x).backward()
