import torch
x = torch.ones(3, requires_grad=True)
v = x[0:2]
try:
    v.add_(1)
except RuntimeError as e:
    print("view:", e)
try:
    x.add_(1)
except RuntimeError as e:
    print("leaf:", e)
try:
    x[0] = 5
except RuntimeError as e:
    print("item:", e)
print(x)
