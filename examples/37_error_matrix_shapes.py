import torch

a = torch.ones(2, 3, requires_grad=True)
b = torch.ones(2, 3, requires_grad=True)
c = a @ b  # rows of 3 need columns of 3: a @ b.T
