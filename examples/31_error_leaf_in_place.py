import torch

x = torch.tensor([1., 2.], requires_grad=True)
x += 1  # a leaf is what gradients are asked for; it may not be overwritten
