import torch
from torch.func import vmap, grad, jacrev
x = torch.arange(6.).reshape(3, 2)
def f(v):
    print('in f', v.shape)
    w = v * 2
    print(w)
    print('sum:', w.sum())
    return w.sum()
print(vmap(f)(x))
c = torch.tensor([10., 20.])
def g(v):
    print(c, v + c)
    print(str(v.sum()) + '!')
    return v @ c
print(vmap(g)(x))
def h(v, s):
    print(v, s)
    return v * s
print(vmap(h, in_dims=(0, None))(x, torch.tensor(3.)))
lines = []
def k(v):
    lines.append(str(v))
    return v
vmap(k)(x[:, 0]); print(lines[0])
def loss(w, a): 
    print(w, a)
    return (w * a).sum()
print(vmap(grad(loss), in_dims=(None, 0))(torch.ones(2), x))
print(grad(lambda w: vmap(lambda a: (w * a).sum())(x).sum())(torch.ones(2)))
y = torch.ones(2, requires_grad=True)
print(vmap(lambda a: a * y)(x))
def bad(v):
    print('start', v)
    return v.item()
vmap(bad)(x[:, 0])
