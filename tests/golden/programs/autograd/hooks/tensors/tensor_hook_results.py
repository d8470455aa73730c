import torch
x = torch.tensor([1., 2.], requires_grad=True)
for bad in [lambda g: 5, lambda g: torch.ones(3), lambda g: 'x', lambda g: (g,), lambda g: g.double(), lambda g: g.sum(), lambda: None, lambda g: g.expand(2, 2), lambda g: g.view(2, 1)]:
    h = x.register_hook(bad)
    try:
        (x * 3).sum().backward()
        print('ok', x.grad)
    except Exception as e:
        print(type(e).__name__, e)
    h.remove()
try:
    x.register_hook(5)
    (x * 3).sum().backward()
except Exception as e:
    print(type(e).__name__, e)
