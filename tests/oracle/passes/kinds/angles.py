import torch
from torch.distributions import VonMises
torch.manual_seed(0)
l=torch.tensor([0.3,-0.2],requires_grad=True); k=torch.tensor([1.5,5.],requires_grad=True)
d=VonMises(l,k)
(-d.log_prob(torch.tensor([0.1,0.2]))).sum().backward()
print(l.grad,k.grad)
k2=torch.tensor([1.5,5.],requires_grad=True)
VonMises(l,k2).variance.sum().backward(); print(k2.grad)
