import torch
x = torch.arange(6.).view(2, 3).requires_grad_()
y = x * 1
y.t_()
print(y.shape, y.grad_fn)
y.unsqueeze_(0)
print(y.shape, y.grad_fn)
y.squeeze_(0)
print(y.shape, y.grad_fn)
(y * torch.arange(6.).view(3, 2)).sum().backward()
print(x.grad)
