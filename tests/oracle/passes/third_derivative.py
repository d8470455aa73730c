import torch

x = torch.tensor([0.7, 0.3], requires_grad=True)
y = (torch.log(x) * torch.sqrt(x) + torch.sigmoid(x) * torch.tanh(x) + torch.atan(x)).sum()
d = y
for _ in range(3):
    (d,) = torch.autograd.grad(d.sum(), x, create_graph=True)
    print(d)
