import torch
from torch.distributions import VonMises

torch.manual_seed(0)
loc = torch.tensor([0.3, -0.2], requires_grad=True)
concentration = torch.tensor([1.5, 5.0], requires_grad=True)
(-VonMises(loc, concentration).log_prob(torch.tensor([0.1, 0.2]))).sum().backward()
VonMises(loc, concentration).variance.sum().backward()
print(loc.grad, concentration.grad)
