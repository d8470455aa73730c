import torch
x = torch.linspace(0, 1, 12, requires_grad=True)
print(x)
print(x.exp())
print(x.reshape(3, 4) * 100)
print(x.double() * 2)
