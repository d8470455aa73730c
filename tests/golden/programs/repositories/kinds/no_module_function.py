import torch.tensor
