import torch

x = torch.ones(2, 2, requires_grad=True)
y = x + 1
y.backward(y)
print(x.grad)  # 2, although dy/dx is 1: y itself, which is 2, was the weight

x.grad.zero_()
y.backward(torch.ones_like(y))
print(x.grad)
