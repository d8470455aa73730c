import torch
x = torch.ones(2, requires_grad=True)
a = (x * 2).sum()
b = x * 3
torch.autograd.backward([a, b], [None, torch.tensor([1., 10.])])
print(x.grad)
torch.autograd.backward((a.detach() * x.sum(), (x ** 2).sum()))
print(x.grad)
