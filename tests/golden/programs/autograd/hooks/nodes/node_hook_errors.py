import torch
x = torch.ones(2, requires_grad=True)
for bad in (lambda g: 3, lambda g: g[0], lambda g: (g[0], g[0])):
    y = x * 2
    y.grad_fn.register_prehook(bad)
    try:
        y.sum().backward()
    except (TypeError, RuntimeError) as e:
        print(type(e).__name__, e)
for bad in (lambda i, o: 3, lambda i, o: i[0], lambda i, o: (i[0],)):
    y = x * 2
    y.grad_fn.register_hook(bad)
    try:
        y.sum().backward()
    except (TypeError, RuntimeError) as e:
        print(type(e).__name__, e)
