import torch
x = torch.zeros(3)
w = torch.tensor(2., requires_grad=True)
print(x.requires_grad, x.is_leaf)
x[1] = w
print(x.requires_grad, x.is_leaf, x.grad_fn)
x.sum().backward()
print(w.grad)
