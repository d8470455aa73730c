import torch
from torch import nn


def attempt(name, function):
    try:
        print(name, function())
    except Exception as error:
        print(name, type(error).__name__, error)


KINDS = (torch.bool, torch.uint8, torch.int32, torch.int64, torch.float16, torch.float64)
for kind in KINDS:
    x = torch.ones(2, dtype=kind)
    for bounds in ((0.5,), (1,), (True,), (0, 2.5), (None, 0.5), (1j,), (None, True), (True, True)):
        attempt((kind, bounds), lambda: torch.clamp(x, *bounds))
        attempt("in place", lambda: x.clone().clamp_(*bounds))
    for bound in (0.5, 2, True, torch.tensor(0.5), torch.tensor([2.5, 0.5])):
        attempt((kind, bound), lambda: torch.clamp_min(x, bound))
        attempt("in place", lambda: x.clone().clamp_min_(bound))
        attempt("max", lambda: x.clamp_max(bound))
        attempt("max in place", lambda: x.clone().clamp_max_(bound))
torch.set_default_dtype(torch.float64)
print(torch.ones(2, dtype=torch.int64).clamp(0.5))
torch.set_default_dtype(torch.float32)

attempt("parameter", lambda: nn.Parameter(torch.tensor([1, 2])))
attempt("buffer of integers", lambda: nn.Parameter(torch.tensor([1, 2]), requires_grad=False))
x = torch.arange(6.0).reshape(2, 3)
attempt("pair", lambda: torch.max(x, 0).sum())
attempt("pair", lambda: x.sort().shape)
attempt("pair", lambda: torch.topk(x, 1).grad)
attempt("pair", lambda: torch.linalg.qr(x).q)
attempt("pair", lambda: torch.minimum(x, x.sort()))
print(type(x.sort()).__name__, type(x.sort()).__module__)
