import torch
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 3
y = (h ** 2).sum()
print(torch.autograd.grad(y, h))
