import torch
from torch.autograd.graph import register_multi_grad_hook
a = torch.tensor(1., requires_grad=True)
b = torch.tensor(2., requires_grad=True)
c = torch.tensor(3., requires_grad=True)
def fn(grads):
    print("all", [None if g is None else g.item() for g in grads])
h = register_multi_grad_hook((a, b, c), fn)
(a * b).backward()
(a * b * c).backward()
h.remove()
(a * b * c).backward()
h = register_multi_grad_hook([a, b], lambda g: print("any", g), mode="any")
(a * b).backward()
(b * c).backward()
h.remove()
try:
    register_multi_grad_hook([a, b], fn, mode="some")
except Exception as e:
    print(type(e).__name__, e)
x = a * 2
y = b * 3
register_multi_grad_hook((x, y), lambda gs: print("xy", gs))
(x + y).backward()
