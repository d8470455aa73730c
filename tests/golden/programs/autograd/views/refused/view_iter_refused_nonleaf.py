import torch
a = torch.ones(2, 3, requires_grad=True)
b = a * 1
for row in b:
    row += 1
