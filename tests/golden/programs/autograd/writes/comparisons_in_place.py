import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
for name in ("eq_", "ne_", "lt_", "le_", "gt_", "ge_", "greater_", "not_equal_"):
    y = getattr(x.clone(), name)(torch.tensor([1.0, 2.5, 0.0]))
    print(name, y, torch.autograd.grad(y.sum(), x)[0])
print(x.clone().lt_(2), torch.tensor([1, 2]).eq_(1.5))
print(torch.ldexp(x, torch.tensor([1, 2, 3])), torch.round(x, decimals=0))
print(torch.tensor([2, 1, -1]) ** torch.tensor([-1, -2, -3]), 2 ** torch.tensor([1, -1]))
print(torch.gradient(torch.arange(5.0, requires_grad=True) ** 2, spacing=0.5))
print(torch.histogram(torch.tensor([1.0, 2.0, 1.0]), bins=4, range=(0.0, 3.0)))
print(torch.unravel_index(torch.tensor([4, 1]), (3, 2)))
torch.ones(2).float_power_(2)
