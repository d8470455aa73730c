import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 1
with torch.no_grad():
    v = y[:1]
print(v.requires_grad, v.is_leaf)
