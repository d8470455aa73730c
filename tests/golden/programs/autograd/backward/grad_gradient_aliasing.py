import torch
x = torch.ones(2, requires_grad=True)
g = torch.tensor([1., 2.])
x.backward(g)
print(x.grad is g, x.grad.data_ptr() == g.data_ptr())
g.mul_(5)
print(x.grad)
