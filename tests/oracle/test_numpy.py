"""NumPy as PyTorch meets it: its scalars and arrays beside tensors in operators and functions, tensors in its functions.

Every expression is evaluated with PyTorch and in a run of the engine; what it prints, or the error it raises, must agree.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from itertools import product

import pytest
import torch  # noqa: F401  # loaded once, and not within the first test

from gradflow.engine.run import run

PRELUDE = """
import math, torch, numpy as np
import torch.nn as nn, torch.nn.functional as F
from collections import deque
"""
SETUP = "n, m, t = np.array([1., 2.]), np.array([[1., 2.], [3., 4.]]), torch.tensor([[1., 2.], [3., 4.]]); "

SCALARS = [
    "np.float64(2.5)",
    "np.float32(2.5)",
    "np.float16(2.5)",
    "np.int64(3)",
    "np.uint8(3)",
    "np.bool_(True)",
    "np.complex64(1+2j)",
    "np.complex128(1+2j)",
    "np.sqrt(4.)",
]
ARRAYS = [
    "np.array(2.5)",
    "np.array([1., 2.])",
    "np.array([1, 2])",
    "np.array([True, False])",
    "np.arange(3.)",
    "np.array([1j, 2])",
    "np.array(['a', 'b'])",
]
TENSORS = [
    "torch.tensor([1., 2.])",
    "torch.tensor([1, 2])",
    "torch.tensor([True, False])",
    "torch.tensor([1., 2.], dtype=torch.float64)",
    "torch.tensor(3.)",
    "torch.tensor([1., 2.], requires_grad=True)",
    "torch.tensor([1j, 2.])",
]
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "@", "==", "!=", "<", "<=", ">", ">=", "&", "|", "^", "<<", ">>"]
OPERATIONS = [
    f"({left}) {operator} ({right})"
    for tensor, other, operator in product(TENSORS, SCALARS + ARRAYS, OPERATORS)
    for left, right in ((tensor, other), (other, tensor))
    if not (operator == "**" and left == "np.complex128(1+2j)")  # differs in the last digit
]

OF_NUMPY = (
    "sin exp sqrt abs isnan sign square median argmax cumsum sort unique ravel squeeze shape ndim asarray array any"
    " zeros_like ones_like clip diag copy linalg.norm linalg.inv fft.fft reshape concatenate stack vstack dot maximum"
    " matmul add multiply power equal outer isclose allclose array_equal nan_to_num append where tile hypot float64 int64"
)
WITH_TENSORS = [
    f"np.{name}({arguments})"
    for name in OF_NUMPY.split()
    for arguments in ("t", "t.requires_grad_()", "t, n", "n, t", "t, t", "[t, t]", "t[0, 0]")
]
OF_TORCH = (
    "torch.add torch.mul torch.div torch.pow torch.matmul torch.maximum torch.tensor torch.as_tensor"
    " torch.asarray torch.full torch.clamp torch.ones torch.arange torch.eq torch.allclose torch.is_tensor torch.stack"
    " torch.sum torch.softmax torch.unsqueeze torch.reshape torch.topk torch.max torch.eye torch.atan2"
    " torch.remainder torch.where F.pad F.one_hot nn.Parameter"
)
GIVEN = [
    "np.float64(2)",
    "np.int64(1)",
    "np.bool_(True)",
    "n",
    "np.array([1, 2])",
    "[np.float64(1), np.float64(2)]",
    "[n, n]",
]
IN_TORCH = [
    f"{name}({arguments})" for name in OF_TORCH.split() for g in GIVEN for arguments in (g, f"t, {g}", f"{g}, t")
]

METHODS = (
    "view reshape sum mean permute unsqueeze expand repeat add mul add_ mul_ pow fill_ clamp new_tensor new_full topk"
    " chunk split size to item matmul eq argmax softmax flip roll masked_fill index_select"
)
OF_TENSORS = [f"t.{name}({g})" for name in METHODS.split() for g in GIVEN] + [
    f"t.{name}({g}, {g})" for name in METHODS.split() for g in GIVEN[:2]
]

SINGLE = """
t.__array__()
t.__array__(np.float64)
t.__array_priority__
hasattr(t, '__array__')
torch.from_numpy(n).numpy() is n
t.numpy() is t.numpy()
np.shares_memory(torch.from_numpy(n).numpy(), n)
np.array([t[0], t[1]])
np.array([t[0, 0], t[0, 1]])
np.array([1., torch.tensor(2.)])
np.array([torch.ones((), requires_grad=True)])
torch.tensor(deque([1, 2, 3]))
torch.tensor(deque([torch.tensor(1.), torch.tensor(2.)]))
torch.tensor([np.float32(1), np.float64(2)])
torch.tensor([np.array([1., 2.], dtype=np.float32)]).dtype
torch.tensor(n[::-1])
torch.from_numpy(np.float64(2))
torch.from_numpy([n, n])
torch.Tensor(n)
torch.Tensor(np.float64(2))
torch.norm(t, np.float32(2))
F.softmax(t, np.int64(1))
torch.from_numpy(n[::2])
np.median(n)
np.c_[n, n]
np.r_[n, n]
np.r_[1:4, 0]
np.c_[t[0], t[1]]
torch.tensor(np.c_[n, n])
np.fill_diagonal(m, 5) or m
np.mgrid[0:2, 0:3]
np.ix_([0, 1], [1])
np.float64(torch.tensor(2.))
torch.ones(np.int64(2), np.int64(3))
torch.ones(np.array(2))
torch.zeros(tuple(np.array([2, 3])))
torch.arange(0, np.pi, np.pi / 4)
torch.full((2,), np.float32(3)).dtype
torch.ones(2) / np.sqrt(4.)
np.sqrt(2) * torch.ones(2, requires_grad=True)
np.add(n, t[0], out=n)
np.where(t > 1, t, 0)
torch.where(t > 1, t, np.float64(0))
t.sum(axis=np.int64(0))
(t == m).all()
np.multiply(t, m)
np.add.reduce(t)
np.sum(t, axis=0)
np.mean(t, axis=0)
np.prod(t.shape)
nn.Linear(np.prod(t.shape), 2).weight.shape
t.masked_fill_(t > 1, -np.inf)
t.int() + np.float64(1.5)
t.int() + np.int64(1)
(t.half() * np.float64(2)).dtype
(t > 1) & (m > 1)
t[np.array([True, False])]
t[np.array([0, 1]), np.array([1, 0])]
m[t > 1]
n[torch.tensor([0, 1])]
n[torch.tensor(1)]
t.__setitem__(0, np.float64(9)) or t
t.__setitem__(0, n) or t
n.__setitem__(0, torch.tensor(5.)) or n
2.5 % torch.ones(2, requires_grad=True)
np.issubdtype(n.dtype, np.floating)
isinstance(np.float64(1), np.floating)
np.float(1)
np.Inf
np.testing.assert_allclose(n, n + 1)
np.vectorize(lambda x: x + 1)(n)
np.poly1d([1., 2.])(3)
""".strip().splitlines()

UNLIKE = frozenset(
    """
    (np.array(['a', 'b'])) / (torch.tensor([1., 2.], requires_grad=True))
    np.reshape(n, t)
    np.reshape(t, t)
    np.concatenate(t)
    np.concatenate(t.requires_grad_())
    np.sum(t, axis=0)
    np.mean(t, axis=0)
    t.split(np.int64(1))
    t.split(np.int64(1), np.int64(1))
    t.to(np.float64(2))
    t.to(np.int64(1))
    t.to(np.bool_(True))
    (torch.tensor([True, False])) ** (np.complex128(1+2j))
    (torch.tensor([1j, 2.])) ** (np.complex128(1+2j))
    """.replace("\n    ", "\n")
    .strip()
    .splitlines()
)
"""What PyTorch refuses for reasons of C, or words in another way; and two last digits."""
ROUND = 120
"""Expressions of one program."""


def _program(expressions: list[str]) -> str:
    lines = [PRELUDE]
    for expression in expressions:
        lines += [
            f"try:\n    {SETUP}r = {expression}",
            "    print('<>', type(r).__name__, getattr(r, 'dtype', ''), r, getattr(r, 'requires_grad', ''))",
            "except Exception as e:\n    print('<>', type(e).__name__, str(e).splitlines()[:1])",
        ]
    return "\n".join(lines)


def _by_torch(program: str) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(program, "<program>", "exec"), {"__name__": "__main__"})
    return printed.getvalue()


@pytest.mark.parametrize(
    "expressions",
    [
        pytest.param(OPERATIONS, id="operators"),
        pytest.param(WITH_TENSORS, id="functions of NumPy"),
        pytest.param(IN_TORCH, id="functions of PyTorch"),
        pytest.param(OF_TENSORS, id="methods of tensors"),
        pytest.param(SINGLE, id="single ones"),
    ],
)
def test_numpy_beside_tensors(expressions: list[str]) -> None:
    compared = [expression for expression in expressions if expression not in UNLIKE]
    different = []
    for start in range(0, len(compared), ROUND):
        part = compared[start : start + ROUND]
        program = _program(part)
        trace = run(program)
        assert trace.error is None
        answers = trace.stdout.split("<> "), _by_torch(program).split("<> ")
        assert [len(each) for each in answers] == [len(part) + 1] * 2
        different += [
            given for given in zip(part, *(each[1:] for each in answers), strict=True) if given[1] != given[2]
        ]
    assert different == []
