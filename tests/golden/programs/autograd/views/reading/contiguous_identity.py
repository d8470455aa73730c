import torch
x = torch.ones(2, 3, requires_grad=True)
y = x * 2
c = y.contiguous()
d = y.t().contiguous()
print(c is y, d.grad_fn)
c.mul_(2)
print(y)
d.sum().backward()
print(x.grad)
