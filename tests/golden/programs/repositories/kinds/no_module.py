import torch.nope
