import torch
a = torch.ones(2, requires_grad=True)
b = torch.zeros(3, requires_grad=True)
c = torch.cat([a, b, a])
print(c.grad_fn, c.grad_fn.next_functions)
(c * torch.arange(7.)).sum().backward()
print(a.grad, b.grad)
s = torch.stack([a, a * 2], dim=1)
print(s, s.grad_fn)
