import torch
x = torch.ones(2, requires_grad=True)
y = x * 2
def double(g):
    g.mul_(2)
y.register_hook(double)
(y * 3).sum().backward()
print(x.grad)
