import torch
x = torch.ones(4, requires_grad=True)
y = x.clone()
parts = y.split(2)
for p in parts:
    print(p.grad_fn, p._base is y, p._version, p.output_nr)
try:
    parts[0].mul_(2)
except RuntimeError as e:
    print(e)
try:
    parts[0][0] = 3.
except RuntimeError as e:
    print(e)
y.mul_(2)
print(y.grad_fn, y._version)
try:
    print(parts[1])
except RuntimeError as e:
    print('E', e)
try:
    parts[1].sum().backward()
except RuntimeError as e:
    print('E', e)
print(x.grad)
