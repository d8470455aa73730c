import torch
x = torch.ones(2, dtype=torch.double, requires_grad=True)
y = torch.zeros(2)
y.copy_(x * 3)
print(y, y.grad_fn)
y.sum().backward()
print(x.grad)
