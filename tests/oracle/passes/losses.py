import torch
import torch.nn.functional as F

x = torch.randn(3, requires_grad=True)
t = torch.zeros(3)
loss = F.mse_loss(x.tanh(), t) + F.smooth_l1_loss(x, t) + F.binary_cross_entropy_with_logits(x, torch.ones(3))
(g,) = torch.autograd.grad(loss, x, create_graph=True)
g.pow(2).sum().backward()
print(x.grad)
