import torch
x = torch.ones(3, 4, requires_grad=True)
y = x * 2
for row in y:
    try:
        row += 1
    except RuntimeError as e:
        print(e)
        break
for name in ['chunk', 'split', 'tensor_split', 'hsplit', 'vsplit', 'unbind', 'unsafe_chunk', 'unsafe_split']:
    z = x * 2
    args = () if name == 'unbind' else (2,) if name != 'vsplit' else (3,)
    o = getattr(z, name)(*args)
    try:
        o[0].add_(1)
        print(name, 'ok', o[0].grad_fn, z.grad_fn, z._version)
    except RuntimeError as e:
        print(name, type(e).__name__, e)
