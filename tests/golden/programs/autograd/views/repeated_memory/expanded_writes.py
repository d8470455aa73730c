import torch
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
y = x.expand(3, 2, 2)
print(y.grad_fn, y._base is x)
try:
    y.add_(1)
except RuntimeError as e:
    print(e)
z = x.clone().expand(3, 2, 2)
try:
    z.add_(1)
except RuntimeError as e:
    print(e)
try:
    z[0] = 1
    print(z)
except RuntimeError as e:
    print(e)
b = torch.ones(2, 1).expand(2, 3)
try:
    b[:, 0] = 5
    print(b)
except RuntimeError as e:
    print(e)
try:
    b.copy_(torch.ones(2, 3))
except RuntimeError as e:
    print(e)
