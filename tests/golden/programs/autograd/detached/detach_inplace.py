import torch
x = torch.ones(3, requires_grad=True)
y = x * 2
y.detach_()
print(y.requires_grad, y.grad_fn, y.is_leaf)
z = (x * 3)
v = z.view(3)
try:
    v.detach_()
except RuntimeError as e:
    print(e)
x.detach_()
print(x.requires_grad)
