import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
v = torch.tensor([1., 0., 1.])
f = (x ** 3).sum()
g, = torch.autograd.grad(f, x, create_graph=True)
hv, = torch.autograd.grad(g, x, v)
print(hv)
hv2, = torch.autograd.grad((torch.autograd.grad((x ** 3).sum(), x, create_graph=True)[0] * v).sum(), x)
print(hv2)
