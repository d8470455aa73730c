import torch

x = torch.tensor([[2., 4., 5.]], requires_grad=True)
y = torch.zeros(1, 2)
y[0, 0] = x[0, 0] ** 2 + 2 * x[0, 1] + 4 * x[0, 2]
y[0, 1] = 2 * x[0, 0] + 3 * x[0, 1] ** 2 + x[0, 2] ** 2

# The gradient has the shape of y, x.grad the shape of x.
y.backward(torch.ones(1, 2))
print(x.grad)
