import torch
x = torch.ones(2, requires_grad=True)
y = (x ** 2).sum()
torch.autograd.backward([y, y])
print(x.grad)
