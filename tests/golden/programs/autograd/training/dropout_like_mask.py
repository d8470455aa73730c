import torch
x = torch.ones(4, requires_grad=True)
mask = torch.tensor([1., 0., 1., 0.])
y = x * mask / 0.5
y.sum().backward()
print(y, x.grad)
