import torch
leaves = [torch.ones(1, requires_grad=True) for _ in range(6)]
for i, t in enumerate(leaves):
    t.register_hook(lambda g, i=i: print("leaf", i))
torch.cat(leaves).sum().backward()
