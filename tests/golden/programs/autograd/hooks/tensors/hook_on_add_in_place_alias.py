import torch
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
a.register_hook(lambda g: g.mul(10))
(a + b).sum().backward()
print(a.grad, b.grad)
