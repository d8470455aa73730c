import torch
x = torch.zeros(2, 3)
print(x.shape, x.shape[0], x.shape[-1], len(x.shape), x.shape == (2, 3), x.shape.numel())
print(x.size(), x.size(1), list(x.size()), tuple(x.shape), x.shape[:1])
print(torch.Size([2, 3]) == x.shape, torch.zeros(x.shape).shape, torch.zeros(*x.shape).shape)
print(f'{x.shape} {x.dtype} {x.ndim} {x.numel()}')
a, b = x.shape
print(a * b, x.view(a * b).shape, x.t().shape, x.is_contiguous(), x.t().is_contiguous(), x.stride(), x.t().stride())
