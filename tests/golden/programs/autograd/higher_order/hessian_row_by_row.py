import torch
x = torch.tensor([1., 2.], requires_grad=True)
f = (x[0] ** 2 * x[1] + x[1] ** 3)
g, = torch.autograd.grad(f, x, create_graph=True)
rows = [torch.autograd.grad(g[i], x, retain_graph=True)[0] for i in range(2)]
print(torch.stack(rows))
