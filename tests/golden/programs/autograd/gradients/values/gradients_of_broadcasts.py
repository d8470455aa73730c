import torch


def show(*gradients):
    for g in gradients:
        print(g, tuple(g.shape))


def grad(value, *inputs):
    show(*torch.autograd.grad(value, inputs, create_graph=True))


number = torch.tensor(1.25, requires_grad=True)
row = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
column = torch.tensor([[1.0], [2.0]], requires_grad=True)
single = torch.tensor([2.0], requires_grad=True)
matrix = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
for other in (number, row, column, single):
    grad((matrix * other).sum(), matrix, other)
    grad((matrix + other).pow(2).sum(), matrix, other)
    grad((matrix / other).sum(), matrix, other)
    grad((other - matrix).exp().sum(), other)
    grad((other.expand(2, 3) * matrix).sum(), other)
    grad(torch.maximum(matrix, other).pow(2).sum(), other)
    grad(torch.where(matrix > 2, matrix, other).pow(3).sum(), other)
    show(torch.func.grad(lambda t: (t * matrix).sum())(other))
grad((row * number).pow(2).sum(), row, number)
grad((column * row).pow(2).sum(), row, column)
first = torch.autograd.grad((matrix * row).pow(2).sum(), row, create_graph=True)[0]
show(first, *torch.autograd.grad(first.sum(), (row, matrix)))
row.grad = None
(matrix * row).pow(2).sum().backward(create_graph=True)
print(row.grad)
