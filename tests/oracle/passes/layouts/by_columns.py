"""Products with results of linear algebra, whose columns lie in one piece, and what follows for second derivatives."""

import torch

torch.manual_seed(5)
a = (torch.randn(3, 3, dtype=torch.float64) + 3 * torch.eye(3, dtype=torch.float64)).requires_grad_()
b = torch.randn(3, 2, dtype=torch.float64, requires_grad=True)


def positive():
    return a @ a.T + torch.eye(3, dtype=torch.float64)


for made in (
    lambda: torch.linalg.inv(a),
    lambda: torch.linalg.solve(a, b.detach() @ b.detach().T),
    lambda: torch.linalg.cholesky(positive()),
    lambda: torch.linalg.cholesky(positive(), upper=True),
    lambda: torch.linalg.qr(a)[0],
    lambda: torch.linalg.qr(a)[1],
    lambda: torch.linalg.pinv(a),
    lambda: torch.linalg.pinv(a[:, :2]).T,
    lambda: torch.linalg.matrix_exp(a),
    lambda: torch.linalg.solve_triangular(a.triu(), torch.eye(3, dtype=torch.float64), upper=True),
):
    first = torch.autograd.grad((made() @ b[: made().shape[1]]).pow(2).sum(), (a, b), create_graph=True)
    torch.autograd.grad(first[0].sum() + first[1].sin().sum(), (a, b))
