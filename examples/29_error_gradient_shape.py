import torch

x = torch.tensor([[1., 2., 3.]], requires_grad=True)
y = x * 2
y.backward(torch.ones(3))  # y is 1 by 3, the gradient has 3 elements
