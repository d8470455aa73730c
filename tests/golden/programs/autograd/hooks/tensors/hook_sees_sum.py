import torch
x = torch.ones(2, requires_grad=True)
y = x * 1
y.register_hook(lambda g: print("total", g))
(y * 2 + y * 3).sum().backward()
