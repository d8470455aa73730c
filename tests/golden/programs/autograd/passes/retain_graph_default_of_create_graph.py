import torch
x = torch.tensor(2., requires_grad=True)
y = x ** 3
first = torch.autograd.grad(y, x, create_graph=True)
again = torch.autograd.grad(y, x)
print(first, again)
torch.autograd.grad(y, x)
