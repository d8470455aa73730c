import torch
x = torch.tensor(1., requires_grad=True)
print(x.grad_fn, x.is_leaf, x.output_nr, x._version, x._base, x._grad, x.retains_grad, x._backward_hooks)
y = x * 2
print(y.output_nr, y.retains_grad, y._backward_hooks)
print(x.requires_grad_(False).requires_grad, x.requires_grad_().requires_grad)
print(x.is_floating_point(), x.layout, x.device, x.is_sparse, x.is_cuda, x.names if hasattr(x, 'names') else None)
t = torch.zeros(2, requires_grad=True).T if False else torch.zeros(2, 2, requires_grad=True).T
print(t, t.is_leaf)
