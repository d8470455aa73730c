import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x[1:]
x2 = x * 1
z = x2[1:]
try:
    y += 1
except RuntimeError as e:
    print(e)
z += 1
print(x2, z)
with torch.no_grad():
    y += 1
    print(x, y.grad_fn)
print(y.grad_fn, y.requires_grad)
(y * 2).sum().backward()
print(x.grad)
x.requires_grad_(False)
print(y.requires_grad, y.grad_fn, x.is_leaf, y.is_leaf)
y.mul_(2)
print(x)
