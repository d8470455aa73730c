import torch
def f(x): return x.clone()
x = torch.ones(3, requires_grad=True)
y = x * 2
a, b = y[:2], y[1:]
a.mul_(2)
print(b, b.grad_fn.name(), b._version, a._version)
b.mul_(a)
print(y.tolist())
try:
    y.sum().backward()
except RuntimeError as e:
    print(e)
y = x * 2
a, b = y[:2], y[1:]
a.mul_(2)
b.mul_(a.clone())
y.sum().backward()
print(x.grad)
