import torch
print(torch.tensor([float('nan'), float('inf'), -float('inf'), 1.]))
print(torch.tensor([1e-8, 1.]), torch.tensor([1e8, 1.]), torch.tensor([0.1, 100000.]))
print(torch.tensor([-0., 0.]), torch.tensor([]), torch.tensor([[]]))
print(torch.tensor([True, False]), torch.tensor([[1], [-20]]))
print(torch.ones(2, 2, 2))
print(torch.arange(30.))
print(torch.arange(2000))
