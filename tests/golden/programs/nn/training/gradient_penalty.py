"""A gradient penalty: the gradient of a gradient through a network."""
import torch
import torch.nn as nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
x = torch.randn(3, 2, requires_grad=True)
scores = critic(x)
(gradient,) = torch.autograd.grad(scores.sum(), x, create_graph=True)
penalty = ((gradient.norm(2, dim=1) - 1) ** 2).mean()
loss = scores.mean() + 10 * penalty
loss.backward()
print(f"{penalty.item():.4f}")
for name, p in critic.named_parameters():
    print(name, f"{p.grad.norm():.4f}")
