import torch
a = torch.ones(3)
a += torch.ones(2, 3)
