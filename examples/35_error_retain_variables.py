import torch

x = torch.tensor([1., 2.], requires_grad=True)
y = x ** 2
y.backward(torch.tensor([1., 0.]), retain_variables=True)  # its name until 2017
