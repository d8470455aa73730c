import torch
x = torch.ones(3, requires_grad=True)
y = x * 1
try:
    y.resize_(2)
except RuntimeError as e:
    print(e)
