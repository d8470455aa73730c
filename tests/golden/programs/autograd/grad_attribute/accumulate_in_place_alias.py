import torch
x = torch.ones(2, requires_grad=True)
(x * 2).sum().backward()
g = x.grad
(x * 3).sum().backward()
print(g, g is x.grad, g._version)
x.grad.zero_()
print(g)
x.grad = None
(x * 4).sum().backward()
print(g, x.grad)
