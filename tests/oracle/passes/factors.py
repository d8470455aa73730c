import torch

torch.manual_seed(3)
x = torch.randn(4, 6, requires_grad=True)
w = torch.randn(4, 6, requires_grad=True)
m = torch.randn(4, 4, requires_grad=True)
v = torch.randn(6, requires_grad=True)
leaves = [x, m]
triangle = m.triu() + 3 * torch.eye(4)
results = [
    torch.linalg.slogdet(m)[1],
    torch.linalg.cholesky(m @ m.T + 4 * torch.eye(4)),
    torch.linalg.solve_triangular(triangle, x, upper=True),
    torch.linalg.svdvals(m),
    torch.linalg.qr(m)[1],
]

for y in results:
    gradients = torch.autograd.grad(y.sin().sum(), leaves, create_graph=True, allow_unused=True)
    sum((g**2).sum() for g in gradients if g is not None).backward()
