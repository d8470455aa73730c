import torch
from torch.func import grad, vjp, jvp, jacrev, jacfwd, hessian, vmap
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e))
x = torch.tensor([1., 2.])
y = torch.tensor([[1., 0.], [2., 3.]])
f = lambda x, y: y @ x
for j in (jacrev, jacfwd):
    attempt(lambda: j(f)(x, y))
    attempt(lambda: j(f, argnums=1)(x, y))
    attempt(lambda: j(f, argnums=(0, 1))(x, y))
    attempt(lambda: j(lambda x: (x ** 2, x.sum()))(x))
    attempt(lambda: j(lambda x: {'a': x ** 2, 'b': x.sum()})(x))
    attempt(lambda: j(lambda x: (x ** 2, x.sum()), has_aux=True)(x))
    attempt(lambda: j(lambda x: x ** 2, has_aux=True)(x))
    attempt(lambda: j(lambda x: 3)(x))
    attempt(lambda: j(lambda x: x)(torch.tensor([1, 2])))
    attempt(lambda: j(lambda x: x['a'] * 2)({'a': x}))
    attempt(lambda: j(lambda x: torch.ones(2))(x))
attempt(lambda: hessian(lambda x: (x ** 3).sum())(x))
attempt(lambda: hessian(lambda x, y: (y @ x).sum() ** 2, argnums=(0, 1))(x, y))
attempt(lambda: jacrev(jacrev(lambda x: x.prod()))(x))
attempt(lambda: jacfwd(jacrev(lambda x: x.prod()))(x))
attempt(lambda: jacrev(lambda x: x ** 2, chunk_size=1)(x))
attempt(lambda: jacrev(lambda x: x ** 2, chunk_size=0)(x))
attempt(lambda: jacrev(lambda x: x ** 2, chunk_size=-1)(x))
attempt(lambda: jacfwd(lambda x: x ** 2, randomness='different')(x))
