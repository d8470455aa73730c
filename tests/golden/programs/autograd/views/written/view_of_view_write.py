import torch
x = torch.arange(12., requires_grad=True)
y = x.clone()
a = y.view(3, 4)
b = a[1]
c = b[::2]
c.fill_(7)
print(y)
print(a.grad_fn, b.grad_fn, c.grad_fn, y.grad_fn)
(y ** 2).sum().backward()
print(x.grad)
