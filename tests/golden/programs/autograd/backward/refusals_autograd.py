import torch
x = torch.tensor([1., 2.], requires_grad=True)
c = torch.tensor([1., 2.])
y = x * 2
tries = [
    lambda: y.backward(),
    lambda: y.backward(torch.ones(3)),
    lambda: y.backward(torch.ones(2, 1)),
    lambda: y.backward('x'),
    lambda: y.backward(torch.ones(2), retain_grap=True),
    lambda: c.backward(),
    lambda: c.sum().backward(),
    lambda: torch.autograd.backward([y, y], [torch.ones(2)]),
    lambda: torch.autograd.backward(y),
    lambda: torch.autograd.grad(y, x),
    lambda: torch.autograd.grad(y.sum(), c),
    lambda: torch.autograd.grad(y.sum(), torch.ones(2, requires_grad=True)),
    lambda: torch.autograd.grad(c.sum(), x),
    lambda: torch.autograd.grad(y, x, torch.ones(3)),
    lambda: torch.autograd.grad(y.sum(), []),
    lambda: setattr(x, 'grad', torch.ones(3)),
    lambda: setattr(x, 'grad', 1.),
    lambda: setattr(x, 'grad', torch.ones(2, dtype=torch.float64)),
    lambda: setattr(y, 'requires_grad', False),
    lambda: y.requires_grad_(False),
    lambda: c.retain_grad(),
    lambda: x.numpy(),
    lambda: x.add_(1),
    lambda: x.zero_(),
    lambda: x.t().mul_(2),
    lambda: x.view(2, 1).fill_(0),
]
for number, attempt in enumerate(tries):
    try:
        print(number, attempt())
    except Exception as error:
        print(number, type(error).__name__, error)
