"""A quantile is differentiated by its share, too; a grid by its map; rows are shortened where they are looked up."""

import torch

x = torch.tensor([[0.0, 1.0, 2.0], [5.0, 4.0, 3.0]], requires_grad=True)
q = torch.tensor([0.1, 0.55], requires_grad=True)
for interpolation in ("linear", "lower", "higher", "midpoint", "nearest"):
    r = torch.quantile(x, q, dim=1, interpolation=interpolation)
    print(torch.autograd.grad((r * r).sum(), (x, q), allow_unused=True))
print(torch.autograd.grad(torch.nanquantile(x, q, dim=1).pow(2).sum(), (x, q)))
print(torch.quantile(x, torch.tensor(0.3, requires_grad=True), dim=0, keepdim=True))
print(torch.quantile(x.detach(), q))
first = torch.autograd.grad((torch.quantile(x, q) ** 2).sum(), (x, q), create_graph=True)
print(torch.autograd.grad(first[0].sum() + first[1].sum(), (x, q)))

theta = torch.tensor([[[1.0, 0, 0], [0, 1, 0]]], requires_grad=True)
grid = torch.affine_grid_generator(theta, [1, 1, 2, 2], False)
print(grid, torch.autograd.grad(grid.pow(2).sum(), theta))

table = torch.tensor([[3.0, 4.0], [0.1, 0.2], [6.0, 8.0]])
print(torch.embedding_renorm_(table, torch.tensor([0, 2]), 1.0, 2.0) is table, table)

inf, nan = float("inf"), float("nan")
ends = torch.tensor([complex(inf, 1), complex(-inf, 1), complex(nan, 1), complex(1, nan), 1 + 2j, complex(inf, -1)])
print(torch.logaddexp(ends[:, None], ends[None]))
print(torch.logaddexp(ends, torch.tensor(1.0)))
