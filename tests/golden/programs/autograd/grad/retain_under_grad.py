import torch
x = torch.tensor(2., requires_grad=True)
y = x * 3
y.retain_grad()
print(torch.autograd.grad(y ** 2, x))
print(y.grad, x.grad)
