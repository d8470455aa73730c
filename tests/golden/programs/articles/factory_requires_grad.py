import torch
autograd_tensor = torch.randn((2, 3, 4), requires_grad=True)
print(autograd_tensor.shape, autograd_tensor.requires_grad)
