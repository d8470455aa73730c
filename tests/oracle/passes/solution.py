import torch

torch.manual_seed(0)
lam = torch.tensor(0.1, requires_grad=True)
X, y = torch.randn(6, 2), torch.randn(6)
A = X.T @ X + lam * torch.eye(2)
w = torch.linalg.solve(A, X.T @ y)
val = ((X @ w - y) ** 2).mean()
(g,) = torch.autograd.grad(val, lam, create_graph=True)
(gg,) = torch.autograd.grad(g, lam)
print(g, gg)
