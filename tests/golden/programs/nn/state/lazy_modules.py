"""Lazy modules take their sizes from the first input."""
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2))
print(model)
print(model[4].weight, list(model.state_dict()))
try:
    print(model[4].weight.shape)
except RuntimeError as error:
    print(error)
y = model(torch.randn(2, 3, 5, 5))
print(model, y.shape)
y.sum().backward()
print({name: tuple(p.grad.shape) for name, p in model.named_parameters()})
