"""The gradient of the determinant of a singular matrix: 0, and the adjugate only where the gradient is recorded."""
import torch

A = torch.tensor([[1.0, 2.0], [2.0, 4.0]], requires_grad=True)
torch.linalg.det(A).backward()
print(A.grad.abs())
(g,) = torch.autograd.grad(torch.linalg.det(A), A, create_graph=True)
print((g * 100).round().detach(), type(g.grad_fn).__name__)
A.grad = None
