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


show(matrix.scatter(0, torch.tensor([[0, 1, 2, 0]]), ones(1, 4)*2))
show(matrix.scatter(dim=0, index=torch.tensor([[0, 1, 2, 0]]), src=ones(1, 4)))
show(matrix.scatter(0, torch.tensor([[0, 1, 2, 0]]), value=5))
show(matrix.scatter(1, torch.tensor([[0], [1], [2]]), -1.5))
show(matrix.clone().scatter_(1, torch.tensor([[0], [1], [2]]), -1.5))
show(matrix.clone().scatter_add_(1, torch.tensor([[0], [1], [2]]), ones(3, 1)))
show(matrix.clone().scatter_(1, torch.tensor([[0], [1], [2]]), ones(3, 1)))
show(matrix.clone().scatter_reduce_(1, torch.tensor([[0], [1], [2]]), ones(3, 1), reduce="amax", include_self=False))
show(matrix.scatter_reduce(1, torch.tensor([[0], [1], [2]]), ones(3, 1), reduce="mean"))
show(torch.scatter_reduce(matrix, 1, torch.tensor([[0], [1], [2]]), ones(3, 1), "prod"))
show(torch.zeros(3, 5).scatter_(1, torch.tensor([[1], [4], [0]]), 1))
show(torch.zeros(3, 5).scatter_(0, torch.tensor([[1, 2], [0, 0]]), torch.ones(2, 2), reduce="add"))
show(matrix.clone().index_add_(0, idx, ones(2, 4), alpha=2))
show(matrix.clone().index_copy_(0, idx, ones(2, 4)))
show(matrix.clone().index_fill_(1, idx, 7))
show(matrix.clone().index_fill_(1, idx, scalar))
show(matrix.index_fill(1, torch.tensor([0, 0]), scalar))
show(matrix.clone().index_put_((idx, idx), ones(2)))
show(matrix.index_put((idx, torch.tensor([1])), scalar, accumulate=True))
show(matrix.index_put((matrix>5, ), scalar))
show(torch.index_put(matrix, (torch.tensor([0]), ), ones(4)))
show(matrix.clone().put_(torch.tensor([0, 5]), ones(2)))
show(matrix.put(torch.tensor([0, 0]), ones(2), accumulate=True))
show(matrix.clone().masked_fill_(matrix>3, 0.))
show(matrix.masked_fill(matrix>3, scalar))
show(matrix.masked_fill(mask=matrix>3, value=float('-inf')).softmax(1))
show(matrix.clone().masked_fill_(matrix>3, scalar))
show(matrix.clone().masked_scatter_(matrix>3, ones(12)))
show(torch.masked_select(matrix, matrix>3))
show(matrix.masked_select(torch.tensor([True, False, True, False])))
show(matrix.take(torch.tensor([[0, 1], [5, -1]])))
show(matrix.take_along_dim(matrix.argsort(1, descending=True), 1))
show(torch.take_along_dim(matrix, torch.tensor([3, 1])))
show(torch.gather(matrix, 1, torch.tensor([[0, 0], [1, 0]])))
show(matrix.gather(index=torch.tensor([[0]]), dim=1))
show(matrix.index_select(1, idx))
show(vector.sort())
print(matrix.grad, vector.grad, cube.grad, scalar.grad)
