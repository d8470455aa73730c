import torch
x = torch.tensor(2., requires_grad=True)
y = x ** 2
z = y ** 3
print(torch.autograd.grad(z, y, retain_graph=True))
print(torch.autograd.grad(z, (x, y)))
