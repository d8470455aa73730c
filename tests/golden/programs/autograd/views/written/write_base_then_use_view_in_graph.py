import torch
x = torch.arange(4., requires_grad=True)
b = x * 2
v = b[:2]
w = v * 3
b[0] = 10
print(v, v.grad_fn)
u = v * 2
(u.sum() + w.sum()).backward()
print(x.grad)
