"""Operators and methods come when the first one is used, once, whichever way they are asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

BEGIN = "import numpy\nfrom gradflow.engine.tensor import Tensor\na = Tensor(numpy.array([1.0, 2.0]))\n"


@pytest.mark.parametrize(
    ("use", "printed"),
    [
        ("print((a + a).tolist())", "[2.0, 4.0]"),
        ("print((1 - a).tolist())", "[0.0, -1.0]"),
        ("b = a\nb += 1\nprint(a.tolist())", "[2.0, 3.0]"),
        ("print((a == a).tolist())", "[True, True]"),
        ("a[0] = 5\nprint(a.tolist())", "[5.0, 2.0]"),
        ("print(2.0 in a)", "True"),
        ("print(a.sum().tolist())", "3.0"),
        ("try:\n    a.undefined\nexcept AttributeError as error:\n    print(error)", "no attribute 'undefined'"),
        # the program asks for the modules of torch after the first method has been used
        (
            "a.sum()\nfrom gradflow.engine.run import run\n"
            "print(run('import torch\\nx = torch.zeros(2, 2)\\n"
            'print(x.scatter_reduce(0, torch.zeros(1, 2, dtype=torch.int64), x, reduce="sum"))\').error)',
            "None",
        ),
    ],
)
def test_the_first_use_of_a_fresh_tensor(use: str, printed: str) -> None:
    result = subprocess.run([sys.executable, "-c", BEGIN + use], capture_output=True, text=True, check=True)
    assert result.stdout.strip().endswith(printed)
