import torch
x = torch.ones(2, requires_grad=True)
y = x * 2
y.register_hook(lambda g: 3)
try:
    y.sum().backward()
except TypeError as e:
    print(e)
z = x * 2
z.register_hook(lambda g: g.double())
try:
    z.sum().backward()
except RuntimeError as e:
    print(e)
print(x.grad)
