import torch.optim.Adam
