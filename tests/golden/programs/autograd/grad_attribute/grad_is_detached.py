import torch
w = torch.ones(2, requires_grad=True)
(w * 3).sum().backward()
print(w.grad.requires_grad, w.grad.grad_fn, w.grad.is_leaf)
w.grad.requires_grad_()
w.grad.detach_()
print(w.grad.requires_grad)
