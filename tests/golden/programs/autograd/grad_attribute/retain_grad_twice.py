import torch
x = torch.ones(2, requires_grad=True)
y = x * 2
y.retain_grad()
y.retain_grad()
(y * 4).sum().backward(retain_graph=True)
print(y.grad)
(y * 4).sum().backward()
print(y.grad, x.grad)
print(x.retains_grad)
x.retain_grad()
print(x.retains_grad)
