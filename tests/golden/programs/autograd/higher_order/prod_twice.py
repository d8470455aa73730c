import torch
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
for f in [lambda x: x.prod(), lambda x: x.prod(0).sum(), lambda x: x.prod(1, keepdim=True).sum()]:
    g, = torch.autograd.grad(f(x), x, create_graph=True)
    print(g, g.grad_fn)
    print(torch.autograd.grad(g.sum(), x))
z = torch.tensor([0., 2., 3.], requires_grad=True)
g, = torch.autograd.grad(z.prod(), z, create_graph=True)
print(g.tolist(), torch.autograd.grad(g.sum(), z))
