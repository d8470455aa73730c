"""What is answered where a function under `vmap` reads the value of a tensor: in other words where a derivative is taken inside."""

from __future__ import annotations

import pytest

from gradflow.engine.run import run

TESTED = "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that yet"
NUMBER = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor"
)
EITHER = (
    "vmap: It looks like you're either (1) calling .item() on a Tensor or (2) attempting to use a Tensor in some"
    " data-dependent control flow or (3) encountering this error in PyTorch internals. For (1): we don't support vmap over"
    " calling .item() on a Tensor, please try to rewrite what you're doing with other operations. For (2): we don't support"
    " data-dependent control flow in vmap yet, please file an issue at https://github.com/pytorch/pytorch/issues . For (3):"
    " please file an issue."
)
HEAD = """
import torch
from torch.func import grad, jacfwd, jacrev, jvp, vjp, vmap
def steep(v):
    return 2 * v if v > 1 else v
def scaled(v):
    return v * {read}
ones = torch.ones(())
rows = torch.arange(3.0)
"""
CASES = [
    ("vmap(steep)(rows)", TESTED),
    ("grad(lambda r: vmap(steep)(r).sum())(rows)", TESTED),
    ("vmap(scaled)(rows)", NUMBER),
    ("vmap(grad(steep))(rows)", EITHER),
    ("vmap(jacrev(steep))(rows)", EITHER),
    ("vmap(jacfwd(steep))(rows)", EITHER),
    ("vmap(lambda v: vjp(steep, v)[0])(rows)", EITHER),
    ("vmap(lambda v: jvp(steep, (v,), (ones,))[1])(rows)", EITHER),
    ("vmap(grad(scaled))(rows)", EITHER),
    ("vmap(lambda v: grad(lambda w: w * (1 if v > 0 else 2))(ones))(rows)", EITHER),
]


@pytest.mark.parametrize("read", ["v.item()", "float(v)", "int(v)"])
@pytest.mark.parametrize(("call", "message"), CASES)
def test_the_message_is_that_of_the_innermost_transformation(call: str, message: str, read: str) -> None:
    error = run(f"{HEAD.format(read=read)}{call}\n").error
    assert error is not None
    assert error.type == "RuntimeError"
    assert error.message.startswith(message)
