"""Up to sixteen elements NumPy sorts in a way that needs no further module."""

import torch

x = torch.tensor([(i * 7) % 20 for i in range(20)], dtype=torch.float32, requires_grad=True)
count = torch.arange(20.0)
assert (torch.sort(x).values == count).all()
assert (torch.argsort(x, descending=True) == torch.sort(x, descending=True, stable=True).indices).all()
assert torch.topk(x, 3).values.tolist() == [19, 18, 17]
assert torch.topk(x, 3, largest=False).values.tolist() == [0, 1, 2]
assert torch.kthvalue(x, 5).values == 4
assert torch.median(x) == 9
assert torch.nanmedian(x) == 9
assert torch.mode(torch.tensor([1, 2, 2] * 9)).values == 2
assert torch.quantile(x, 0.5) == 9.5
assert torch.nanquantile(x, torch.tensor([0.0, 1.0])).tolist() == [0, 19]
assert (torch.unique(x) == count).all()
assert torch.unique_consecutive(torch.tensor([1, 1, 2] * 7)).numel() == 14
assert torch.unique(torch.ones(20, 2), dim=0).shape == (1, 2)
assert torch.histc(x, bins=4, min=0, max=20).tolist() == [5, 5, 5, 5]
assert torch.bincount(x.detach().long()).sum() == 20
assert (torch.searchsorted(count, x.detach()) == x.detach().long()).all()
assert torch.isin(x, count).all()
assert torch.cummax(x, 0).values[-1] == 19
assert torch.msort(x)[0] == 0
(torch.sort(x).values * count).sum().backward()
assert (x.grad == x.detach()).all()
