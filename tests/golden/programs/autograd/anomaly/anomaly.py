import torch
x = torch.tensor([0., 1.], requires_grad=True)
try:
    with torch.autograd.detect_anomaly():
        y = torch.sqrt(x) * 0
        y = y / y
        y.sum().backward()
except RuntimeError as e:
    print(e)
with torch.autograd.set_detect_anomaly(True):
    print(torch.is_anomaly_enabled())
    try:
        (x / 0 * 0).sum().backward()
    except RuntimeError as e:
        print(e)
print(torch.is_anomaly_enabled())
torch.autograd.set_detect_anomaly(True, check_nan=False)
print(torch.is_anomaly_check_nan_enabled())
x.grad = None
torch.sqrt(x - 1).sum().backward()
print(x.grad)
torch.autograd.set_detect_anomaly(False)
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a.clone()
    @staticmethod
    def backward(ctx, g):
        raise ValueError("broken backward")
with torch.autograd.detect_anomaly(check_nan=True):
    try:
        F.apply(x).sum().backward()
    except ValueError as e:
        print(type(e).__name__, e)
