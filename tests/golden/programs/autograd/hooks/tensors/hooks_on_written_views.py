import torch
x = torch.ones(3, requires_grad=True)
y = x * 2
y.register_hook(lambda g: g * 2)
z = y.view(3)
z.register_hook(lambda g: print('z', g))
z.add_(1)
z.register_hook(lambda g: print('z2', g))
y.register_hook(lambda g: print('y2', g))
y.sum().backward()
print(x.grad)
