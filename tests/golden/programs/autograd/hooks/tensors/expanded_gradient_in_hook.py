import torch
x = torch.ones(3, requires_grad=True)
y = x * 2
def h(g):
    print(g, g.stride())
    g[0] = 5.
    return None
y.register_hook(h)
y.sum().backward()
print(x.grad)
y = x * 2
y.register_hook(lambda g: g.mul_(2))
try:
    y.sum().backward()
except RuntimeError as e:
    print(e)
y = x * 2
y.register_hook(lambda g: g.fill_(2))
y.mean().backward()
print(x.grad)
