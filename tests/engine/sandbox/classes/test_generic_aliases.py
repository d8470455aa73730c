"""An alias that is called writes ``__orig_class__`` into objects of the program's own classes, and into nothing else."""

from __future__ import annotations

import gc
from types import FunctionType
from typing import Final, Generic, TypeVar, get_args

import pytest

from gradflow.engine.run import run

T = TypeVar("T")


class Kept(Generic[T]):
    """No program's."""


PRELUDE: Final = """
import types, typing, functools, collections
import torch, torch.nn as nn, torch.nn.functional as F
T = typing.TypeVar("T")
given = [F.gelu, nn.Linear, torch.optim.SGD, nn.functional.relu, torch.Tensor.mul, nn.Module.forward, typing.List, torch.float32]
class G(typing.Generic[T]):
    def __new__(cls, *more): return given[len(G.made)]
    made = []
class Maker(type):
    def __call__(cls, *more): return given[len(G.made)]
class H(typing.Generic[T], metaclass=Maker): pass
class L(list):
    def __new__(cls, *more): return given[len(G.made)]
class D(collections.defaultdict, metaclass=Maker): pass
def called(*more): return given[len(G.made)]
"""
CALLED: Final = """
G[int]
G[T][int]
H[int]
L[int]
D[int]
typing.Annotated[G, 1]
typing.Annotated[G[int], 1]
typing.Annotated[called, 1]
typing.Annotated[L, 1]
typing.Annotated[functools.partial(called), 1]
functools.partial(G[int])
""".strip().splitlines()


def _marked() -> list[object]:
    kinds = (FunctionType, type)
    return [
        each
        for each in gc.get_objects()
        if isinstance(each, kinds) and each.__module__ != "__main__" and "__orig_class__" in vars(each)
    ]


@pytest.mark.parametrize("called", CALLED)
def test_nothing_of_the_engine_is_marked(called: str) -> None:
    trace = run(f"{PRELUDE}\nfor one in given:\n    assert ({called})() is one\n    G.made.append(1)\nprint('all')")
    assert trace.error is None, trace.error.message
    assert trace.stdout == "all\n"
    assert _marked() == []


@pytest.mark.parametrize(
    "read",
    [
        "G[int].__origin__",
        "G[int].__call__",
        "G[int].__mro_entries__",
        "G[int].copy_with",
        "G[int]._inst",
        "G[int].__dict__",
        "setattr(G[int], 'made', 1)",
        "setattr(G[int], '__origin__', called)",
        "M[int].forward",
        "M[int].s",
        "nn.Linear.__orig_bases__",
        "typing.Generic.__orig_bases__",
        "F.gelu.__orig_class__",
        "G.__orig_class__",
    ],
)
def test_the_rest_of_an_alias_stays_hidden(read: str) -> None:
    source = f"class M(nn.Module, typing.Generic[T]):\n    __slots__ = ('s',)\ntry:\n    print({read})\nexcept AttributeError: print('hidden')"
    assert run(PRELUDE + source).stdout == "hidden\n"


def test_where_no_program_runs_python_does_as_ever() -> None:
    made = Kept[int]()
    assert get_args(vars(made)["__orig_class__"]) == (int,)
