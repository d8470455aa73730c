import torch
import torch.nn.modules
from torch import nn
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook, register_module_full_backward_hook
from torch.nn.modules.linear import Linear
print(Linear is nn.Linear, nn.modules.activation.ReLU)
net = nn.Sequential(Linear(1, 1, bias=False), nn.ReLU())
nn.init.ones_(net[0].weight)
h1 = register_module_forward_pre_hook(lambda m, i: print('pre', type(m).__name__))
h2 = register_module_forward_hook(lambda m, i, o: print('post', type(m).__name__, o.shape))
h3 = register_module_full_backward_hook(lambda m, gi, go: print('back', type(m).__name__, go))
net(torch.tensor([[2.]], requires_grad=True)).sum().backward()
for h in (h1, h2, h3): h.remove()
print(net(torch.tensor([[2.]])))
h = register_module_forward_hook(lambda m, i, o: o + 1)
print(net(torch.tensor([[2.]]))); h.remove()
