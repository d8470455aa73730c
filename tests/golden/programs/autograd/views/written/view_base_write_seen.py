import torch
x = torch.arange(6.).requires_grad_()
y = x * 2
v = y.view(2, 3)
print(v.grad_fn)
y.mul_(3)
print(v.grad_fn, v._version, y._version)
print(v)
v.sum().backward()
print(x.grad)
