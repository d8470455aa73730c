import torch
x = torch.ones(2, requires_grad=True)
y = x * 2
y.retain_grad()
y.register_hook(lambda g: g * 7)
y.sum().backward()
print(y.grad, x.grad)
