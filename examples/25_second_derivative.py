import torch

x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x ** 3

# create_graph records the backward pass too, so that it can be differentiated.
first, = torch.autograd.grad(y, x, torch.ones(3), create_graph=True)
second, = torch.autograd.grad(first, x, torch.ones(3))
print(first)
print(second)
