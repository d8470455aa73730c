import torch
x = torch.ones(2, requires_grad=True)
y = x * 2
y.register_hook(lambda g: print("before", g))
y.mul_(3)
y.register_hook(lambda g: print("after", g))
y.sum().backward()
print(x.grad)
