"""Methods come late, and what brings them goes: both are seen in a fresh process only."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("first", "printed"),
    [
        (
            "from gradflow.engine.tensor import Tensor; Tensor(np.ones(2)).add(1)",
            "tensor([2., 2.], dtype=torch.float64)",
        ),
        ("from gradflow.engine.tensor import Tensor; 1 - Tensor(np.ones(2))", "tensor([0., 0.], dtype=torch.float64)"),
        ("from gradflow.engine.namespace.torch import modules; modules()['torch'].zeros(1)", "tensor([0.])"),
        ("import gradflow; gradflow.run('x = 1')", ""),
    ],
    ids=["method", "operator", "torch", "run"],
)
def test_what_installs_the_methods_does_not_slow_attributes_down_afterwards(first: str, printed: str) -> None:
    *before, last = first.split("; ")
    program = "; ".join(["import numpy as np", *before, f"made = {last}"])
    program += "\nfrom gradflow.engine.tensor import Tensor\nprint(made if isinstance(made, Tensor) else '')"
    program += "\nassert '__getattr__' not in vars(Tensor)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == (printed, "")
