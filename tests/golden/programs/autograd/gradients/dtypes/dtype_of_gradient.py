import torch
a = torch.ones(2, dtype=torch.float32, requires_grad=True)
b = torch.ones(2, dtype=torch.float64, requires_grad=True)
c = a * b
print(c.dtype, c.grad_fn, c.grad_fn.next_functions)
c.sum().backward()
print(a.grad.dtype, b.grad.dtype)
i = torch.tensor([1, 2])
d = a * i
print(d.dtype)
d.sum().backward()
print(a.grad)
