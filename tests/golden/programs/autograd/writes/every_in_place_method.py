import warnings
import torch
warnings.simplefilter("ignore")
def show(n, depth=3):
    if n is None: return 'None'
    if depth == 0: return '.'
    return n.name() + '(' + ','.join(show(m, depth - 1) for m, _ in n.next_functions) + ')'
names = [m for m in sorted(dir(torch.Tensor)) if m.endswith('_') and not m.endswith('__') and not m.startswith('_')]
skip = {'subtract_', 'xlogy_', 'digamma_', 'lgamma_', 'mvlgamma_', 'polygamma_', 'apply_', 'map_', 'map2_', 'set_', 'resize_', 'resize_as_', 'share_memory_', 'sparse_resize_', 'sparse_resize_and_clear_', 'as_strided_scatter_', 'rename_', 'requires_grad_', 'names_', 'align_'}
x = torch.tensor([[1., 2., 3.], [3., 4., 5.], [6., 7., 8.]], requires_grad=True)
for n in names:
    if n in skip: continue
    for args in [(), (2,), (torch.tensor([[0.5, 2.], [1., 3.]]),), (0, 1), (torch.tensor([[True, False], [False, True]]), 5.), (1, torch.tensor([[0, 1], [1, 0]]), torch.ones(2, 2)), (torch.ones(2), torch.ones(2)), (torch.ones(2, 2), torch.ones(2, 2)), (0, torch.tensor([0]), 2.), (0, torch.tensor([0]), torch.ones(1, 2)), ((torch.tensor([0]),), torch.tensor(5.))]:
        b = x * 1
        y = b[1:, :2]
        try:
            r = getattr(y, n)(*args)
        except Exception as e:
            continue
        if n in ('normal_', 'uniform_', 'bernoulli_', 'random_', 'exponential_', 'cauchy_', 'geometric_', 'log_normal_'):
            print(n, len(args), r is y, y._version, show(y.grad_fn)); continue
        print(n, len(args), r is y, y._version, y.requires_grad, show(y.grad_fn), show(b.grad_fn))
        try:
            g, = torch.autograd.grad(b, x, torch.ones_like(b), allow_unused=True)
            print('   ', None if g is None else [round(v, 2) for v in g.flatten().tolist()])
        except Exception as e:
            print('   ', type(e).__name__, str(e)[:300])
