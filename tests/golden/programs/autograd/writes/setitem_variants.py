import torch
x = torch.arange(6.).view(2, 3).requires_grad_()
y = x * 2
y[0] = 0
print(y.grad_fn)
y[:, 1] = x[:, 2]
print(y.grad_fn)
y[1, 2] = 5.
print(y.grad_fn)
y[y > 4] = 1.
print(y.grad_fn)
y[[0, 1], [0, 0]] = torch.tensor([8., 9.])
print(y)
y.sum().backward()
print(x.grad)
