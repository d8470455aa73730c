"""Singular values and principal components from a few random directions."""

import torch

torch.manual_seed(0)
A = (torch.randn(6, 4, dtype=torch.float64) * torch.tensor([4.0, 2.0, 1.0, 0.5], dtype=torch.float64)).requires_grad_()
for decompose in (
    lambda: torch.svd_lowrank(A, 3),
    lambda: torch.svd_lowrank(A.T, q=2, niter=1),
    lambda: torch.svd_lowrank(A, 3, M=A.detach() * 0.5),
    lambda: torch.pca_lowrank(A, 3),
    lambda: torch.pca_lowrank(A, 2, center=False),
    lambda: torch.svd_lowrank(torch.stack([A, A * 2]), q=2),
):
    torch.manual_seed(1)
    u, s, v = decompose()
    print(u.shape, s, v.shape)
    print(u.grad_fn.name(), s.grad_fn.name(), v.grad_fn.name())
    (grad,) = torch.autograd.grad((u @ torch.diag_embed(s) @ v.mT).pow(2).sum(), A)
    print(grad[0])
for wrong in (lambda: torch.pca_lowrank(A, 9), lambda: torch.pca_lowrank(A, niter=-1)):
    try:
        wrong()
    except ValueError as error:
        print(error)
