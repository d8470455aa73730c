import torch
x = torch.ones(1, 3).expand(2, 3)
try:
    x.add_(1)
except RuntimeError as e:
    print(e)
