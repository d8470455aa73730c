import torch
x = torch.ones(2, requires_grad=True)
y = x * 2
y.zero_()
print(y, y.grad_fn)
y.fill_(3)
print(y.grad_fn)
y.sum().backward()
print(x.grad)
