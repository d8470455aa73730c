import torch
base = torch.zeros(4)
v1 = base[:2]
v2 = base[2:]
w = torch.ones(2, requires_grad=True)
v1 += w
print(base.requires_grad, v1.requires_grad, v2.requires_grad)
print(base.grad_fn, v1.grad_fn, v2.grad_fn)
v2.mul_(w)
print(base.grad_fn, v1.grad_fn, v2.grad_fn)
(base * torch.tensor([1., 2., 3., 4.])).sum().backward()
print(w.grad)
