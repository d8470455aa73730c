import torch
if torch.tensor([True, False]):
    print('never')
