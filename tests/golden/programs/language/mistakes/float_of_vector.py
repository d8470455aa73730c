import torch
float(torch.tensor([1., 2.]))
