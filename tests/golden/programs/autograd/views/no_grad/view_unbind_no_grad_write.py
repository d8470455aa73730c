import torch
x = torch.ones(2, 3)
a, b = x.unbind()
a.mul_(5)
print(x)
w = torch.ones(3, requires_grad=True)
try:
    a.mul_(w)
except RuntimeError as e:
    print(e)
