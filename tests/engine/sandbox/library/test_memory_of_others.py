"""What NumPy would read, write or give beyond the memory of its arrays, or from what was there before, and does not here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from gradflow.engine import preload  # noqa: F401  # all that is allowed is entered by then
from gradflow.engine.run import run
from gradflow.engine.sandbox.library.numpy_module import numpy_modules

ROOT: Final = Path(__file__).parents[4]
OVERFLOW: Final = "OverflowError: Python int too large to convert to C int"
LONG: Final = "TypeError: NumPy arrays of dtype float128 are not available in Gradflow"
NO_UNIT: Final = "RuntimeError: flat of dates without a unit cannot be used in this playground"
TOO_SMALL: Final = "ValueError: provided out is the wrong size for the accumulation."
LEFT_OUT: Final = "RuntimeError: clip() with where cannot be used in this playground"
UNEVEN: Final = "ValueError: non-broadcastable output operand with shape (1,) doesn't match the broadcast shape (3,)"
REFUSED: Final = {
    "np.broadcast_to(np.ones(1), (2, 2**31 + 2)).diagonal(-2**31)": OVERFLOW,
    "np.trace(np.eye(3), 2**31)": OVERFLOW,
    "np.cumsum(np.ones(2), out=np.array(1.))": TOO_SMALL,
    "np.cumprod(np.ones((2, 2)), 0, None, np.array(1.))": TOO_SMALL,
    "np.ones(2).cumsum(0, None, np.array(1.))": TOO_SMALL,
    "np.ndarray.cumprod(np.ones(2), out=np.array(1.))": TOO_SMALL,
    "np.nancumsum([1., 2.], out=np.array(1.))": TOO_SMALL,
    "np.cumulative_sum(np.ones(2), out=np.array(1.))": TOO_SMALL,
    "np.maximum.accumulate([1., 2.], out=(np.array(1.),))": TOO_SMALL,
    "np.zeros(4, 'm8').flat": NO_UNIT,
    "np.zeros((2, 2), 'M8').flat": NO_UNIT,
    "np.fill_diagonal(np.zeros((2, 2), 'm8'), np.timedelta64(1, 'D'))": NO_UNIT,
    "np.ones(2, 'g')": LONG,
    "np.ones(2).astype('g')": LONG,
    "np.ones(2).sum(0, 'g')": LONG,
    "np.add(1, 2, dtype='g')": LONG,
    "np.add(1, 2, signature='gg->g')": LONG,
    "np.finfo('g')": LONG,
    "np.dtype('g')": LONG,
    "np.zeros(4).view('g')": LONG,
    "np.frombuffer(bytes(32), 'g')": LONG,
    "np.zeros(2, 'G')": LONG.replace("float128", "complex256"),
    "np.clip(np.zeros(60), 0, 1, where=False)": LEFT_OUT,
    "np.zeros(60).clip(0, 1, where=[False])": LEFT_OUT,
    "np.add(np.ones(3), 1, where=[1, 0, 1], out=np.zeros(1))": UNEVEN,
    "np.add(np.ones(3), 1, where=[True, False])": "ValueError: operands could not be broadcast together with shapes (3,) (2,) ",
    "np.add(np.ones(3), 1, where=np.ones(3))": "TypeError: Cannot cast array data from dtype('float64') to dtype('bool') according"
    " to the rule 'safe'",
}
ANSWERED: Final = {
    "np.eye(3).diagonal(-2**31)": "[]",
    "np.diag(np.ones((5, 2)), -2**31)": "[]",
    "np.linalg.diagonal(np.ones((2, 5, 2)), offset=-2**31).shape": "(2, 0)",
    "np.trace(np.ones((5, 2)), -2**31), np.ones((2, 2)).trace(offset=-2**31), np.linalg.trace(np.eye(2), offset=-2**31)": "0.0 0.0 0.0",
    "torch.ones(5, 2).diagonal(-2**31), torch.diag(torch.ones(2, 5), 2**62)": "tensor([]) tensor([])",
    "torch.linalg.diagonal(torch.ones(2, 2), offset=-2**63)": "tensor([])",
    "torch.diagonal_scatter(torch.ones(2, 2), torch.ones(0), -2**31).sum()": "tensor(4.)",
    "torch.ones(5, 2).diagonal(2).storage_offset()": "0",
    "np.round(1.25, 2**31 - 1), np.round(1234.5, -2)": "nan 1200.0",
    "np.pad(np.ones(1), 2, mode='empty'), np.pad([1], 1, 'empty')": "[0. 0. 1. 0. 0.] [0 1 0]",
    "np.equal(np.ones(3, np.int8), 300, where=[True, False, True])": "[False False False]",
    "np.less(np.ones(3, np.uint8), 300, where=np.array([True, False, True]))": "[ True False  True]",
    "np.divide([1., 2.], [0., 4.], where=np.array([False, True]))": "[0.  0.5]",
    "np.divide([1., 2.], [0., 4.], out=np.full(2, 7.), where=[False, True])": "[7.  0.5]",
    "np.add(1, 2, where=False), np.add(1, 2, where=[True, False])": "0 [3 0]",
    "np.add.outer([1, 2], [3, 4], where=[True, False])": "[[4 0]\n [5 0]]",
    "np.sum([1, 2, 4], where=[True, False, True]), np.mean([1, 3], where=[True, False])": "5 1.0",
    "np.array(['2001-01-01', 'NaT'], 'M8').flat[0]": "2001-01-01",
}
TWO_MASKS: Final = """
import numpy as np
b = np.array([True, False, True, False])
print(np.logical_not(b, out=b, where=b), b)
fractions, whole = np.modf(np.array([1.5, 2.25]), where=[False, True])
print(fractions, whole, np.isnan(np.ones(3000), where=False).any())
"""
HOOKS: Final = """
import torch
x = torch.ones(3, requires_grad=True)
print(x.register_hook(lambda g: g).id, torch.nn.Linear(1, 1).register_forward_hook(print).id)
torch.func.vmap(lambda row: (print(len(str(row))), row)[1])(torch.ones(12, 2))
"""


def outcome(source: str) -> str:
    trace = run(source)
    return trace.stdout.strip() if trace.error is None else f"{trace.error.type}: {trace.error.message}"


@pytest.mark.parametrize(("call", "told"), REFUSED.items(), ids=REFUSED)
def test_it_is_refused(call: str, told: str) -> None:
    assert outcome(f"import numpy as np\n{call}") == told


@pytest.mark.parametrize(("calls", "told"), ANSWERED.items(), ids=ANSWERED)
def test_it_is_answered(calls: str, told: str) -> None:
    assert outcome(f"import numpy as np, torch\nprint({calls})") == told


def test_what_a_mask_leaves_out_is_kept_or_zero() -> None:
    assert outcome(TWO_MASKS) == "[False False False False] [False False False False]\n[0.   0.25] [0. 2.] False"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_masked_function_gives_what_numpy_gives() -> None:
    """Where it says what is left out, by ``out``."""
    members, left = numpy_modules()["numpy"], np.array([1.5, -2.0, 3.0, 0.25])
    mask, tried = np.array([True, False, True, True]), 0
    for name in list(vars(np)):
        ufunc = getattr(np, name)
        if not isinstance(ufunc, np.ufunc) or ufunc.signature or not members.has(name):
            continue
        for kind in (np.float64, np.float32, np.int8, np.bool_):
            given = (left.astype(kind), 2, 2)[: ufunc.nin]
            try:
                made = ufunc(*given)
            except TypeError:
                continue
            whole = [np.zeros(4, each.dtype) for each in (made if isinstance(made, tuple) else (made,))]
            ufunc(*given, out=tuple(whole), where=mask)
            found = members.find(name)(*given, where=mask)
            for own, numpys in zip(found if isinstance(found, tuple) else (found,), whole, strict=True):
                np.testing.assert_array_equal(own, numpys, strict=True)
                tried += 1
    assert tried > 200


def test_numbers_that_are_counted_begin_anew_with_each_run() -> None:
    first = outcome(HOOKS)
    assert first.startswith("0 1\n")
    assert [outcome(HOOKS) for _ in range(12)] == [first] * 12


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
@pytest.mark.parametrize(("kind", "least"), [("numpy", 50_000), ("torch", 10_000)])
def test_no_whole_number_leads_out_of_memory(kind: str, least: int) -> None:
    """In the place of each number, axis, size and offset."""
    command = [sys.executable, "-m", "tests.support.whole_numbers", kind]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd=ROOT)
    told = json.loads(done.stdout)
    assert told["ended"] == []
    assert told["calls"] > least
