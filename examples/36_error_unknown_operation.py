import torch

x = torch.tensor([1., 2.], requires_grad=True)
y = torch.sigmod(x)
y.backward(torch.ones(2))
