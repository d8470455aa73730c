import torch

# PyTorch draws in the order of the memory, and one by one where the memory has gaps or another order.
torch.manual_seed(1)
print(torch.empty(3, 8).t().normal_())
print(torch.empty(3, 4, 5).permute(1, 2, 0).uniform_(2, 3))
print(torch.empty(6, 5)[:, ::2].bernoulli_(0.4))
print(torch.rand_like(torch.ones(7, 3).t()))
print(torch.bernoulli(torch.full((3, 4), 0.5).t()))
print(torch.nn.functional.dropout(torch.ones(4, 5).t(), 0.5))
print(
    torch.zeros_like(torch.ones(2, 3).t()).stride(),
    torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last).stride(),
)
