import torch

plain = torch.arange(12.).reshape(3, 4)
matrix = torch.arange(12.).reshape(3, 4).requires_grad_()
vector = torch.tensor([3., 1., 2., 1., 0.5], requires_grad=True)
cube = torch.arange(24.).reshape(2, 3, 4).requires_grad_()
scalar = torch.tensor(2., requires_grad=True)
idx = torch.tensor([0, 2])


def ones(*size):
    return torch.ones(*size).requires_grad_()


def show(result):
    print(result)
    parts = result if isinstance(result, (tuple, list)) else [result]
    for part in parts:
        if isinstance(part, torch.Tensor) and part.requires_grad:
            weights = torch.arange(1., 1 + part.numel()).reshape(part.shape)
            try:
                (part * weights).sum().backward()
            except RuntimeError as error:
                print(error)


show(vector.sort(descending=True))
show(vector.sort(0, True))
show(torch.sort(vector, stable=True))
show(torch.sort(vector, dim=0, descending=True, stable=True))
show(vector.sort().values)
show(torch.sort(matrix, 0))
show(matrix.sort(dim=1)[1])
show(torch.msort(vector))
show(vector.msort())
show(vector.argsort())
show(torch.argsort(vector, dim=-1, descending=True, stable=True))
show(vector.topk(2))
show(torch.topk(matrix, 2, dim=0, largest=False))
show(vector.topk(k=3, sorted=True))
show(vector.topk(2).indices)
show(vector.kthvalue(2))
show(matrix.kthvalue(2, 0, keepdim=True))
show(vector.unique())
show(torch.unique(vector.detach(), return_inverse=True, return_counts=True))
show(torch.tensor([[1, 2], [1, 2], [0, 1]]).unique(dim=0, return_inverse=True, return_counts=True))
show(torch.tensor([1, 1, 2, 2, 1]).unique_consecutive(return_inverse=True, return_counts=True))
show(torch.unique_consecutive(torch.tensor([[1, 1], [1, 1], [0, 1]]), dim=0))
show(torch.unique(torch.tensor([3, 1, 2, 1]), sorted=False))
show(torch.unique(torch.tensor([True, False, True])))
show(torch.searchsorted(torch.tensor([1, 3, 5, 7]), torch.tensor([[3, 6]])))
show(torch.searchsorted(torch.tensor([1., 3, 5, 7]), 4))
show(torch.searchsorted(torch.tensor([1., 3, 5, 7]), torch.tensor([3., 4.]), side='right'))
show(torch.searchsorted(torch.tensor([1., 3, 5, 7]), torch.tensor([3., 4.]), right=True, out_int32=True))
show(torch.searchsorted(torch.tensor([5., 1., 3.]), torch.tensor([3., 4.]), sorter=torch.tensor([1, 2, 0])))
show(torch.bucketize(torch.tensor([0., 2., 9.]), torch.tensor([1., 3.])))
show(torch.bucketize(3, torch.tensor([1., 3.]), right=True))
show(torch.bincount(torch.tensor([0, 1, 1, 5])))
show(torch.tensor([0, 1, 1]).bincount(weights=torch.tensor([.5, 1., 2.]), minlength=5))
show(torch.histc(torch.tensor([1., 2., 1.]), bins=4, min=0, max=3))
show(vector.detach().histc(4))
show(torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2])))
show(torch.isin(torch.tensor([1, 2, 3]), 2))
show(torch.isin(2, torch.tensor([2])))
show(torch.nonzero(torch.tensor([0, 1, 2])))
show(torch.nonzero(matrix>5, as_tuple=True))
show(torch.tensor([0, 3]).nonzero())
show(torch.argwhere(matrix>5))
show(torch.where(matrix>5))
show(torch.where(matrix>5, matrix, 0.))
show(matrix.where(matrix>5, torch.tensor(1.)))
show(matrix.repeat(2, 2))
show(matrix.repeat((1, 2)))
show(vector.repeat(3, 1))
show(matrix.tile((2, )))
show(torch.tile(matrix, (2, 1, 1)))
print(matrix.grad, vector.grad, cube.grad, scalar.grad)
