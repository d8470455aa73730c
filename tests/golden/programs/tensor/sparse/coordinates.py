import warnings

import torch

warnings.simplefilter("ignore")  # PyTorch tells that sparse tensors are not checked

s = torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3))
print(s)
print(s.to_dense(), s.shape, s.layout, s.is_sparse, s.dtype, s._nnz(), s.sparse_dim(), s.dense_dim(), s.is_coalesced())
twice = torch.sparse_coo_tensor([[1, 1, 0]], [3, 4, 1], (3,))
print(twice, twice.coalesce(), twice.coalesce().indices(), twice.coalesce().values())
print(torch.sparse_coo_tensor([[0, 2], [1, 0]], torch.tensor([1, 2], dtype=torch.int32)))
print(torch.sparse_coo_tensor([[0, 1]], torch.ones(2, 2), (2, 2)).to_dense(), torch.sparse_coo_tensor(size=(2, 3)))
d = torch.tensor([[0.0, 2.0], [3.0, 0.0]])
print(d.to_sparse(), d.to_sparse(1), d.to_sparse().T.to_dense(), d.to_sparse() @ d, d @ d.to_sparse())
x = torch.arange(6.0).view(3, 2)
print(torch.sparse.mm(s, x), torch.mm(s, x), s.mm(x), torch.mv(s, x[:, 0]), torch.spmm(s, x), s.matmul(x))
print(torch.sparse.addmm(torch.ones(2, 2), s, x, beta=2.0), torch.sparse.mm(s, s.t()))
print(s * 2, 2 * s, s / 4, -s, (s + s).to_dense(), (s - s * 2).to_dense(), s * s, torch.ones(2, 3) + s, s * torch.ones(2, 3))
print(torch.sparse.sum(s), s.sum(), torch.sparse.sum(s, 0), torch.sparse.sum(s, dim=1).to_dense(), s.norm())
print(torch.sparse.softmax(s, 1), torch.sparse.log_softmax(s, dim=1), s.coalesce().sqrt(), s.abs(), s.pow(2))
print(s[0], s[1, 2], s.index_select(1, torch.tensor([2, 0])).to_dense(), s.transpose(0, 1).shape, x.sparse_mask(s.t()))
print(s.double(), s.to(torch.float64).dtype, s.type(), s.clone() is s, s.cpu() is s, s.numel(), len(s), torch.is_tensor(s))
print(torch.sparse.FloatTensor(torch.tensor([[0, 1]]), torch.tensor([1.0, 2.0]), torch.Size([3])).to_dense())
print(torch.sparse.spdiags(torch.ones(2, 3), torch.tensor([0, 1]), (3, 3)).to_dense())
for wrong in (
    lambda: twice.values(),
    lambda: twice.indices(),
    lambda: s + 1,
    lambda: s + torch.ones(2, 3),
    lambda: s.numpy(),
    lambda: s.item(),
    lambda: bool(s),
    lambda: torch.sparse.mm(s, torch.ones(2, 2)),
    lambda: torch.sparse_coo_tensor([[0], [0]], [1.0, 2.0], (2, 3)),
    lambda: torch.sparse_coo_tensor([0, 1], [1.0, 2.0], (2, 3)),
    lambda: torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (2, 3)),
    lambda: torch.sparse_coo_tensor([[-1]], [1.0]),
    lambda: s.nnz(),
):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__, error)
