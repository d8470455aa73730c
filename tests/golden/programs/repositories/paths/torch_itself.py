import torch
print(torch.torch is torch, torch.nn.functional.torch is torch)
