import torch
w = torch.ones(2, requires_grad=True)
b = torch.zeros(2, requires_grad=True)
w.requires_grad_(False)
y = (w * 3 + b).sum()
y.backward()
print(w.grad, b.grad)
