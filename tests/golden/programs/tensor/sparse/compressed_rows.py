"""Sparse matrices in compressed rows."""

import warnings

import torch

warnings.simplefilter("ignore")  # the product turns its matrix into compressed columns when it goes backward

with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    A = torch.sparse_csr_tensor(
        torch.tensor([0, 2, 2, 3]), torch.tensor([0, 2, 1]), torch.tensor([1.0, 2.0, 3.0]), size=(3, 3)
    )
    print([str(x.message) for x in w])
print(
    A, A.layout, A.shape, A.dtype, A.is_sparse, A.is_sparse_csr, A._nnz(), A.ndim, A.numel(), A.device, A.requires_grad
)
print(A.crow_indices(), A.col_indices(), A.values(), A.to_dense())
x = torch.arange(6.0).view(3, 2).requires_grad_()
y = A @ x
print(y)
y.pow(2).sum().backward()
print(x.grad)
print(
    A @ torch.ones(3),
    A.mv(torch.ones(3)),
    torch.sparse.mm(A, torch.eye(3)),
    A.matmul(torch.eye(3)),
    torch.mm(A, torch.eye(3)),
)
print(A.to_sparse(), A.to_sparse_coo().layout, A.to_sparse_csr() is A)
B = torch.tensor([[0.0, 1.0], [2.0, 0.0]]).to_sparse_csr()
print(B, B.to_dense())
C = torch.tensor([[0, 1], [2, 0]]).to_sparse().to_sparse_csr()
print(C)
D = torch.sparse_csr_tensor([0, 1, 2], [0, 1], [1, 2], dtype=torch.float64)
print(D, D.shape)
print(torch.eye(3).to_sparse_csr() @ torch.eye(3).to_sparse_csr())
print(A.detach().values(), A.clone().values(), (A * 2).values(), (2 * A).to_dense(), A.abs().values(), A.sum())


def t(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


t(lambda: A @ torch.ones(4, 2))
t(lambda: A.indices())
print(torch.eye(2).is_sparse_csr)
