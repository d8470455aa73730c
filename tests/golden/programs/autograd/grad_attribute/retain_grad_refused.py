import torch
x = torch.tensor([1., 2.])
x.retain_grad()
