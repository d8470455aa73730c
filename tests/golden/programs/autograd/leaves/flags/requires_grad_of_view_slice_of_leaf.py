import torch
x = torch.ones(2, 2, requires_grad=True)
row = x[0]
print(row.is_leaf, row.requires_grad, row.grad_fn)
row.sum().backward()
print(x.grad, row.grad is None)
