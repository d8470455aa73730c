import torch
x = torch.ones(2)
x.requires_grad = True
y = x * 2
try:
    y.requires_grad = False
except RuntimeError as e:
    print(e)
try:
    torch.ones(2, dtype=torch.long).requires_grad_()
except RuntimeError as e:
    print(e)
try:
    torch.tensor([1, 2], requires_grad=True)
except RuntimeError as e:
    print(e)
try:
    x.requires_grad = 'x'
except RuntimeError as e:
    print(e)
y.requires_grad_(True)
print(x.requires_grad_(False).requires_grad)
