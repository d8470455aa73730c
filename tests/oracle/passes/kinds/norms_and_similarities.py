"""Norms of matrices by their singular values, condition numbers, similarities of all pairs, weighted bags."""

import torch
import torch.nn.functional as F

torch.manual_seed(11)
x = torch.randn(2, 3, 4, requires_grad=True)
square = torch.randn(3, 3, dtype=torch.float64, requires_grad=True)
a, b = torch.randn(3, 1, 2, requires_grad=True), torch.randn(1, 4, 2, requires_grad=True)
table, weights = torch.randn(5, 3, requires_grad=True), torch.rand(4, requires_grad=True)
map_of, right = torch.randn(6, 2, 3, requires_grad=True), torch.randn(6, requires_grad=True)
leaves = (x, square, a, b, table, weights, map_of, right)

for made in (
    lambda: torch.linalg.matrix_norm(x, "nuc", keepdim=True),
    lambda: torch.linalg.matrix_norm(x, 2, dim=(0, 2), keepdim=True),
    lambda: torch.linalg.cond(square, "nuc"),
    lambda: F.cosine_similarity(a, b, dim=-1),
    lambda: F.embedding_bag(
        torch.tensor([0, 1, 3, 2]), table, torch.tensor([0, 2]), mode="sum", per_sample_weights=weights
    ),
    lambda: torch.linalg.tensorsolve(map_of, right),
):
    torch.autograd.grad(made().sin().sum(), leaves, allow_unused=True)
