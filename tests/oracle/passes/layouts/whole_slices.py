import torch

x = torch.arange(9.0).reshape(3, 3).requires_grad_()
for key in (
    slice(None),
    (slice(None),),
    (..., slice(3)),
    (slice(3), slice(0, 3)),
    (slice(None), slice(1, None)),
    slice(-3, None),
    ...,
):
    x[key].pow(2).sum().backward()
scale = torch.ones(1, 3, requires_grad=True)
y = x * 2
y[:, :3] = scale[:, : x.size(1)]
y[:] += x
y[:, :] *= scale
(y[:3, None] * x[..., None, :3]).sum().backward()
