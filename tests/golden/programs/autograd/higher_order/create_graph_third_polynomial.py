import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x ** 4
g1 = torch.autograd.grad(y.sum(), x, create_graph=True)[0]
g2 = torch.autograd.grad(g1.sum(), x, create_graph=True)[0]
g3 = torch.autograd.grad(g2.sum(), x, create_graph=True)[0]
print(g1)
print(g2)
print(g3)
