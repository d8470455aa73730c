import torch

w = torch.ones(2, requires_grad=True)
(w * 3).sum().backward()
with torch.no_grad():
    w.add_(-0.1, w.grad)
    w.add_(-0.1, w.grad)
print(w)
p = torch.ones(2)
p.add_(2, p)
print(p)
try:
    p.add_(1, 2, 3)
except TypeError as error:
    print(error)
