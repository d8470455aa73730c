import torch
x = torch.arange(12.).view(2, 3, 2)
print(torch.vmap(torch.vmap(lambda v: v.sum()))(x))
print(torch.vmap(lambda a, k: a * k, in_dims=(0, None))(x, 2.0))
print(torch.vmap(lambda d: d["a"] + d["b"])({"a": torch.ones(2), "b": torch.arange(2.)}))
print(torch.vmap(lambda a: a, in_dims=1, out_dims=-1)(torch.arange(6.).view(2, 3)))
