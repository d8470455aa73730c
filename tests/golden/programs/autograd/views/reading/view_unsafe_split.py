import torch
x = torch.ones(4, requires_grad=True)
y = x * 1
a, b = torch.unsafe_split(y, 2)
print(a.grad_fn, b._is_view())
a.mul_(3)
print(a.grad_fn)
(a.sum() + b.sum()).backward()
print(x.grad)
a, b = torch.unsafe_chunk(x * 2, 2)
print(a.grad_fn)
