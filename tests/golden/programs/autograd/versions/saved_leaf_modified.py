import torch
w = torch.ones(2, requires_grad=True)
x = torch.tensor([1., 2.])
y = w * x
x.add_(1)
y.sum().backward()
