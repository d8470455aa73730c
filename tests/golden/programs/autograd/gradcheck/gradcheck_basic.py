import torch
from torch.autograd import gradcheck, gradgradcheck
x = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)
print(gradcheck(lambda x: x ** 3, (x,)))
print(gradcheck(lambda x: (x.sin() * x).sum(), x, eps=1e-6, atol=1e-4))
print(gradgradcheck(lambda x: x ** 3, (x,)))
try:
    gradcheck(lambda x: x, (torch.ones(2),))
except ValueError as e:
    print(e)
