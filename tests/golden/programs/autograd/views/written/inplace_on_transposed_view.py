import torch
x = torch.ones(2, 3, requires_grad=True)
b = x * 1
t = b.t()
t[0] = torch.tensor([5., 6.])
t.mul_(torch.tensor([[1.], [2.], [3.]]))
print(b)
print(t.grad_fn, b.grad_fn)
(b * torch.arange(6.).view(2, 3)).sum().backward()
print(x.grad)
