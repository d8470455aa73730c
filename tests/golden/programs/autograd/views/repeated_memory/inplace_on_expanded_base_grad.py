import torch
a = torch.ones(3, requires_grad=True)
y = a * 2
z = y.view(3, 1)
z += torch.tensor([[1.], [2.], [3.]])
y.mul_(z.view(3).detach())
print(y)
y.sum().backward()
print(a.grad)
