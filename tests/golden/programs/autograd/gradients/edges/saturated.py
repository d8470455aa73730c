"""Gradients where functions saturate: the slope of tanh keeps its digits."""

import torch

for dtype in (torch.float32, torch.float64):
    x = torch.arange(0.5, 9.0, 0.5, dtype=dtype, requires_grad=True)
    for name in ("tanh", "sigmoid"):
        (gradient,) = torch.autograd.grad(getattr(torch, name)(x).sum(), x)
        print(name, gradient)
h = torch.ones(4, requires_grad=True)
out = h
for _ in range(5):
    out = torch.tanh(out * 2.5)
out.sum().backward()
print(h.grad)
