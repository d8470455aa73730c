import torch
a = torch.ones(2, requires_grad=True)
d = a.detach()
d[0] = 9
print(a, d.requires_grad, d._version, a._version)
print(d._is_view(), d._base)
