"""Writes inside of `vmap` into a tensor that is the same for all examples, in PyTorch's words."""

from __future__ import annotations

import pytest

from gradflow.engine.run import run

HEAD = "import torch\nfrom torch.func import *\nx = torch.arange(6.).reshape(3, 2)\nbuffer = torch.zeros(2)\n"
ARITHMETIC = "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other`"
BROADCAST = "output with shape [2] doesn't match the broadcast shape [3, 2]"


def refused(write: str) -> str:
    trace = run(f"{HEAD}def f(x):\n    out = torch.zeros(2)\n    {write}\n    return out\nvmap(f)(x)")
    assert trace.error is not None, write
    assert trace.error.code == "vmap-write"
    assert trace.error.span is not None
    assert trace.error.span.line == 7
    return trace.error.message


@pytest.mark.parametrize(
    ("write", "begins", "where"),
    [
        ("out[0] = x[1]", ARITHMETIC, "in a vmap. Please"),
        ("out[:] = x", ARITHMETIC, "in a vmap. Please"),
        ("out.copy_(x.sin())", ARITHMETIC, "in a vmap. Please"),
        ("out *= x", ARITHMETIC, "in a vmap. Please"),
        ("buffer.mul_(x)", ARITHMETIC, "in a vmap. Please"),
        ("out.fill_(x[0])", "vmap: fill_(self, ", "in a vmap. Please"),
        ("out.index_add_(0, torch.tensor([0]), x[:1])", "vmap: index_add_(self, ", "in a vmap. Please"),
        ("out.clamp_(min=x)", "vmap: aten::clamp_(self, ", "at level 1. Please"),
        ("out.scatter_(0, torch.tensor([0]), x[:1])", "vmap: aten::scatter_(self, ", "at level 1. Please"),
        (
            "out.index_reduce_(0, torch.tensor([0]), x[:1], 'mean')",
            "vmap: aten::index_reduce_(self, ",
            "at level 1. Please",
        ),
        ("out.scatter_(0, x[:1].long(), 1.0, reduce='add')", "vmap: aten::scatter_(self, ", "at level 1. Please"),
    ],
)
def test_a_write_of_what_differs_into_what_does_not_is_refused(write: str, begins: str, where: str) -> None:
    message = refused(write)
    assert message.startswith(begins)
    assert where in message


@pytest.mark.parametrize("write", ["out += x", "out.add_(x[0])", "out.add_(x, alpha=2)", "out.atan2_(x)"])
def test_some_complain_of_the_shape_of_the_batch(write: str) -> None:
    assert refused(write) == BROADCAST


@pytest.mark.parametrize(
    "body",
    [
        "out = torch.zeros_like(x); out[0] = x[1]; return out",
        "out = x.new_zeros(2); out += x; return out",
        "out = torch.zeros(2) + x; out[0] = x[1]; return out",
        "out = torch.zeros(2); out[0] = 5.; out.mul_(2); return out * x",
        "out = torch.cat([torch.zeros(2), x]); out[0] = x[0]; return out",
    ],
)
def test_what_is_made_of_the_example_can_be_written(body: str) -> None:
    assert run(f"{HEAD}def f(x):\n    {body}\nprint(vmap(f)(x).shape)").error is None


@pytest.mark.parametrize("transform", ["jacrev", "jacfwd", "hessian", "lambda f: grad(lambda v: f(v).sum())"])
def test_outside_of_vmap_nothing_is_refused(transform: str) -> None:
    body = "    out = torch.zeros(2)\n    out[0] = v[1] ** 2\n    return out\n"
    assert run(f"{HEAD}def f(v):\n{body}({transform})(f)(x[0])").error is None


def test_an_inner_vmap_is_told_from_an_outer_one() -> None:
    mapped = "vmap(lambda v: vmap(lambda s: {})(torch.arange(2.)))(x)"
    assert run(HEAD + mapped.format("v.new_zeros(2).mul_(v)")).error is None
    assert run(HEAD + mapped.format("torch.ones(2).mul_(v)")).error is not None
