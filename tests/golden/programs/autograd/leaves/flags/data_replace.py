import torch
w = torch.ones(2, requires_grad=True)
y = w * 3
w.data = torch.tensor([5., 6.])
print(w, w._version, w.is_leaf)
y.sum().backward()
print(w.grad)
try:
    w.data = 3
except TypeError as e:
    print(e)
try:
    w.data = torch.ones(2, dtype=torch.long)
except RuntimeError as e:
    print(e)
