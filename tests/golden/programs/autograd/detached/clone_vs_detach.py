import torch
x = torch.ones(2, requires_grad=True)
a = x.clone()
b = x.detach().clone()
print(a.grad_fn, b.grad_fn, a.requires_grad, b.requires_grad)
a[0] = 5
b[0] = 6
print(x)
c = x.clone().detach().requires_grad_(True)
(c * 2).sum().backward()
print(c.grad, x.grad)
