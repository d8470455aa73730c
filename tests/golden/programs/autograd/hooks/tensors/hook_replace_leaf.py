import torch
x = torch.ones(3, requires_grad=True)
h = x.register_hook(lambda g: g * 2)
(x * 5).sum().backward()
print(x.grad)
h.remove()
x.grad = None
(x * 5).sum().backward()
print(x.grad)
