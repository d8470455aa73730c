import torch

n = [0]


def S(make, f):
    n[0] += 1
    try:
        x = make()
        b = x
        r = f(x)
        print(n[0], x.tolist() if x.numel() < 30 else x.shape, x._version, x.grad_fn.name() if x.grad_fn else None)
        if x.grad_fn is not None:
            print("    ", [f[0].name() if f[0] else None for f in x.grad_fn.next_functions])
    except Exception as e:
        print(n[0], type(e).__name__, str(e).split("\n")[0])


def P():
    return torch.arange(6.0).view(2, 3)


def G():
    return torch.arange(6.0, requires_grad=True).view(2, 3) * 1


def L():
    return torch.zeros(2, 3, requires_grad=True)


def I():
    return torch.arange(6).view(2, 3)


i = torch.tensor([0, 1])
m = torch.tensor([[True, False, True], [False, True, False]])
w = torch.ones(3, requires_grad=True)


def st(k, v):
    def f(x):
        x[k] = v

    return f


for mk in (P, G):
    for k, v in [
        (0, 1.0),
        (0, torch.tensor(2.0)),
        (0, w),
        (0, torch.ones(2)),
        (0, torch.ones(1, 3)),
        (0, torch.ones(1, 1, 3)),
        ((0, 0), torch.ones(1)),
        ((0, 0), torch.ones(1, 1)),
        ((0, 0), torch.ones(2)),
        ((slice(None), 0), torch.ones(2)),
        ((i,), w),
        ((i, i), torch.ones(2)),
        ((i, i), torch.ones(3)),
        ((i, i), 5),
        (m, 5.0),
        (m, torch.ones(3)),
        (m, torch.ones(2)),
        (m, torch.tensor(1.0)),
        (m, torch.ones(1)),
        (m, torch.ones(1, 3)),
        (None, 1.0),
        (Ellipsis, 2.0),
        (True, 3.0),
        (False, 3.0),
        (slice(None), w),
        (slice(0, 0), 1.0),
        (slice(0, 0), torch.ones(2)),
        ([0, 1], 1.0),
        ([[0, 1], [1, 2]], 9.0),
        (slice(None, None, -1), 1.0),
        (5, 1.0),
        ((0, 5), 1.0),
        ((0, 0, 0), 1.0),
        (torch.tensor([5]), 1.0),
        (torch.tensor([0.0]), 1.0),
        ("a", 1.0),
        (1.5, 1),
        (0, [1.0, 2.0, 3.0]),
        (0, (1, 2, 3)),
        (0, "a"),
        (0, None),
        (0, 1j),
        (0, torch.ones(3, dtype=torch.int64)),
        (i, torch.ones(2, 3, dtype=torch.float64)),
        ((i, i), torch.ones(2, dtype=torch.int64)),
        (m, torch.ones(3, dtype=torch.int64)),
        (m, torch.tensor(1)),
        (i, torch.tensor(1)),
        ((i, i), True),
        (torch.tensor(1), 7.0),
        (torch.tensor(1), w),
        (torch.tensor(True), 4.0),
        ((Ellipsis, 0), 8.0),
        ((Ellipsis, i), w[:2]),
        ((slice(None), None, 0), 1.0),
        ((None, 0), w),
        ((i, slice(0, 2)), torch.ones(2, 2)),
        ((slice(0, 2), i), torch.ones(3, 3)),
        (range(2), 1.0),
        ((0, [0, 2]), torch.tensor([1.0, 2.0])),
        ((0, [0, 2]), torch.tensor([1.0, 2.0, 3.0])),
        ((torch.tensor([], dtype=torch.long),), 1.0),
        ((torch.tensor([], dtype=torch.long),), torch.ones(3)),
        (torch.tensor([1, 0], dtype=torch.uint8), 1.0),
        ((0, m[0]), 1.0),
        ((m[:, 0],), w),
        ((m[:, 0],), torch.ones(2, 3)),
        ((slice(None), m[0]), torch.ones(2, 2)),
        ((slice(None), m[0]), torch.ones(2)),
        ((0, 0), w[0]),
        ((0, 0), w[:1]),
        ((i, i), w[:2]),
        (m, w),
    ]:
        S(mk, st(k, v))
