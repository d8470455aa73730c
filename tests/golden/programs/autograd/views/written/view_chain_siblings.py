import torch
x = torch.ones(2, 2, requires_grad=True)
y = x + 0
r0, r1 = y[0], y[1]
r0 *= 2
r1 *= 3
print(y)
print(r0.grad_fn, r1.grad_fn)
(r0.sum() + r1.sum() * 10).backward()
print(x.grad)
