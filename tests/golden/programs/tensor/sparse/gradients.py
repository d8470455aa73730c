import warnings

import torch
import torch.nn.functional as F

warnings.simplefilter("ignore")  # PyTorch tells that sparse tensors are not checked

torch.manual_seed(0)
edges = torch.tensor([[0, 0, 1, 2, 2], [1, 2, 0, 2, 2]])
w = torch.rand(5, requires_grad=True)
x = torch.randn(3, 2, requires_grad=True)
adjacency = torch.sparse_coo_tensor(edges, w, (3, 3))
print(adjacency, adjacency.requires_grad, adjacency.is_leaf)
out = torch.sparse.mm(adjacency, x)
print(out)
out.pow(2).sum().backward(retain_graph=True)
print(w.grad, x.grad)
w.grad = x.grad = None
(adjacency.coalesce() @ x).sum().backward(retain_graph=True)
print(w.grad, x.grad)
w.grad = None
g = adjacency.coalesce()
print(g, g.values(), g.to_dense(), g.t(), torch.sparse.softmax(g, 1), g * 2, torch.sparse.sum(g), g.detach().requires_grad)
(torch.sparse.softmax(g, 1).to_dense() * torch.arange(9.0).view(3, 3)).sum().backward(retain_graph=True)
print(w.grad)
first, = torch.autograd.grad((torch.sparse.mm(g, x) ** 3).sum(), x, create_graph=True)
print(torch.autograd.grad(first.sum(), (w, x)))
leaf = torch.tensor([[1.0, 0.0], [0.0, 2.0]]).to_sparse().requires_grad_()
print(leaf)
(torch.sparse.mm(leaf, torch.ones(2, 2)) ** 2).sum().backward()
print(leaf.grad, leaf.grad.to_dense())
del leaf
dense = torch.tensor([[1.0, 0.0], [3.0, 2.0]], requires_grad=True)
kept = dense.to_sparse()
print(kept, kept.to_dense())
((kept.to_dense() ** 2).sum() + torch.sparse.sum(kept * 3)).backward()
print(dense.grad)
dense.grad = None
(torch.ones(2, 2, requires_grad=True) + kept + kept * dense).sum().backward()
print(dense.grad)


class Spmm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, indices, values, shape, b):
        a = torch.sparse_coo_tensor(indices, values, shape)
        ctx.save_for_backward(a, b)
        return torch.matmul(a, b)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        places = a._indices()
        return None, (g @ b.t())[places[0], places[1]], None, a.t().matmul(g)


w.grad = x.grad = None
F.elu(Spmm.apply(edges, w, torch.Size([3, 3]), x)).sum().backward()
print(w.grad, x.grad)
net = torch.nn.Module()
net.register_buffer("adjacency", adjacency.detach())
print(list(net.state_dict()), net.adjacency.is_sparse)
