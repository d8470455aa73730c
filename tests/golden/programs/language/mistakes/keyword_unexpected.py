import torch
x = torch.tensor([1., 2.], requires_grad=True)
(x * 2).sum().backward(retain_grpah=True)
