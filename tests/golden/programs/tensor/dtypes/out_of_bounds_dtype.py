import torch
i = torch.tensor([1, 2])
try:
    i += 0.5
except RuntimeError as e:
    print(e)
i *= 2
print(i)
x = torch.ones(2, requires_grad=True)
y = x * 1
y += torch.ones(2, dtype=torch.double)
print(y.dtype, y.grad_fn)
try:
    y += torch.ones(3, 2)
except RuntimeError as e:
    print(e)
