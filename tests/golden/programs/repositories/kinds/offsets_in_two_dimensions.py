import torch, torch.nn.functional as F
F.embedding_bag(torch.tensor([1, 2]), torch.ones(3, 2), offsets=torch.tensor([[0]]))
