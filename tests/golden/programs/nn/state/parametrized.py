"""Weights that are computed from others: weight norm, spectral norm, orthogonal, and one of our own."""
import torch
import torch.nn as nn
import torch.nn.utils.parametrize as parametrize
from torch.nn.utils.parametrizations import orthogonal, spectral_norm, weight_norm


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)


torch.manual_seed(0)
layer = nn.Linear(3, 3)
parametrize.register_parametrization(layer, "weight", Symmetric())
print(layer, torch.allclose(layer.weight, layer.weight.T))
layer(torch.ones(1, 3)).sum().backward()
print(layer.parametrizations.weight.original.grad)
parametrize.remove_parametrizations(layer, "weight")
print(layer, torch.equal(layer.weight, layer.weight.T))
wn = weight_norm(nn.Linear(2, 2))
print(wn, [name for name, _ in wn.named_parameters()], wn.parametrizations.weight.original0)
wn(torch.ones(1, 2)).sum().backward()
print(wn.parametrizations.weight.original0.grad, wn.parametrizations.weight.original1.grad)
sn = spectral_norm(nn.Linear(2, 2))
for _ in range(20):
    sn(torch.ones(1, 2))
print(f"{torch.linalg.matrix_norm(sn.weight, 2):.4f}")
ortho = orthogonal(nn.Linear(3, 3))
print(torch.allclose(ortho.weight @ ortho.weight.T, torch.eye(3), atol=1e-5), parametrize.is_parametrized(ortho))
