import torch
import torch.nn.functional as F

torch.manual_seed(0)
for red in ("mean", "sum", "none"):
    for w in (None, torch.rand(4)):
        x = (torch.rand(4) * 0.8 + 0.1).requires_grad_()
        v = torch.ones(4, requires_grad=True)
        loss = F.binary_cross_entropy(x, torch.rand(4), w, reduction=red).sum()
        (g,) = torch.autograd.grad(loss, x, create_graph=True)
        (h,) = torch.autograd.grad((g * v).sum(), x, create_graph=True)
        h.pow(2).sum().backward()
