import torch
t = torch.tensor([3., 1., 2.])
print(min(t), max(t), sum(t), len(t), list(t))
print(1. in t, t.tolist())
