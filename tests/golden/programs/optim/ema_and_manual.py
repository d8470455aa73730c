"""Weights averaged over steps, and a step by hand."""
import copy

import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
ema = copy.deepcopy(model)
for p in ema.parameters():
    p.requires_grad_(False)
x, y = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0]])
for step in range(3):
    loss = (model(x) - y).pow(2).sum()
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.05 * p.grad
        for e, p in zip(ema.parameters(), model.parameters()):
            e.mul_(0.9).add_(p, alpha=0.1)
    print(step, f"{loss.item():.4f}", [f"{v:.4f}" for v in ema.weight.flatten().tolist()])
vector = nn.utils.parameters_to_vector(model.parameters())
print(vector.shape, vector.requires_grad)
nn.utils.vector_to_parameters(torch.arange(3.0), model.parameters())
print(model.weight, model.bias)
