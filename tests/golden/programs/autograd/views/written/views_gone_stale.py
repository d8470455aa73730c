import torch
x = torch.ones(2, 2, requires_grad=True)
y = x * 1
v = y.t()
y[0] *= 5
torch.stack([v, v]).sum().backward()
print(x.grad)
x.grad = None
y = x * 1
v = y[0]
y *= 5
v.backward(torch.ones(2))
print(x.grad)
y = x * 1
v = y[0]
y *= 5
print(torch.autograd.grad(y.sum(), v, allow_unused=True), torch.autograd.grad(v.sum(), y))
