import torch
x = torch.tensor([[1., 2.5]])
print(x.tolist(), x[0, 1].item(), float(x[0, 0]), int(x[0, 1]), bool(x[0, 0] > 0))
x.item()
