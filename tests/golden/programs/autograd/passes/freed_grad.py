import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = (x.exp()).sum()
torch.autograd.grad(y, x)
torch.autograd.grad(y, x)
