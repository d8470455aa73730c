import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
h = x * 1
y = h * h
h[0] = 7
y.sum().backward()
