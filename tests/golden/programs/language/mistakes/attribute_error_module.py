import torch
x = torch.expp(torch.ones(2))
