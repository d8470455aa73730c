import torch
m = v(torch.tensor([[2, 3]], dtype=torch.float), requires_grad=True)
