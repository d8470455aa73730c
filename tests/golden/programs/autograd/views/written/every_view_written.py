import torch
views = {'view': lambda t: t.view(2, 3, 2), 'reshape': lambda t: t.reshape(4, 3), 't': lambda t: t.t(), 'T': lambda t: t.T, 'mT': lambda t: t.mT, 'permute': lambda t: t.permute(1, 0), 'transpose': lambda t: t.transpose(0, 1),
 'select': lambda t: t.select(0, 1), 'idx': lambda t: t[1], 'neg': lambda t: t[-1], 'slice': lambda t: t[:, 1:3], 'step': lambda t: t[::2, ::3], 'none': lambda t: t[None], 'ellipsis': lambda t: t[..., 0], 'narrow': lambda t: t.narrow(1, 1, 2),
 'unsqueeze': lambda t: t.unsqueeze(1), 'squeeze': lambda t: t.squeeze(), 'squeeze0': lambda t: t.squeeze(0), 'expand': lambda t: t.expand(2, 3, 4), 'expand_as': lambda t: t.expand_as(torch.ones(2, 3, 4)), 'diagonal': lambda t: t.diagonal(), 'diag': lambda t: t.diag(),
 'unfold': lambda t: t.unfold(1, 2, 2), 'unfold1': lambda t: t.unfold(1, 3, 1), 'view_as': lambda t: t.view_as(torch.ones(4, 3)), 'flatten': lambda t: t.flatten(), 'ravel': lambda t: t.ravel(), 'unflatten': lambda t: t.unflatten(1, (2, 2)), 'movedim': lambda t: t.movedim(0, 1), 'swapdims': lambda t: t.swapdims(0, 1),
 'as_strided': lambda t: t.as_strided((2, 2), (1, 3)), 'split': lambda t: t.split(2)[0], 'chunk': lambda t: t.chunk(2)[1], 'unbind': lambda t: t.unbind()[2], 'tensor_split': lambda t: t.tensor_split(2)[0], 'hsplit': lambda t: t.hsplit(2)[1], 'detach': lambda t: t.detach(), 'alias': lambda t: t[:], 'ell': lambda t: t[...],
 'contiguous': lambda t: t.contiguous(), 'to': lambda t: t.to(torch.float32), 'real': lambda t: t.real, 'positive': lambda t: +t, 'view_dtype': lambda t: t.view(torch.float32), 'broadcast_to': lambda t: t.broadcast_to(2, 3, 4), 'atleast_3d': lambda t: torch.atleast_3d(t), 'adjoint': lambda t: t.adjoint(), 'H': lambda t: t.H, 'true': lambda t: t[True], 'split_s': lambda t: t.split([1, 2])[1], 'resolve': lambda t: t.resolve_conj(), 'swapaxes': lambda t: t.swapaxes(0, 1), 'moveaxis': lambda t: t.moveaxis(0, 1), 'dsplit': lambda t: t[None].dsplit(2)[0], 'vsplit': lambda t: t.vsplit(3)[1], 'squeezed': lambda t: t.squeeze((0, 1)), 'view_m1': lambda t: t.view(-1)}
def show(n, depth=4):
    if n is None: return 'None'
    if depth == 0: return '.'
    return n.name() + '(' + ','.join(show(m, depth - 1) for m, _ in n.next_functions) + ')'
x = torch.arange(12.).view(3, 4).requires_grad_()
for n, f in views.items():
    y = x * 2
    try:
        v = f(y)
    except Exception as e:
        print(n, type(e).__name__, e); continue
    print(n, v is y, v._is_view(), v._base is y, tuple(v.shape), v.stride(), v.storage_offset(), v.is_contiguous(), show(v.grad_fn), v.output_nr)
    for op in [lambda: v.mul_(3), lambda: v.add_(v.detach() if False else 1.), lambda: y.mul_(2), lambda: v.exp_() if False else v.sub_(1)]:
        try:
            op()
        except Exception as e:
            print('  ', type(e).__name__, e)
    try:
        print('  ', show(v.grad_fn), show(y.grad_fn), y._version)
    except Exception as e:
        print('  ', type(e).__name__, e)
    try:
        g, = torch.autograd.grad(y, x, torch.arange(12.).view(3, 4))
        print('  ', g.tolist())
    except Exception as e:
        print('  ', type(e).__name__, e)
    try:
        w = f(x * 2)
        g, = torch.autograd.grad(w, x, torch.ones_like(w))
        print('  ', g.tolist(), g.stride())
    except Exception as e:
        print('  ', type(e).__name__, e)
