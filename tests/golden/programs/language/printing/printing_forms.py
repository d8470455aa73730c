import torch
x = torch.tensor([1.23456789, -1000.5, 0.001], requires_grad=True)
print(x)
print(x * 1000)
print([x, x * 2])
print({'x': x})
print((x,))
print(str(x[0]), repr(x[1] * 2))
print(x.sum(), x.sum().item())
