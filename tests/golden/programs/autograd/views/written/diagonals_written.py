import torch
x = torch.randn(2, 2, requires_grad=True)
y = x.clone()
y.fill_diagonal_(0.)
print(y.grad_fn.name() if y.grad_fn else None, y._version)
y.sum().backward()
print(x.grad)
y = x.clone()
y.triu_()
y[0].zero_()
y.t()[1].fill_(2.)
y.sum().backward()
print(x.grad)
y = x.clone()
y.swapaxes(0, 1).mul_(torch.tensor([[1., 2.], [3., 4.]]))
x.grad = None
y.sum().backward()
print(x.grad)
y = torch.zeros(2, 2)
y.diagonal().copy_(x[0])
y[0, 1] = x[1, 1]
x.grad = None
y.sum().backward()
print(x.grad, y.grad_fn)
