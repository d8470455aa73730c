import torch
x = torch.tensor([1., 2.], requires_grad=True)
with torch.no_grad():
    y = (x * 2).sum()
y.backward()
