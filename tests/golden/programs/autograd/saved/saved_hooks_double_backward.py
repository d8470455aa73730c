import torch
x = torch.tensor(2., requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    y = x ** 3
    g, = torch.autograd.grad(y, x, create_graph=True)
print(g)
print(torch.autograd.grad(g, x))
