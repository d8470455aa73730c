import torch
x = torch.ones(3, 1, requires_grad=True)
e = x.expand(3, 4)
print(e.grad_fn, e._is_view(), e.stride())
(e * torch.arange(4.)).sum().backward()
print(x.grad)
