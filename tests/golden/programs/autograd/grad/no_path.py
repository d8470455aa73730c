import torch
x = torch.tensor(2., requires_grad=True)
y = torch.tensor(3., requires_grad=True)
z = x * 2
z.backward()
print(x.grad, y.grad)
print(torch.autograd.grad(x * 2, y, allow_unused=True))
