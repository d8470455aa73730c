import torch
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)  # in which rounding is no gradient
x = torch.randn(2, 4, 3, requires_grad=True)
(g,) = torch.autograd.grad(F.group_norm(x, 2).pow(3).sum(), x, create_graph=True)
g.pow(2).sum().backward()
w, b = torch.randn(4, requires_grad=True), torch.zeros(4, requires_grad=True)
y = F.group_norm(x.transpose(1, 2).reshape(2, 4, 3), 2, w, b)
gx, gw, gb = torch.autograd.grad(y.pow(3).sum(), (x, w, b), create_graph=True)
(gx.pow(2).sum() + gw.pow(2).sum() + gb.pow(2).sum()).backward()
y, mean, scale = torch.native_group_norm(x, w, None, 2, 4, 3, 1, 1e-5)
((y * torch.arange(3)).sum() + (mean * scale).sum()).backward()
critic = torch.nn.Sequential(torch.nn.Conv1d(4, 4, 1), torch.nn.GroupNorm(4, 4), torch.nn.SiLU())
(g,) = torch.autograd.grad(critic(x).pow(2).mean(), x, create_graph=True)
(g.norm() - 1).square().backward()
