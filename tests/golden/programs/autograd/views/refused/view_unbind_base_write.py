import torch
x = torch.ones(2, 3, requires_grad=True)
y = x * 2
a, b = y.unbind()
y.mul_(2)
try:
    print(a)
    print(a.grad_fn)
except RuntimeError as e:
    print(e)
