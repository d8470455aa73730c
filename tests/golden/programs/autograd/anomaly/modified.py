import torch
x = torch.ones(2, requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    y = x.exp()
    y.add_(1)
    y.sum().backward()
