import torch

torch.manual_seed(3)
x = torch.randn(4, 6, requires_grad=True)
w = torch.randn(4, 6, requires_grad=True)
m = torch.randn(4, 4, requires_grad=True)
v = torch.randn(6, requires_grad=True)
index = torch.tensor([2, 0, 1, 3])
leaves = [x, w, v]
results = [
    x.index_add(0, index, w),
    x.index_copy(0, index, w),
    x.masked_scatter(x > 0, w),
    torch.fmax(x, w),
    torch.fmin(x, w),
    torch.block_diag(x, v, w),
    torch.xlogy(x, w.abs() + 1),
    torch.var_mean(x, 1)[0],
    torch.std_mean(x, 0)[1],
    torch.trapz(x),
    torch.gradient(v)[0],
    torch.gradient(v, edge_order=2)[0],
]

for y in results:
    gradients = torch.autograd.grad(y.sin().sum(), leaves, create_graph=True, allow_unused=True)
    sum((g**2).sum() for g in gradients if g is not None).backward()
