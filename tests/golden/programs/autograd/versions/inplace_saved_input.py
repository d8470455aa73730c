import torch
x = torch.tensor([1., 2.], requires_grad=True)
w = torch.tensor([3., 4.])
y = x * w
w += 1
y.sum().backward()
