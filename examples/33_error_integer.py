import torch

# Whole numbers make an integer tensor. Write 1. instead of 1.
a = torch.tensor([[1, 2], [3, 4]], requires_grad=True)
