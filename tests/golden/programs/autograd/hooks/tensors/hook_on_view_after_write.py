import torch
x = torch.ones(4, requires_grad=True)
y = x * 2
v = y[:2]
v.mul_(5)
v.register_hook(lambda g: print("v", g))
y.register_hook(lambda g: print("y", g))
(y.sum() + v.sum()).backward()
print(x.grad)
