import torch

torch.manual_seed(0)
A = torch.randn(3, 3, dtype=torch.float64, requires_grad=True)
B = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
X = torch.linalg.solve(A, B, left=False)
print(torch.allclose(X @ A, B), X, X.stride())
X.sum().backward(retain_graph=True)
print(A.grad, B.grad)
g, h = torch.autograd.grad(X.pow(2).sum(), (A, B), create_graph=True)
(g.sum() + h.pow(2).sum()).backward()
print(A.grad, B.grad)
Z = torch.randn(2, 3, 3, dtype=torch.complex128, requires_grad=True)
torch.linalg.solve(Z, B.detach().to(torch.complex128)[None], left=False).abs().sum().backward()
print(Z.grad)
try:
    torch.linalg.solve(torch.zeros(2, 2), torch.ones(3, 2), left=False)
except Exception as e:
    print(type(e).__name__, e)
try:
    torch.linalg.solve(torch.eye(2), torch.ones(3, 2).double(), left=False)
except Exception as e:
    print(type(e).__name__, e)
try:
    torch.linalg.solve(torch.eye(3).expand(2, 3, 3), torch.ones(2, 3), left=False)
except Exception as e:
    print(type(e).__name__, e)
