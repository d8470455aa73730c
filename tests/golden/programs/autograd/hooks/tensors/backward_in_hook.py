import torch
x = torch.ones(2, requires_grad=True)
w = torch.ones(2, requires_grad=True)
def hook(g):
    (w * 3).sum().backward()
y = x * 2
y.register_hook(hook)
y.sum().backward()
print(x.grad, w.grad)
