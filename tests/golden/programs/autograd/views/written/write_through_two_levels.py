import torch
x = torch.zeros(2, 3, requires_grad=True)
b = x + 1
r = b[1]
s = r[1:]
s *= 4
r += 1
b *= 2
print(b, r, s)
print(b.grad_fn, r.grad_fn, s.grad_fn)
print(b.grad_fn.next_functions)
b.sum().backward()
print(x.grad)
