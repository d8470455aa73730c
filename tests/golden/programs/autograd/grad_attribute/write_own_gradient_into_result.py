import torch
x = torch.tensor([[1., 2., 3.]], requires_grad=True)
J = torch.zeros(3, 3)
y = torch.zeros(1, 3)
for i in range(3):
    y[0, i] = (x[0] ** (i + 1)).sum()
for i in range(3):
    seed = torch.zeros(1, 3)
    seed[0, i] = 1.
    y.backward(seed, retain_graph=True)
    J[i] = x.grad
    x.grad.zero_()
print(y)
print(J)
