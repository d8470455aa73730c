import torch
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
y = x.clone()
y[0], y[1] = y[1].clone(), y[0].clone()
print(y)
(y * torch.tensor([[1.], [10.]])).sum().backward()
print(x.grad)
y = x.clone()
y[[0, 1]] = y[[1, 0]]
x.grad = None
(y * torch.tensor([[1.], [10.]])).sum().backward()
print(y, x.grad)
y = x.clone()
y[:, 0], y[:, 1] = y[:, 1], y[:, 0]
print(y)
y = x.clone()
y[torch.arange(2), torch.arange(2)] = 0
y[..., -1] = 5
y[None, 0] = 1.
y[True] = y * 2
print(y)
x.grad = None
y.sum().backward()
print(x.grad)
