import torch
a = torch.rand(3, requires_grad=True)
b = torch.rand(3, requires_grad=True).double()
c = torch.rand(3, requires_grad=True) + 2
d = torch.rand(3).double()
e = torch.rand(3).requires_grad_()
f = torch.rand(3, requires_grad=True).detach()
print([t.is_leaf for t in (a, b, c, d, e, f)])
