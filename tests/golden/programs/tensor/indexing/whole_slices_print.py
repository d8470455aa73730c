import torch
import torch.nn.functional as F

x = torch.arange(6.0).reshape(2, 3).requires_grad_()
for key in (slice(None), (slice(None),), (..., slice(3)), (slice(2), slice(0, 3)), (slice(None), slice(1, None)), slice(-2, None), ...):
    print(x[key].grad_fn.name(), x[key]._base is x)
print(x[:, : x.size(1)])
y, mean, scale = torch.native_group_norm(x[None], None, None, 1, 2, 3, 1, 1e-5)
print(y, mean, scale)
(mean.sum() + scale.sum() + (y * x).sum()).backward()
print(x.grad)
print(torch.group_norm(x, 1), F.group_norm(x, 1, torch.ones(3), torch.zeros(3)))
p = torch.tensor([-3.0, 0.0, 2.5, 9.0], requires_grad=True)
print(torch.special.ndtr(p), torch.special.ndtr(torch.tensor([1, -2])))
torch.special.ndtr(p).sum().backward()
print(p.grad)
