"""Adaptive softmax over many classes."""
import torch
import torch.nn as nn

torch.manual_seed(0)
layer = nn.AdaptiveLogSoftmaxWithLoss(8, 12, cutoffs=[4, 8], div_value=2.0)
print(layer)
x = torch.randn(5, 8, requires_grad=True)
out = layer(x, torch.tensor([0, 5, 11, 3, 8]))
print(out.output.shape, f"{out.loss.item():.4f}")
out.loss.backward()
print(f"{x.grad.abs().sum():.4f}", {n: tuple(p.grad.shape) for n, p in layer.named_parameters()})
print(layer.log_prob(x).exp().sum(1), layer.predict(x).shape)
try:
    nn.AdaptiveLogSoftmaxWithLoss(8, 12, cutoffs=[8, 4])
except ValueError as error:
    print(error)
