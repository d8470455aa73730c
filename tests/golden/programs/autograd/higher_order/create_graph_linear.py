import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = (x * 3).sum()
g, = torch.autograd.grad(y, x, create_graph=True)
print(g)
torch.autograd.grad(g.sum(), x)
