import torch
x = torch.arange(6.).view(2, 3).requires_grad_()
t = x.t()
v = t.as_strided((2, 2), (1, 2), 1)
print(v, t.stride())
(v ** 2).sum().backward()
print(x.grad)
