"""Hooks before, after and behind a module."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
before = net[0].register_forward_pre_hook(lambda module, args: print("before", module, args))
after = net[0].register_forward_hook(lambda module, args, output: output * 2)
behind = net[0].register_full_backward_hook(lambda module, grad_input, grad_output: print("behind", grad_input, grad_output))
x = torch.tensor([[1.0, 2.0]], requires_grad=True)
y = net(x)
print(y)
y.sum().backward()
print(x.grad)
for handle in (before, after, behind):
    handle.remove()
print(net(x))
