import torch
x = torch.ones(4, requires_grad=True)
y = x * 1
a, b = y.split(2)
print(a.grad_fn)
b += 1
