import torch
x = torch.ones(2)
try:
    x.retain_grad()
except RuntimeError as e:
    print(e)
y = torch.ones(2, requires_grad=True)
y.retain_grad()
print(y.retains_grad)
