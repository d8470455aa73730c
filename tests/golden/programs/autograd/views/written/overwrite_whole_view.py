import torch
x = torch.ones(3, requires_grad=True)
w = torch.full((3,), 2., requires_grad=True)
y = x * 3
y[:] = w
print(y.grad_fn)
y.sum().backward()
print(x.grad, w.grad)
