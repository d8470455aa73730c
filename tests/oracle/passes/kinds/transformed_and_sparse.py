import torch
from torch.func import grad, grad_and_value, vjp

w = torch.tensor([0.1, 0.2])
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])


def loss(w, x):
    return torch.tanh(x @ w).sum()


grad(loss)(w, x)
grad_and_value(loss, argnums=1)(w, x)
value, pull = vjp(torch.sin, w)
pull(torch.ones(2))

entries = torch.tensor([3.0, 4.0, 5.0], requires_grad=True)
dense = torch.randn(3, 2, requires_grad=True)
matrix = torch.sparse_coo_tensor(torch.tensor([[0, 1, 1], [2, 0, 2]]), entries, (2, 3))
torch.sparse.mm(matrix, dense).sum().backward()
(matrix.to_dense() * torch.arange(6.0).view(2, 3)).sum().backward()
