import torch
x = torch.arange(4.).view(2, 2).requires_grad_()
y = x.clone()
y[:, [0, 1]] = y[:, [1, 0]]
print(y, y.grad_fn)
(y * torch.tensor([[1., 2.], [3., 4.]])).sum().backward()
print(x.grad)
