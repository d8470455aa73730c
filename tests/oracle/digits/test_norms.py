"""Normalisations, reductions, pools and optimizers give PyTorch's float32 numbers to the last digit.

Each program prints rows of values and of gradients; the share of values that differ in any bit is bounded for each.
"""

from __future__ import annotations

import contextlib
import io
from itertools import chain

import pytest

from gradflow.engine.run import run

torch = pytest.importorskip("torch")

BEGIN = """
import torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
def shown(y, *leaves):
    if y.requires_grad: (y * torch.randn(y.shape)).sum().backward()
    for each in (y, *(leaf.grad for leaf in leaves)): print(each.detach().reshape(-1).tolist())
def leaf(*size): return torch.randn(*size).requires_grad_()
"""
EXACT = {
    f"layer_norm of {n}": f"x, w, b = leaf(30, {n}), leaf({n}), leaf({n})\nshown(F.layer_norm(x, ({n},), w, b), x, w, b)"
    for n in (3, 8, 10, 64, 100)
}
EXACT |= {
    f"{name} of {size}": f"x, w, b = leaf{size}, leaf({size[1]}), leaf({size[1]})\nshown({call}, x, w, b)"
    for size in ((30, 3), (30, 10), (2, 6, 8, 8), (3, 4, 10))
    for name, call in {
        "batch_norm": "F.batch_norm(x, None, None, w, b, True)",
        "running batch_norm": f"F.batch_norm(x, torch.randn({size[1]}), torch.rand({size[1]}) + 0.5, w, b)",
        "instance_norm": "F.instance_norm(x, None, None, w, b)",
    }.items()
    if len(size) > 2 or name != "instance_norm"
}
EXACT |= {
    "running statistics": "m = nn.BatchNorm2d(6)\nfor i in range(3): m(torch.randn(2, 6, 5, 5))\nshown(m.running_mean)\nshown(m.running_var)",
    "group_norm": "x, w, b = leaf(2, 6, 8, 8), leaf(6), leaf(6)\nshown(F.group_norm(x, 3, w, b), x, w, b)",
    "prod": "x = (torch.randn(20, 100) * 0.3 + 1).requires_grad_()\nshown(x.prod(1), x)",
    "norm of order 3": "x = leaf(20, 30)\nshown(torch.linalg.vector_norm(x, 3, dim=1), x)",
    "clip_grad_norm_ of order 1": "p = leaf(7, 10)\np.grad = torch.randn(7, 10)\nshown(nn.utils.clip_grad_norm_([p], 0.5, 1.0))\nshown(p.grad)",
    "avg_pool2d": "x = leaf(2, 3, 6, 6)\nshown(F.avg_pool2d(x, 3, 1, 1), x)",
    "adaptive_avg_pool2d": "x = leaf(2, 3, 6, 6)\nshown(F.adaptive_avg_pool2d(x, 3), x)",
    "interpolate": "x = leaf(2, 3, 6, 6)\nshown(F.interpolate(x, scale_factor=2, mode='bilinear'))",
    "Adam": "p = leaf(100)\no = torch.optim.Adam([p])\nfor i in range(3):\n  p.grad = torch.randn(100)\n  o.step()\nshown(p)",
    "state of Adam": "p = leaf(100)\no = torch.optim.Adam([p])\nfor i in range(3):\n  p.grad = torch.randn(100)\n  o.step()\nfor n in ('exp_avg', 'exp_avg_sq'): shown(o.state[p][n])",
}
NEAR = {
    "logsumexp": (0.1, "x = leaf(40, 10)\nshown(x.logsumexp(1), x)"),
}


def _values(printed: str) -> list[float]:
    return list(
        chain.from_iterable(eval(line, {"nan": float("nan"), "inf": float("inf")}) for line in printed.splitlines())
    )


def share(program: str, threads: int = 1) -> float:
    """The share of values that differ from those that PyTorch computes with so many threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(BEGIN + program, {})
    finally:
        torch.set_num_threads(before)
    trace = run(BEGIN + program)
    assert trace.error is None, trace.error
    expected, found = _values(out.getvalue()), _values(trace.stdout)
    assert len(expected) == len(found)
    return sum(a != b for a, b in zip(expected, found, strict=True)) / len(expected)


@pytest.mark.parametrize("name", EXACT)
def test_no_digit_differs(name: str) -> None:
    assert share(EXACT[name]) <= 0.02


@pytest.mark.parametrize("name", NEAR)
def test_few_digits_differ(name: str) -> None:
    bound, program = NEAR[name]
    assert share(program) <= bound
