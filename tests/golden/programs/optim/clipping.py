"""Clipping gradients by norm and by value."""
import torch
import torch.nn as nn
from torch.nn.utils import clip_grad_norm_, clip_grad_value_, get_total_norm

torch.manual_seed(0)
model = nn.Linear(2, 2)


def fill():
    model.weight.grad = torch.tensor([[3.0, 0.0], [0.0, 4.0]])
    model.bias.grad = torch.zeros(2)


fill()
print(get_total_norm([p.grad for p in model.parameters()]))
print(clip_grad_norm_(model.parameters(), 1.0), model.weight.grad)
fill()
print(clip_grad_norm_(model.parameters(), 10.0), model.weight.grad)
fill()
print(clip_grad_norm_(model.parameters(), 2.0, norm_type=float("inf")), model.weight.grad)
fill()
print(clip_grad_norm_([model.weight], 1.0, norm_type=1), model.weight.grad)
fill()
clip_grad_value_(model.parameters(), 0.5)
print(model.weight.grad)
model.weight.grad = torch.tensor([[float("inf"), 1.0], [1.0, 1.0]])
try:
    clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)
except RuntimeError as error:
    print(error)
print(clip_grad_norm_([], 1.0))
