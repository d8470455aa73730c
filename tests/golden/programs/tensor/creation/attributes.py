import torch
x = torch.zeros(2, 3, requires_grad=True)
y = (x + 1).sum(dim=0)
print(x.shape, x.size(), x.size(0), x.dim(), x.ndim, x.numel(), len(x))
print(x.dtype, y.dtype, x.is_leaf, y.is_leaf, x.requires_grad, y.requires_grad)
print(x.grad_fn, y.grad_fn.name(), x.grad, y.shape[0], tuple(x.shape))
print(type(x), x.device, x.T.shape, x.t().shape)
