import torch
x = torch.tensor([1., 2.], requires_grad=True)
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
def run(hook):
    y = x * 2
    y.register_hook(hook)
    y.sum().backward()
    return x.grad
def named(g):
    return g.unsqueeze(0)
attempt(lambda: run(named))
attempt(lambda: run(lambda g: g[:1]))
attempt(lambda: run(lambda g: 3))
attempt(lambda: run(lambda g: (g,)))
attempt(lambda: run(lambda: None))
attempt(lambda: run(lambda g: g.long()))
attempt(lambda: run(lambda g: None))
attempt(lambda: run(lambda g: g.mul_(5)))
def bad(g):
    raise ValueError("in hook")
attempt(lambda: run(bad))
attempt(lambda: torch.ones(2).register_hook(lambda g: g))
class Callable_:
    def __call__(self, g):
        return g + 1
attempt(lambda: run(Callable_()))
def node(hook, pre=False):
    y = x.exp()
    (y.grad_fn.register_prehook if pre else y.grad_fn.register_hook)(hook)
    y.sum().backward()
    return x.grad
attempt(lambda: node(lambda gi, go: gi[0]))
attempt(lambda: node(lambda gi, go: (gi[0], gi[0])))
attempt(lambda: node(lambda gi, go: (None,)))
attempt(lambda: node(lambda go: go[0], True))
attempt(lambda: node(lambda go: (go[0] * 3,), True))
attempt(lambda: node(lambda go: (go[0][:1],), True))
h = x.register_hook(lambda g: g)
print(type(h).__name__, h.id >= 0)
with x.register_hook(lambda g: g * 100):
    x.grad = None
    x.sum().backward()
print(x.grad)
x.sum().backward()
print(x.grad)
