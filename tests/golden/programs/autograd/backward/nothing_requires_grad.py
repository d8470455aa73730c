import torch
x = torch.tensor([1., 2.])
y = (x ** 2).sum()
y.backward()
