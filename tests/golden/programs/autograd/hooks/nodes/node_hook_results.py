import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
n = y.grad_fn
for bad in [lambda a, b: 5, lambda a, b: (), lambda a, b: (torch.ones(3), None), lambda a, b: 'x', lambda a, b: [torch.ones(2), None], lambda a: None]:
    h = n.register_hook(bad)
    try:
        y.sum().backward(retain_graph=True)
        print('ok', x.grad)
    except Exception as e:
        print(type(e).__name__, e)
    h.remove()
for bad in [lambda a: 5, lambda a: (), lambda a: (torch.ones(3),), lambda a: torch.ones(2), lambda a: [torch.ones(2)], lambda a, b: None]:
    h = n.register_prehook(bad)
    try:
        y.sum().backward(retain_graph=True)
        print('ok', x.grad)
    except Exception as e:
        print(type(e).__name__, e)
    h.remove()
