import torch
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
v = x * 2
w = v[:, None]
w.sigmoid_()
y = w.pow(2).sum()
g, = torch.autograd.grad(y, x, create_graph=True)
print(torch.autograd.grad(g.sum(), x))
