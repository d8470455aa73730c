import torch
x = torch.ones(3, requires_grad=True)
seed = torch.ones(3)
y = x * 2
y.register_hook(lambda g: print(g is seed, g.data_ptr() == seed.data_ptr()) or g.mul_(5))
y.backward(seed)
print(seed, seed._version, x.grad)
z = x * 2
z.grad_fn.register_prehook(lambda gs: print(gs[0].data_ptr() == seed.data_ptr()))
z.backward(seed)
print(x.grad)
leaf = torch.zeros(3, requires_grad=True)
leaf.register_hook(lambda g: g.add_(1))
leaf.backward(seed)
print(leaf.grad, seed, leaf.grad is seed)
leaf.backward(seed)
print(leaf.grad, seed)
