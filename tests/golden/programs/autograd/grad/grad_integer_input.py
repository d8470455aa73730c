import torch
x = torch.tensor([1., 2.], requires_grad=True)
k = torch.tensor([1., 2.])
torch.autograd.grad((x * k).sum(), k)
