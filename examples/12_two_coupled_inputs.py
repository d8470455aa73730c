import torch

x = torch.tensor([[2., 4.]], requires_grad=True)
y = torch.zeros(1, 2)
y[0, 0] = x[0, 0] ** 2 + 2 * x[0, 1]
y[0, 1] = 2 * x[0, 0] + 3 * x[0, 1] ** 2
print(y)

# Each input receives a share from both outputs.
y.backward(torch.ones(1, 2))
print(x.grad)
