import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
z = y ** 2
y[0] = 0.
z.sum().backward()
