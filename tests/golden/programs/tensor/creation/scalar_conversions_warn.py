import torch
x = torch.tensor(2.5, requires_grad=True)
print(float(x), int(x), x.item(), x.tolist())
print(x.detach().numpy())
x.numpy()
