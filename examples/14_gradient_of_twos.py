import torch


def outputs(x):
    y = torch.zeros(1, 2)
    y[0, 0] = x[0, 0] ** 2 + 2 * x[0, 1] + 4 * x[0, 2]
    y[0, 1] = 2 * x[0, 0] + 3 * x[0, 1] ** 2 + x[0, 2] ** 2
    return y


for weight in (1., 2.):
    x = torch.tensor([[2., 4., 5.]], requires_grad=True)
    outputs(x).backward(torch.tensor([[weight, weight]]))
    print(weight, x.grad)  # twice the gradient, twice the answer
