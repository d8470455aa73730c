import torch

torch.manual_seed(0)
x = torch.ones(3, requires_grad=True)
for y in (
    torch.normal(x, x * 2),
    torch.normal(x, 1.0),
    torch.normal(0.0, x),
    torch.bernoulli(x * 0.5),
    torch.poisson(x * 4),
):
    print(y, y.sum().backward(), x.grad)
for name, arguments in (
    ("uniform_", ()),
    ("normal_", ()),
    ("bernoulli_", ()),
    ("exponential_", ()),
    ("random_", (5,)),
    ("cauchy_", ()),
):
    y = x * 2
    z = y * y
    getattr(y, name)(*arguments)
    print(y.grad_fn, y._version)
y = x * 2
y[1:].geometric_(0.5)
y.sum().backward()
print(y.grad_fn, x.grad)
y = torch.bernoulli(x, 0.5)
try:
    y.sum().backward()
except RuntimeError as error:
    print(error)
x.uniform_()
