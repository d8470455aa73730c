import torch
x = torch.zeros(3, requires_grad=True)
v = torch.tensor([1., 2., 3.], requires_grad=True)
y = x * 1
y.index_put_((torch.tensor([0, 0, 2]),), v, accumulate=True)
print(y, y.grad_fn)
(y * torch.tensor([1., 10., 100.])).sum().backward()
print(x.grad, v.grad)
