import torch
x = torch.tensor([1., 2.], requires_grad=True)
v, i = (x * 2).max(0)
n = v.grad_fn
print(n, i.grad_fn, n.name())
n.register_prehook(lambda gs: print('pre', gs))
v.backward()
print(x.grad)
x.register_hook(lambda g: g * 0 + 7)
print(torch.autograd.grad((x * 2).sum(), x))
print(torch.autograd.grad((x * 2).sum(), x * 1, allow_unused=True))
