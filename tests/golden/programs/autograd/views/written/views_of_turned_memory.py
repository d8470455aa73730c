import torch
x = torch.arange(6.).reshape(2, 3).requires_grad_()
y = x.t() * 2
v = y[0]
v.mul_(5)
(v * torch.tensor([1., 10.])).sum().backward(retain_graph=True)
print(y.stride(), x.grad)
x.grad = None
w = y[:, 1]
w.mul_(3)
g, = torch.autograd.grad((y ** 2 * torch.arange(6.).reshape(3, 2)).sum(), x, create_graph=True)
print(g)
print(torch.autograd.grad((g * torch.arange(6.).reshape(2, 3)).sum(), x))
