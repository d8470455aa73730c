import torch
from torch.func import vmap, grad
x = torch.arange(6.).reshape(2, 3)
print(vmap(lambda v: v.topk(2).values)(x), vmap(lambda v: v.max(0).values)(x), vmap(torch.linalg.norm)(x), vmap(lambda v: torch.stack([v, v]))(x).shape, vmap(lambda v: v.cumsum(0))(x), vmap(lambda a, b: torch.cat([a, b]), in_dims=(0, 0))(x, x).shape, vmap(lambda v: v.clone().add_(1))(x), vmap(lambda v: {'a': v, 'b': (v.sum(),)})(x), vmap(lambda v: v.view(3, 1))(x).shape)
print(vmap(lambda v: v * 2, out_dims=-1)(x), vmap(lambda v: v, in_dims=1, out_dims=1)(x), vmap(lambda v: torch.nn.functional.softmax(v, -1))(x), vmap(lambda i: x[0, i])(torch.tensor([0, 2])))
y = x.clone().requires_grad_(); z = vmap(lambda v: (v ** 2).sum())(y); print(z, z.grad_fn is not None); z.sum().backward(); print(y.grad)
print(grad(lambda w: vmap(lambda v: (w * v).sum())(x).sum())(torch.ones(3)), vmap(grad(lambda v: v.prod()))(x))
