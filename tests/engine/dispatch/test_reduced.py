"""bfloat16 and regions of mixed precision, as programs meet them, and what a program cannot do with them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gradflow.engine.run import run
from gradflow.engine.state import STATE


def printed(source: str) -> str:
    """What a program prints. Asserts that nothing was raised."""
    trace = run(f"import torch\n{source}")
    assert trace.error is None, trace.error
    return trace.stdout


def test_a_run_without_bfloat16_does_not_look_for_it() -> None:
    run("import torch\nx = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward()")
    assert not STATE.reduced


def test_an_input_of_bfloat16_is_told_as_one() -> None:
    trace = run("(a * a).sum()", inputs={"a": {"data": [1.2, 3], "dtype": "bfloat16"}})
    leaf = next(t for t in trace.tensors if "a" in t.names)
    assert (leaf.dtype, leaf.value.dtype, leaf.value.data) == ("bfloat16", "bfloat16", [1.203125, 3.0])
    assert leaf.grad is not None
    assert (leaf.grad.dtype, leaf.grad.data) == ("bfloat16", [2.40625, 6.0])


def test_casts_are_in_the_picture() -> None:
    trace = run(
        "import torch\nw = torch.ones(2, 2, requires_grad=True)\n"
        "with torch.autocast('cpu'):\n    loss = (torch.ones(2, 2) @ w).float().sum()\nloss.backward()"
    )
    names = [node.grad_fn for node in trace.nodes if node.grad_fn]
    assert names.count("ToCopyBackward0") == 2
    assert names.index("ToCopyBackward0") < names.index("MmBackward0")


def test_a_region_ends_with_an_error_in_it() -> None:
    source = (
        "try:\n    with torch.autocast('cpu'):\n        raise ValueError\nexcept ValueError:\n    pass\n"
        "print(torch.is_autocast_enabled('cpu'), (torch.ones(1, 1) @ torch.ones(1, 1)).dtype)"
    )
    assert printed(source) == "False torch.float32\n"


def test_a_refused_call_leaves_the_region_in_force() -> None:
    source = (
        "with torch.autocast('cpu'):\n    try:\n        torch.matmul(torch.ones(2, 3), torch.ones(2, 3))\n"
        "    except RuntimeError:\n        pass\n    print(torch.is_autocast_enabled('cpu'))"
    )
    assert printed(source) == "True\n"


def test_the_next_run_begins_without_a_region() -> None:
    run("import torch\ntorch.autocast('cpu').__enter__()")
    assert printed("print(torch.is_autocast_enabled('cpu'))") == "False\n"


@pytest.mark.parametrize(
    "expression",
    [
        "torch.autocast('cpu')._before",
        "torch.autocast('cpu')._on",
        "torch.autocast('cpu')(lambda x: x).__globals__",
        "torch.autocast('cpu')(lambda x: x).__closure__",
        "torch.nn.functional.linear.__wrapped__",
        "torch.nn.functional.cross_entropy.policy",
        "torch.bfloat16.numpy",
        "torch.ones(1).bfloat16()._a",
    ],
)
def test_nothing_of_the_engine_can_be_reached(expression: str) -> None:
    trace = run(f"import torch\nprint({expression})")
    assert trace.error is not None
    assert trace.stdout == ""


def test_who_uses_no_bfloat16_pays_nothing_for_it() -> None:
    program = (
        "from gradflow.engine.namespace.torch import modules\n"
        "from gradflow.engine.state import STATE\n"
        "torch = modules()['torch']\n"
        "x = torch.tensor([1., 2.], requires_grad=True)\n"
        "(x * 2).tanh().sum().backward()\n"
        "print(x.grad.dtype, STATE.reduced)\n"
        "print(torch.ones(1, dtype=torch.bfloat16).dtype, STATE.reduced)\n"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert told.splitlines() == ["torch.float32 False", "torch.bfloat16 True"]
