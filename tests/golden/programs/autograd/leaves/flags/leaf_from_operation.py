import torch
w = torch.ones(2, requires_grad=True) * 0.5
y = (w * 2).sum()
y.backward()
print(w.is_leaf, w.grad)
