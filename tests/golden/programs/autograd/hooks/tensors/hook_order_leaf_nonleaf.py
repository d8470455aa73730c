import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 3
z = y ** 2
x.register_hook(lambda g: print("x", g))
y.register_hook(lambda g: print("y1", g))
y.register_hook(lambda g: g * 10)
y.register_hook(lambda g: print("y2", g))
z.register_hook(lambda g: print("z", g))
y.retain_grad()
z.sum().backward()
print(x.grad, y.grad)
