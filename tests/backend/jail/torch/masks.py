import torch

x = torch.arange(20.0, requires_grad=True)
mask = x > 9
y = x * 1
y[mask] = 0.0
y[[0, 1],] = 5.0
assert y.sum() == 10 + sum(range(2, 10))
assert x[mask].sum() == sum(range(10, 20))
assert x.masked_select(mask).numel() == 10
assert x.masked_fill(mask, -1).sum() == 45 - 10
assert x.masked_scatter(mask, torch.zeros(10)).sum() == 45
assert torch.where(mask, x, 0.0).sum() == sum(range(10, 20))
assert mask.nonzero().shape == (10, 1)
assert torch.take(x, torch.tensor([3])).item() == 3
assert torch.nn.functional.embedding(torch.tensor([1]), torch.ones(3, 2) * 4, max_norm=1.0).norm() <= 1.0001
y.sum().backward()
assert x.grad.tolist() == [0.0, 0.0] + [1.0] * 8 + [0.0] * 10
