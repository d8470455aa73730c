import torch
b = torch.ones(4)
v = b[:2]
b.requires_grad_()
print(v.requires_grad, v.is_leaf, v.grad_fn)
w = b[2:]
print(w.requires_grad, w.grad_fn)
