import torch
x = torch.ones(2, 2, requires_grad=True)
y = x.clone()
col = y[:, 0]
col += 5
print(col)
print(y)
(y * y).sum().backward()
print(x.grad)
