import torch

torch.manual_seed(5)
torch.set_default_dtype(torch.float64)


def twice(function, *leaves):
    result = function(*leaves)
    loss = (result.abs() if result.is_complex() else result).pow(3).sum()
    found = torch.autograd.grad(loss, leaves, create_graph=True)
    sum((g.abs() if g.is_complex() else g).pow(2).sum() for g in found).backward()


def leaf(*shape, dtype=None):
    return (torch.rand(*shape, dtype=dtype) * 0.8 + 0.1).requires_grad_()


twice(torch.atanh, leaf(3))
for function in (torch.atanh, torch.log2, torch.log10, torch.sqrt, torch.expm1):
    twice(function, leaf(2, dtype=torch.complex128))
twice(torch.addbmm, leaf(2, 2), leaf(3, 2, 4), leaf(3, 4, 2))
twice(torch.clamp, leaf(2, 3), leaf(2, 1) - 0.2, leaf(3) + 0.2)
twice(torch.ldexp, leaf(2, 3), leaf(2, 1))
twice(torch.amax, leaf(2, 3))
twice(torch.amin, leaf(2, 3))
for equation, shapes in {
    "ij,kj->ki": ((2, 3), (4, 3)),
    "bchwij,cij->bhw": ((1, 2, 2, 2, 2, 2), (2, 2, 2)),
    "ia,ja->ij": ((2, 1), (4, 1)),
    "ijk,l->l": ((2, 3, 4), (5,)),
}.items():
    twice(lambda a, b, named=equation: torch.einsum(named, a, b), *(leaf(*shape) for shape in shapes))
cell, gru = torch.nn.GRUCell(3, 2), torch.nn.GRU(3, 2)
twice(cell, leaf(1, 3), leaf(1, 2))
twice(lambda t: gru(t)[0], leaf(2, 1, 3))
output, (h, c) = torch.nn.LSTM(3, 2)(leaf(2, 1, 3))
(output.sum() + 2 * h.sum() + 3 * c.sum()).backward()
