import torch
torch.ones(2, 3).mm(torch.ones(3))
