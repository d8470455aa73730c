"""Older names of functions say what to call instead, and products of logarithms keep the dtype of the tensor."""

import torch

a = torch.tensor([[4.0, 2.0], [2.0, 3.0]])
print(torch.cholesky(a)[0])
torch.qr(a)
print(torch.lu(a)[1])
torch.lu_solve(a, *torch.linalg.lu_factor(a))
print(torch.chain_matmul(a, a))
print(torch.triangular_solve(a, a).solution)
print(torch.cross(torch.ones(2, 3), torch.ones(2, 3)))

counts = torch.tensor([0, 1, 2])
for kind in (torch.int64, torch.bool, torch.float16, torch.float64):
    print(
        torch.xlogy(counts.to(kind), 2).dtype,
        torch.xlogy(3, counts.to(kind)),
        torch.special.xlog1py(2.5, counts.to(kind)),
    )
