import torch
x = torch.arange(12., requires_grad=True)
y = x.view(3, 4)
z = y[1:, [0, 0, 3]]
print(z)
z.sum().backward()
print(x.grad)
