"""No operator of arrays gives an array of Python's objects, in a process that runs programs; others give what they gave."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

import pytest

from gradflow.backend.jail import unconfined
from gradflow.engine.run import run

_HEAD: Final = """
import functools, operator
import numpy as np, torch
from decimal import Decimal
from fractions import Fraction
class I(int): pass
"""
EVERY: Final = (
    _HEAD
    + """
names = ["add", "sub", "mul", "truediv", "floordiv", "mod", "and_", "or_", "xor", "matmul", "lshift", "rshift", "pow",
    "iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "iand", "ior", "ixor", "imatmul", "eq", "ne", "lt", "le", "gt", "ge"]
big = 2**70
operands = [[big], (big,), [[big]], Fraction(1, 2), [Fraction(1, 2)], Decimal(1), [Decimal(1)], I(big), [I(big)], [None], None, range(big, big + 1), {},
    len, [1, "a", None], torch.float32]
arrays = [np.array([1]), np.array([1.5]), np.array([[1]]), np.array([True]), np.array([], int), np.array(1), np.array(["a"]),
    np.array(["2020-01-01"], "M8[D]"), np.array([1], "m8[s]"), np.int64(1), np.float64(1), np.float32(1), np.bool_(True), torch.ones(1).numpy()]
ways = [getattr(operator, name) for name in names if name != "pow"] + [divmod, lambda a, b: a.__add__(b), lambda a, b: a.__radd__(b),
    lambda a, b: sum([a, b]), lambda a, b: functools.reduce(operator.mul, [a, b]), lambda a, b: list(map(operator.sub, [a], [b]))[0],
    lambda a, b: np.add(a, b), lambda a, b: np.multiply(b, a), lambda a, b: np.add.reduce([a, b]), lambda a, b: np.add(a, b, out=np.zeros(1)),
    lambda a, b: max(a, b), lambda a, b: sorted([a, b])[0], lambda a, b: np.where(a == b, a, b), lambda a, b: np.divmod(a, b)]
tried = 0
for way in ways:
    for a in arrays:
        for b in operands:
            for first, second in ((a, b), (b, a)):
                if isinstance(first, np.ndarray): first = first.copy()
                try: found = way(first, second)
                except Exception: found = None
                tried += 1
                for each in found if isinstance(found, tuple) else (found,):
                    if isinstance(each, np.ndarray) and each.dtype.kind == "O": print("objects:", way, a, b)
print(tried > 10000)
"""
)
RIGHT: Final = (
    _HEAD
    + """
class Value:
    def __init__(self, v): self.v = v
    def __rmul__(self, o): return Value(self.v * o)
    def exp(self): return Value(9)
    def __repr__(self): return f"V({self.v})"
a = np.array([1., 2.])
print(a + [1, 2], [1, 2] - a, a @ [1, 2], a ** 2, a * np.float32(2), a < [2, 1], a == [1, None], a == None, a != "x", sum([a, a]))
print(np.array(["a", "b"]) + "c", np.array(["a"]) == "a", np.array(["2020-01-01"], "M8[D]") + np.timedelta64(1, "D"))
print(np.float64(2) * Value(3), np.float32(2) * Value(3), np.array(2.) * Value(3), np.exp(Value(1)))
print(np.float64(1) * Fraction(1, 2), np.int64(1) + Fraction(1, 2), np.int64(1) * Decimal(2), np.array([.5]) < Fraction(3, 4))
print(np.abs(-2**70), np.sign(-2**70), np.float64(3) * torch.ones(1), torch.ones(2) + a)
b = a.copy(); b += [1, 1]; b[0] *= 2; b[1:] -= [1]
print(b, a.sum(), np.add.reduce([[1, 2], [3, 4]]), np.add(1, 2, out=np.zeros(1)))
for f in (lambda: np.float32(1) + None, lambda: np.add(a, None), lambda: a + "x"):
    try: f()
    except TypeError as error: print(error)
"""
)
CRASH: Final = """
import numpy as np
a = np.array([1]) + [2**100]
b = np.array([1]) + [2**100]
class R:
    def __radd__(self, other): return self
class P:
    def __add__(self, other):
        global keep
        b[0] = 0
        del other
        return NotImplemented
a[0] = P()
for k in range(1000):
    b[0] = R()
    try: c = a + b
    except TypeError as e: pass
    keep = [b"A" * 40 for _ in range(50)]
"""


def test_no_operator_gives_objects() -> None:
    assert unconfined.run(EVERY).stdout == "True\n"


@pytest.mark.parametrize(
    "call",
    [
        "np.power(I(3**1000), 10**8)",
        "np.left_shift(I(2**100), 10**9)",
        "I(3**100) ** np.int64(10**8)",
        "I(2**100) << np.int64(10**10)",
    ],
)
def test_integers_have_their_limit(call: str) -> None:
    error = unconfined.run(f"import numpy as np\nclass I(int): pass\n{call}").error
    assert error is not None
    assert error.type == "OverflowError"


def test_what_gave_numbers_gives_them_still() -> None:
    found = unconfined.run(RIGHT)
    assert found.error is None
    assert found.stdout == run(RIGHT).stdout


def test_a_program_that_freed_elements_ends_with_an_error() -> None:
    error = unconfined.run(CRASH).error
    assert error is not None
    assert error.type == "TypeError"


@pytest.mark.parametrize("made", ["np.array([], 'M8[s]')", "np.array([], 'U1')", "np.array([1], 'm8[s]')"])
def test_a_tensor_has_numbers(made: str) -> None:
    for data in (made, f"[{made}]"):
        error = run(f"import numpy as np, torch\ntorch.tensor({data})").error
        assert error is not None
        assert error.message.startswith("can't convert np.ndarray of type numpy.")


def test_fused_weights_are_those_of_tensors() -> None:
    error = run(
        "import torch\nclass W:\n  requires_grad = False\n  def dim(self): return 1\none = torch.ones(1)\n"
        "torch.nn.utils.fusion.fuse_conv_bn_weights(W(), None, one, one, 1e-5, None, None)"
    ).error
    assert error is not None
    assert error.type == "TypeError"


def test_enumerations_are_looked_at_by_python() -> None:
    error = run("import enum\nclass E(enum.Enum, _simple=True):\n    A = 1").error
    assert error is not None
    assert "_simple" in error.message
    assert run("import enum\nclass E(enum.Flag):\n    A = 1\nprint(E.A)").error is None


def test_truth_values_of_other_bytes_count_as_true() -> None:
    program = """
import torch, numpy as np
m = torch.tensor([0, 1, 2, 255, 7, 0] * 11, dtype=torch.uint8).view(torch.bool)
b = torch.zeros(66, dtype=torch.bool)
b.untyped_storage().fill_(255)
for k in (m, m.reshape(6, 11).T, m[::2], b):
    x = torch.arange(k.numel()).reshape(k.shape)
    print({int(v) for v in (k.sum(), k.count_nonzero(), len(x[k]), len(k.nonzero()), k.float().sum(), sum(k.flatten().tolist()),
        len(torch.masked_select(x, k)), (k == True).sum(), k.numel() - (~k).sum(), np.count_nonzero(k.numpy()), len(x.numpy()[k.numpy()]))})
"""
    assert run(program).stdout == "{44}\n{44}\n{22}\n{66}\n"


def test_importing_changes_nothing() -> None:
    """In a process of its own, for what is taken out is taken out for all of it."""
    program = """
import numpy as np
from gradflow.engine.sandbox.interpreter import object_loops
assert (np.array([1]) + [2**70]).dtype.hasobject
before = {each.__name__: [t for t in each.types if "O" not in t.partition("->")[2]] for each in object_loops.ufuncs()}
object_loops.without_object_loops()
object_loops.without_object_loops()
assert before == {each.__name__: each.types for each in object_loops.ufuncs()}
for of in (lambda: np.array([1]) + [2**70], lambda: np.array([], int) + None, lambda: -np.array([1, None])):
    try: print(of())
    except TypeError: pass
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
