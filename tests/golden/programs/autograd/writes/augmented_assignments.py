import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x * 2
z = y + 1
y += z
print(y, y.grad_fn, z.grad_fn.next_functions[0][0].name())
y *= y
print(y)
try:
    y.sum().backward()
    print(x.grad)
except RuntimeError as e:
    print(e)
y = x * 2
y *= x
y **= 2
print(y, y.grad_fn)
y.sum().backward()
print(x.grad)
y = x.exp()
try:
    y *= y
    y.sum().backward()
except RuntimeError as e:
    print(e)
y = x * 2
y /= y.sum()
y -= y.mean()
print(y.grad_fn)
y.pow(2).sum().backward()
