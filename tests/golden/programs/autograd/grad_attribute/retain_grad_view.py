import torch
x = torch.ones(4, requires_grad=True)
y = x * 2
v = y[:2]
v.retain_grad()
y.retain_grad()
(v.sum() * 3 + y.sum()).backward()
print(v.grad, y.grad, x.grad)
