"""A function of one's own that multiplies by a sparse matrix: given as an argument, and made of values inside of it."""
import torch

places, weights = torch.tensor([[0, 1, 1], [2, 0, 2]]), torch.tensor([3.0, 4.0, 5.0])
matrix = torch.sparse_coo_tensor(places, weights, (2, 3), check_invariants=False)


class Given(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, x):
        ctx.save_for_backward(a, x)
        return torch.sparse.mm(a, x)

    @staticmethod
    def backward(ctx, g):
        a, x = ctx.saved_tensors
        print(ctx.needs_input_grad, a.is_sparse)
        return None, torch.sparse.mm(a.t(), g)


class Made(torch.autograd.Function):
    @staticmethod
    def forward(ctx, places, values, shape, x):
        a = torch.sparse_coo_tensor(places, values, shape, check_invariants=False)
        ctx.save_for_backward(a, x)
        return torch.matmul(a, x)

    @staticmethod
    def backward(ctx, g):
        a, x = ctx.saved_tensors
        dense = g @ x.t()
        row, column = a._indices()
        return None, dense[row, column], None, a.t() @ g


x = torch.arange(6.0).reshape(3, 2).requires_grad_()
y = Given.apply(matrix, x)
y.backward(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
print(y)
print(x.grad)

x.grad = None
weights.requires_grad_()
z = Made.apply(places, weights, torch.Size([2, 3]), x)
(z ** 2).sum().backward()
print(z)
print(weights.grad, x.grad)
