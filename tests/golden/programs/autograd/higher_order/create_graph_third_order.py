import torch
x = torch.tensor(2., requires_grad=True)
y = x ** 4
for i in range(4):
    y, = torch.autograd.grad(y, x, create_graph=True)
    print(i + 1, y)
