import torch

x = torch.zeros(3, requires_grad=True)
g = torch.ones(3)
(x + 0).backward(g)
g.mul_(5)
y = torch.ones(3, requires_grad=True)
y.backward(g)
g.zero_()
print(x.grad, y.grad)
