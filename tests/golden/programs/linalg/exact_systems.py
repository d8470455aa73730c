"""Determinants, inverses and solutions of small systems, to the last digit that is printed."""
import torch

for rows in ([[1., 2.], [3., 4.]], [[2., 1.], [1., 3.]], [[1., 2., 3.], [4., 5., 6.], [7., 8., 10.]], [[4., 3.], [6., 3.]]):
    a = torch.tensor(rows, requires_grad=True)
    d = torch.det(a)
    d.backward()
    print(d, a.grad)
    print(torch.linalg.inv(a), torch.linalg.solve(a, torch.ones(len(rows))))
    print(torch.slogdet(a.detach()), torch.linalg.det(a.detach().t()))
torch.manual_seed(3)
for n in (2, 3, 4, 7):
    a, b = torch.randn(n, n), torch.randn(n, 2)
    print(torch.det(a).item(), torch.inverse(a).flatten().tolist(), torch.linalg.solve(a, b).flatten().tolist())
