import torch
a = torch.ones(2, 3, requires_grad=True)
for row in a:
    row += 1
