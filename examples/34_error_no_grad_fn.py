import torch

x = torch.tensor([1., 2.])  # requires_grad=True is missing
y = (x ** 2).sum()
y.backward()
