import torch
torch.autograd.set_detect_anomaly(True)
x = torch.tensor([0., 1.], requires_grad=True)
y = x.sqrt()
z = (y * torch.tensor([0., 1.])).sum()
try:
    z.backward()
except RuntimeError as e:
    print(e)
print(x.grad)
with torch.autograd.set_detect_anomaly(False):
    print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
    (x.sqrt() * torch.tensor([0., 1.])).sum().backward()
    print(x.grad)
print(torch.is_anomaly_enabled())
with torch.autograd.detect_anomaly(check_nan=False):
    print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
    (x.sqrt() * torch.tensor([0., 1.])).sum().backward()
torch.autograd.set_detect_anomaly(False)
a = torch.tensor([1., -1.], requires_grad=True)
with torch.autograd.detect_anomaly():
    a.log().sum().backward()
print(a.grad)
with torch.autograd.detect_anomaly():
    (a.log() * 0).sum().backward()
