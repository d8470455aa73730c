import torch
base = torch.zeros(2, 2)
v = base[0]
w = torch.tensor([1., 2.], requires_grad=True)
v.add_(w)
print(base.requires_grad, base.grad_fn, v.grad_fn)
print(base)
(base * torch.tensor([[1., 2.], [3., 4.]])).sum().backward()
print(w.grad)
