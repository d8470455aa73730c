import torch

x = torch.tensor([[2., 4., 5.]], requires_grad=True)
y = torch.zeros(1, 2)
y[0, 0] = x[0, 0] ** 2 + 2 * x[0, 1] + 4 * x[0, 2]
y[0, 1] = 2 * x[0, 0] + 3 * x[0, 1] ** 2 + x[0, 2] ** 2

# Three inputs, two outputs; here each output fills a column.
j = torch.zeros(3, 2)
y.backward(torch.tensor([[1., 0.]]), retain_graph=True)
j[:, 0] = x.grad
x.grad.zero_()
y.backward(torch.tensor([[0., 1.]]))
j[:, 1] = x.grad
print(j)
