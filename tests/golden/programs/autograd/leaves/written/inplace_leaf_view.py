import torch
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
v = x[0]
v += 1