S(L, st(0, 1.0))
S(L, st((i, i), 1.0))
S(L, st(m, 1.0))
S(lambda: L()[0], st(0, 1.0))
S(lambda: L().view(6), st(i, 1.0))
S(I, st(0, 1.5))
S(I, st(0, torch.ones(3) * 1.7))
S(I, st((i, i), torch.ones(2) * 1.7))
S(I, st((i, i), 2.7))
S(I, st(m, 2.7))
S(I, st(0, True))
S(I, st(0, w))
S(I, st((i, i), w[:2]))


def f1(x):
    x[0] += 1


def f2(x):
    x[m] *= 2


def f3(x):
    x[..., None] *= 2


def f4(x):
    x[i, i] += torch.ones(2)


def f5(x):
    x[0][1] = 9


def f6(x):
    x[i][0] = 9


def f7(x):
    x[0, :] -= w


def f8(x):
    x[:, 1] = x[:, 0]


def f9(x):
    x[0] = x[1] * 2


def f10(x):
    x[1:] = x[:-1]


def f11(x):
    x.t()[0] = 5


def f12(x):
    x[m] += w


def f13(x):
    x += x[0]


def f14(x):
    x[:, 0] = x


def f15(x):
    x[0:1] /= 2


def f16(x):
    x[0] **= 2


for f in (f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16):
    S(P, f)
    S(G, f)
    S(L, f)
z = lambda: torch.zeros(0, 3, requires_grad=True) * 1
S(z, st(slice(None), 1.0))
S(z, st(slice(None), w))
S(z, st(slice(None), torch.ones(3)))
S(z, lambda x: x.copy_(torch.ones(0, 3, requires_grad=True)))
S(z, st((slice(None), 0), torch.ones(0, requires_grad=True)))
S(z, lambda x: x.copy_(w))
S(lambda: torch.zeros(0, 3), st(slice(None), w))
S(lambda: torch.zeros(0, 3), st(Ellipsis, torch.ones(0, 3, requires_grad=True)))
S(lambda: torch.zeros(2, 3), st(slice(0, 0), w))
S(lambda: torch.zeros(2, 3), st(slice(0, 0), torch.zeros(0, 3, requires_grad=True)))
S(lambda: torch.zeros(2, 3), st(slice(None), w))
S(lambda: torch.zeros(2, 3), st(Ellipsis, w))
S(lambda: torch.zeros(()), st(Ellipsis, w.sum()))
S(lambda: torch.zeros(()), st((), w.sum()))
S(lambda: torch.zeros(()), st(0, 1.0))
S(lambda: torch.zeros(()), st(None, 1.0))
S(lambda: torch.zeros(()), st(True, 1.0))
S(lambda: torch.zeros(()), st(slice(None), 1.0))
S(P, lambda x: x.index_put_((i, i), torch.tensor(5.0)))
S(P, lambda x: x.index_put_((i,), torch.ones(3), accumulate=True))
S(G, lambda x: x.index_put_((i, i), w[:2], True))
S(P, lambda x: x.index_put_((i, i, i), torch.tensor(5.0)))
S(P, lambda x: x.index_put_((m,), torch.tensor(5.0)))
S(P, lambda x: x.index_put_((torch.tensor([4]),), torch.tensor(5.0)))
S(P, lambda x: x.index_put_((i, i), torch.tensor(5)))
S(P, lambda x: x.index_put_((i.float(), i), torch.tensor(5.0)))
S(P, lambda x: x.index_put_((i, i), torch.ones(3)))
S(P, lambda x: x.index_put_([None, i], torch.ones(2, 2)))
S(P, lambda x: x.index_put_((), torch.ones(2)))
