import torch
x = torch.ones(3, 3, requires_grad=True)
b = x * 2
b.diagonal().fill_(0)
print(b, b.grad_fn)
b.sum().backward()
print(x.grad)
