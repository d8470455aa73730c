"""Wrong dimensions, sizes, dtypes and memories, in PyTorch's own words."""

import torch
import torch.nn.functional as F

t = torch.zeros


def shown(text, function, *args, **kwargs):
    try:
        result = function(*args, **kwargs)
        print(text, tuple(result.shape) if isinstance(result, torch.Tensor) else type(result).__name__)
    except Exception as error:
        print(text, f"{type(error).__name__}: {error}")


for size in ([1], [], [3], [2, 1], [1, 3], [2, 3]):
    for name, args in (
        ("addmm", (t(2, 2), t(2, 3))),
        ("addmv", (t(5, 2), t(2))),
        ("baddbmm", (t(4, 2, 2), t(4, 2, 3))),
        ("addr", (t(2), t(3))),
        ("masked_scatter", (t(5, 5).bool(), t(5, 5))),
        ("masked_fill", (t(5, 5).bool(), 1)),
    ):
        shown(f"{name} {size}", getattr(t(size), name), *args)
        shown(f"{name}_ {size}", getattr(t(size), f"{name}_"), *args)
x = torch.arange(5.0)
for settings in (
    dict(fweights=t(5, 5)),
    dict(aweights=t(5, 5)),
    dict(fweights=t(5)),
    dict(aweights=t(2).long()),
    dict(fweights=t(2).long()),
    dict(aweights=t(2)),
    dict(fweights=torch.tensor([1, -1, 1, 1, 1])),
    dict(aweights=-torch.ones(5)),
    dict(fweights=t(5).long()),
    dict(correction=9),
    dict(correction=5),
    dict(fweights=torch.ones(5).int()),
):
    shown(f"cov {list(settings)}", torch.cov, x, **settings)
for size in ([5, 0, 5], [0], [3, 0]):
    for dim in (None, 0, -1):
        keyword = {} if dim is None else {"dim": dim}
        for name in ("aminmax", "amax", "unique", "unique_consecutive"):
            shown(f"{name} {size} {dim}", getattr(torch, name), t(size), **keyword)
for start in (torch.tensor([1, 2]), torch.tensor(True), torch.tensor(1.0), torch.tensor(1), -1, 30):
    for length in (2, -1, 30):
        shown(f"narrow {start} {length}", t(20, 3).narrow, 0, start, length)
for length in (2, -1, 30):
    shown(f"narrow_copy {length}", torch.narrow_copy, t(20, 3), 0, 1, length)
shown("narrow_copy", torch.narrow_copy, t(20, 3), 2, 0, 0)
for name, args in (
    ("roll", (0, 0)),
    ("unbind", ()),
    ("movedim", (0, 1)),
    ("movedim", ((0, 0), (0, 1))),
    ("flatten", (1, 0)),
    ("flatten", (0, 9)),
):
    shown(f"{name} of a number", getattr(torch.tensor(1.0), name), *args)
shown("t_", t(2, 3, 4).t_)
shown("movedim", t(2).movedim, (0, 1), (0,))
shown("empty_permuted", torch.empty_permuted, [2], [3])
for name in ("mean", "nanmean", "cumsum", "norm"):
    for dtype in (torch.int64, torch.bool, torch.complex64):
        args = (0,) if name == "cumsum" else ()
        if name != "nanmean" or dtype is not torch.complex64:
            shown(f"{name} {dtype}", getattr(torch, name), torch.ones(2, 2), *args, dtype=dtype)
six, index = torch.arange(6.0), torch.arange(6)
shown("gather", torch.gather, six, 0, index, out=six)
shown("take", torch.take, six, index, out=six)
shown("cat", torch.cat, [six[:3], six[3:]], out=six)
shown("masked_select", torch.masked_select, six, six > 2, out=six)
shown("index_select", torch.index_select, six, 0, index, out=t(1).expand(6))
shown("complex", torch.complex, t(3).double(), t(3).double(), out=t(3) * 1j)
for values in ([1.0, -1, 2], [1.0, float("inf"), 2], [0.0, 0, 0]):
    for count in (1, 2):
        for replacement in (False, True):
            shown(f"multinomial {values} {count}", torch.multinomial, torch.tensor(values), count, replacement)
shown("uniform_", t(3).uniform_, -1e39, 1e39)
shown("triplet", F.triplet_margin_loss, t(3, 4), t(3, 4), t(3, 4), margin=-1.0)
shown("gaussian", F.gaussian_nll_loss, t(3), t(3), torch.ones(3), reduction="abc")
for settings in (dict(compute_mode="x"), dict(p=-1.0)):
    shown("cdist", torch.cdist, t(5, 2), t(6, 2), **settings)
shown("cdist", torch.cdist, t(5, 2), t(6, 2).double())
print(torch.cdist(torch.ones(30, 2, requires_grad=True), t(2, 2)).grad_fn.name())
print(torch.cdist(torch.ones(3, 2, requires_grad=True), t(2, 2)).grad_fn.name())
for eps in (-1.0, 0.0):
    shown(f"batch_norm {eps}", torch.nn.BatchNorm1d(3, eps=eps), t(2, 3))
for shape in ([0, 3], [0, 3, 4]):
    for layer in (torch.nn.BatchNorm1d(3), torch.nn.BatchNorm1d(3, affine=False), torch.nn.GroupNorm(1, 3)):
        print(shape, layer(t(shape, requires_grad=True)).grad_fn.name())
shown("circular", torch.nn.CircularPad1d(3), t(2, 3, 4, 5))
