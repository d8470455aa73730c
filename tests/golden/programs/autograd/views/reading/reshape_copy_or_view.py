import torch
x = torch.arange(6.).view(2, 3)
v = x.reshape(6)
c = x.t().reshape(6)
v[0] = 100
c[0] = -1
print(x, v._is_view(), c._is_view())
y = torch.ones(2, 3, requires_grad=True)
z = (y * 1).t().reshape(6)
print(z.grad_fn, z._is_view())
