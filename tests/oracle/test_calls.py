"""Calls with arguments that make no sense: refused in PyTorch's words, and never by an accident inside the engine.

GRADFLOW_ORACLE_CALLS sets how many calls are drawn for each function (60).
"""

from __future__ import annotations

import os
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from gradflow.engine import errors
from gradflow.engine.dispatch.signatures import overloads
from gradflow.engine.namespace.torch import modules
from gradflow.engine.tensor import Tensor

COUNT = int(os.environ.get("GRADFLOW_ORACLE_CALLS", "60"))
OURS = modules()["torch"]

VALUES: list[Callable[[Any], Any]] = [
    lambda t: 1,
    lambda t: 0,
    lambda t: -1,
    lambda t: 1.5,
    lambda t: "a",
    lambda t: None,
    lambda t: True,
    lambda t: [1, 2],
    lambda t: (0, 1),
    lambda t: (1, "a"),
    lambda t: [],
    lambda t: [t.ones(2), 1],
    lambda t: t.ones(2, 3),
    lambda t: t.ones(2),
    lambda t: t.tensor(1),
    lambda t: t.tensor(True),
    lambda t: t.tensor(0.5),
    lambda t: t.float64,
    lambda t: 2j,
    lambda t: {},
    lambda t: print,
    lambda t: np.float64(1.5),
]
KEYWORDS = [
    "foo",
    "dim",
    "axis",
    "keepdim",
    "input",
    "other",
    "dtype",
    "size",
    "out",
    "p",
    "min",
    "alpha",
    "requires_grad",
]
UNBOUNDED = {"set_printoptions", "manual_seed", "new_empty", "empty", "empty_like", "data_ptr"}


def is_provided(name: str) -> bool:
    owner, _, plain = name.rpartition(".")
    if owner == "nn" or plain in UNBOUNDED:
        return False
    return hasattr(Tensor if owner == "Tensor" else getattr(OURS, owner, OURS), plain.removeprefix(f"{owner}_"))


def function(space: Any, name: str) -> Callable[..., Any]:
    """What a name in `overloads` stands for: ``Tensor.abs``, ``linalg.linalg_det``, ``abs``."""
    owner, _, plain = name.rpartition(".")
    found = type(space.ones(1)) if owner == "Tensor" else getattr(space, owner) if owner else space
    return getattr(found, plain.removeprefix(f"{owner}_"))  # type: ignore[no-any-return]


FUNCTIONS = sorted(name for name in overloads() if is_provided(name))

Call = tuple[list[Callable[[Any], Any]], dict[str, Callable[[Any], Any]]]


def draw(generator: random.Random) -> Call:
    args = generator.choices(VALUES, k=generator.choice([0, 1, 1, 2, 2, 3, 4]))
    names = generator.sample(KEYWORDS, k=generator.choice([0, 0, 0, 1]))
    return args, {name: generator.choice(VALUES) for name in names}


def attempt(space: Any, name: str, call: Call) -> Exception | None:
    args = [value(space) for value in call[0]]
    kwargs = {key: value(space) for key, value in call[1].items()}
    method = name.startswith("Tensor.")
    subject = space.tensor([[0.5, 1.5], [2.5, 3.5]])
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if method:
                args.insert(0, subject)
            function(space, name)(*args, **kwargs)
    except Exception as error:
        return error
    return None


def told(call: Call) -> str:
    values = [repr(v(OURS)) for v in call[0]] + [f"{k}={v(OURS)!r}" for k, v in call[1].items()]
    return ", ".join(values)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_wrong_arguments_are_refused_as_by_pytorch(name: str) -> None:
    generator = random.Random(name)
    for _ in range(COUNT):
        call = draw(generator)
        ours, theirs = attempt(OURS, name, call), attempt(torch, name, call)
        where = f"{name}({told(call)})\n ours:   {ours!r}\n theirs: {theirs!r}"
        if isinstance(theirs, TypeError):
            assert (type(ours), str(ours)) == (type(theirs), str(theirs)), where
        elif ours is not None:
            assert errors.kind_of(ours) is not None or str(ours) == str(theirs), where
