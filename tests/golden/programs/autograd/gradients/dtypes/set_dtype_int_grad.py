import torch
x = torch.ones(2, requires_grad=True)
y = x.long()
print(y, y.requires_grad)
y.sum().backward()
