import torch
x = torch.tensor(0.5, requires_grad=True)
y = torch.exp(x) * torch.cos(x)
for order in range(1, 4):
    y, = torch.autograd.grad(y, x, create_graph=True)
    print(order, y.item())
