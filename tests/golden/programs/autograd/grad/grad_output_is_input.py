import torch
x = torch.ones(2, requires_grad=True)
print(torch.autograd.grad(x.sum(), x))
y = x * 2
print(torch.autograd.grad(y, y, torch.ones(2)))
print(torch.autograd.grad(x, x, torch.tensor([3., 4.])))
