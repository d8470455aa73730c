import torch

x = torch.tensor([1., 2.], requires_grad=True)
w = torch.tensor([3., 4.], requires_grad=True)
y = w * x ** 2

# The gradients come back as a tuple; no .grad is touched.
dx, dw = torch.autograd.grad(y, (x, w), torch.ones(2))
print(dx)
print(dw)
print(x.grad, w.grad)
