import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.zeros(2)
y[0] = x[0]
z = y * y
y[1] = x[1]
z.sum().backward()
