import torch
x = torch.ones(2, 3, requires_grad=True)
y = x * 1
y.t_()
print(y.shape, y.grad_fn, y._version)
y.unsqueeze_(0)
print(y.shape, y.grad_fn, y._version)
y.squeeze_(0)
print(y.shape, y.grad_fn)
y.transpose_(0, 1)
print(y.shape, y.grad_fn)
y.swapaxes_(0, 1)
print(y.grad_fn)
(y * torch.arange(6.).view(3, 2)).sum().backward()
print(x.grad)
v = (x * 1).view(6)
try:
    v.unsqueeze_(0)
    print(v.shape, v.grad_fn, v._version)
except RuntimeError as e:
    print(e)
