import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = (x * 2).sum()
f = y.grad_fn
print(f.name())
print([g[0].name() for g in f.next_functions])
print([g[0].name() if g[0] else None for g in f.next_functions[0][0].next_functions])
