import torch
x = torch.ones(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: 5, lambda v: v):
    y = x ** 2
y.sum().backward()
