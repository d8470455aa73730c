import torch
a = torch.ones(2, 2, requires_grad=True)
b = torch.ones(2, 2)
c = a @ b
c.sum().backward()
print(a.grad)
c.sum().backward()
