import torch
x = torch.arange(5.)
u = torch.ones(5)
for f in [lambda: x.__setitem__([0, 1, 2, 3, 4], x), lambda: x.__setitem__([[0, 1, 2, 3, 4]], x), lambda: x.__setitem__(torch.tensor([1, 2]), x[:2]), lambda: x.__setitem__(torch.tensor([1, 2]), x[2:4]), lambda: x.__setitem__([0, 7], u[:2]), lambda: x.__setitem__([0, -9], 1.), lambda: x.__setitem__(torch.tensor([0, 1]), u[:3]), lambda: x.__setitem__(slice(0, 3), u), lambda: x.__setitem__(torch.tensor([True, False, True, False, True]), u), lambda: x.__setitem__(torch.tensor([True, False]), 1.), lambda: x.index_put_((torch.tensor([0, 1]),), x[:2]), lambda: x.index_put_((torch.tensor([0, 9]),), u[:2]), lambda: x.__setitem__(torch.tensor([0, 0]), torch.tensor([3., 4.])), lambda: x.index_add_(0, torch.tensor([0, 1]), x[:2]), lambda: x.index_copy_(0, torch.tensor([0, 1]), x[:2]), lambda: x.scatter_(0, torch.tensor([0, 1]), x[:2]), lambda: x.masked_fill_(x > 2, x[0]), lambda: x.masked_scatter_(x > 2, x), lambda: x.scatter_add_(0, torch.tensor([0, 1]), x), lambda: x.index_fill_(0, torch.tensor([0, 1]), 3.), lambda: x.put_(torch.tensor([0, 1]), x[:2]), lambda: x.copy_(x), lambda: x.copy_(x.flip(0)), lambda: x[:4].copy_(x[1:]), lambda: x.__setitem__(slice(1, None), x[:-1]), lambda: x.mul_(x), lambda: x[1:].mul_(x[:-1]), lambda: x.add_(x[0]), lambda: x.lerp_(x, 0.5), lambda: x.where(x > 0, x)]:
    try:
        f()
        print('ok', x)
    except Exception as e:
        print(type(e).__name__, e)
