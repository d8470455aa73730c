import torch
x = torch.tensor([[1., 3., 2.], [2., 2., 5.]], requires_grad=True)
y = x * 1
v, i = y.cummax(1)
print(v, i, v.grad_fn._saved_self.shape, v.grad_fn._saved_indices)
g, = torch.autograd.grad((v ** 2).sum(), x, create_graph=True)
print(g)
print(torch.autograd.grad(g.sum(), x)[0])
y = x * 1
v, i = y.cummin(0)
with torch.no_grad(): y.add_(1)
v.sum().backward()
