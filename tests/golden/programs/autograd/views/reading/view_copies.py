import torch

x = torch.randn(2, 3, requires_grad=True)


def T(f, *a, **k):
    try:
        r = f(*a, **k)
        print(
            f.__name__,
            [
                (
                    t.grad_fn.name() if t.grad_fn else None,
                    tuple(t.shape),
                    t.stride(),
                    [i[0].name() if i[0] else None for i in t.grad_fn.next_functions] if t.grad_fn else None,
                )
                for t in (r if isinstance(r, (tuple, list)) else [r])
            ],
        )
    except Exception as e:
        print(f.__name__, type(e).__name__, str(e).split("\n")[0])


T(torch.squeeze_copy, x, 0)
T(torch.squeeze_copy, x, (0, 1))
T(torch.split_copy, x, 1)
T(torch.split_with_sizes_copy, x, [1, 1])
T(torch.unbind_copy, x, 1)
T(torch.expand_copy, x, (4, 2, 3))
T(torch.view_copy, x, (6,))
pass
T(torch.select_copy, x, 0, 1)
T(torch.slice_copy, x, 0, 0, 1)
T(torch.slice_copy, x)
T(torch.as_strided_copy, x, (2, 2), (1, 2))
T(torch.transpose_copy, x, 0, 1)
T(torch.t_copy, x)
T(torch.permute_copy, x, (1, 0))
T(torch.unfold_copy, x, 1, 2, 1)
T(torch.alias_copy, x.t())
T(torch.diagonal_copy, x)
T(torch.expand_copy, x.detach(), (4, 2, 3))
T(torch.as_strided_scatter, x, torch.ones(2, 2, requires_grad=True), (2, 2), (1, 2))
T(x.as_strided_scatter, torch.ones(3), (2, 2), (1, 2))
print(
)
n = torch.tensor([[1, 0], [2, 3]])
print(torch.nonzero_static(n, size=2), torch.nonzero_static(n, size=5, fill_value=7), n.nonzero_static(size=1))
T(torch.nonzero_static, n, size=-1)

T(torch.fill, x, 2.0)
T(torch.fill, x, torch.tensor(2.0, requires_grad=True))
T(torch.fill, x, torch.ones(2))
T(torch.zero_, x)
T(torch.fill_, x.detach().clone(), 3)
T(torch.resolve_neg, x)
T(torch.resolve_conj, x)
T(torch.view_as, x, x) if hasattr(torch, "view_as") else 0
T(torch.as_strided_, torch.zeros(4), (2,), (2,))
