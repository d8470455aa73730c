import torch
i = torch.tensor([7, -7, 8])
print(i // 2, i % 3, -i // 4)
print(i / 2)
print(torch.tensor([7., -7.]) // 2, torch.tensor([7., -7.]) % 3)
