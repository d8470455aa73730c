"""``parametrize`` writes into classes: into those that it made, and into no other, whatever the program does meanwhile."""

from __future__ import annotations

import gc
from types import FunctionType
from typing import Any, Final

import pytest

from gradflow.engine.run import run

PRELUDE: Final = """
import torch, torch.nn as nn, torch.nn.functional as F
import torch.nn.utils.parametrize as P
def shown(call):
    try:
        print(call())
    except Exception as e:
        print(type(e).__name__)
"""
PROGRAMS: Final = """
hot = False
class Z(nn.Module):
    def forward(self, x):
        global hot
        if hot:
            hot = False
            m._parameters["reset_parameters"] = p
            P.remove_parametrizations(m, "reset_parameters", leave_parametrized=False)
        return x
m = nn.Linear(2, 2)
p = nn.Parameter(torch.ones(2))
m._parameters["reset_parameters"] = p
P.register_parametrization(m, "reset_parameters", Z())
hot = True
shown(lambda: P.remove_parametrizations(m, "reset_parameters"))
---
hot, depth = False, 0
class D(nn.ModuleDict):
    def __len__(self):
        global hot, depth
        if not hot:
            return super().__len__()
        depth += 1
        if depth == 1:
            P.remove_parametrizations(m, "weight")
            hot = False
            return 1
        return 0
class I(nn.Module):
    def forward(self, x):
        global hot
        hot = True
        return x
m = nn.Linear(2, 2)
P.register_parametrization(m, "weight", nn.Identity())
m.zz = nn.Parameter(torch.ones(2))
d = D()
d["weight"] = m.parametrizations["weight"]
m.parametrizations = d
shown(lambda: P.register_parametrization(m, "zz", I()))
shown(lambda: P.remove_parametrizations(m, "zz"))
shown(lambda: P.remove_parametrizations(m, "weight"))
---
class M(nn.Linear):
    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if name == "parametrizations" and not P.is_parametrized(self):
            self._modules.clear()
m = M(2, 2)
shown(lambda: P.register_parametrization(m, "weight", nn.Identity()))
---
class M(nn.Linear):
    def __delattr__(self, name):
        super().__delattr__(name)
        if name == "weight":
            P.register_parametrization(self, "bias", nn.Identity())
            P.remove_parametrizations(self, "bias")
        if name == "parametrizations" and P.is_parametrized(self):
            P.remove_parametrizations(self, "weight")
m = M(2, 2)
shown(lambda: P.register_parametrization(m, "weight", nn.Identity()))
shown(lambda: P.remove_parametrizations(m, "weight"))
---
class M(nn.Linear):
    def __init_subclass__(cls):
        shown(lambda: P.register_parametrization(m, "bias", nn.Identity()))
        shown(lambda: P.remove_parametrizations(m, "bias"))
m = M(2, 2)
shown(lambda: P.register_parametrization(m, "weight", nn.Identity()))
shown(lambda: P.remove_parametrizations(m, "weight"))
---
m = nn.Linear(2, 2)
for name in ("_apply", "_parameters", "_call_forward", "__call__", "forward", "parametrizations"):
    m._parameters[name] = nn.Parameter(torch.ones(2))
    shown(lambda: P.register_parametrization(m, name, nn.Identity()))
    shown(lambda: P.remove_parametrizations(m, name))
---
m = nn.Linear(2, 2)
P.register_parametrization(m, "weight", nn.Identity())
m.parametrizations["weight"]._parameters["original"] = F.gelu
shown(lambda: P.remove_parametrizations(m, "weight", leave_parametrized=False))
shown(lambda: P.remove_parametrizations(m, "weight"))
shown(lambda: setattr(m, "weight", torch.ones(2, 2)))
---
m = nn.Linear(2, 2)
P.register_parametrization(m, "weight", nn.Identity())
for one in ({"weight": nn.Linear}, nn.ModuleDict({"weight": nn.Identity()}), None, F.gelu):
    m._modules["parametrizations"] = one
    shown(lambda: m.weight)
    shown(lambda: P.remove_parametrizations(m, "weight"))
    shown(lambda: P.is_parametrized(m))
---
m = nn.Linear(2, 2)
m._parameters["weight"] = F.gelu
shown(lambda: P.register_parametrization(m, "weight", nn.Identity(), unsafe=True))
""".strip().split("\n---\n")


def _of_engine(held: Any) -> bool:
    if isinstance(held, type):
        return held.__module__ != "__main__" and not held.__name__.startswith("Parametrized")
    return isinstance(held, FunctionType) and held.__code__.co_filename != "<program>"


def _contents() -> dict[int, tuple[Any, dict[str, int]]]:
    """What stands in the functions and the classes of the engine and of the library."""
    passing = ("_abc_impl", "__subclasshook__", "__doc__", "__abstractmethods__")
    return {
        id(held): (held, {name: id(value) for name, value in vars(held).items() if name not in passing})
        for held in gc.get_objects()
        if _of_engine(held)
    }


@pytest.mark.parametrize("program", PROGRAMS)
def test_classes_of_the_engine_stay_whole(program: str) -> None:
    run(f"{PRELUDE}print(nn.Linear(1, 1), P.register_parametrization(nn.Linear(1, 1), 'bias', nn.Identity()))")
    before = _contents()
    trace = run(PRELUDE + program)
    assert trace.error is None or trace.error.code in ("type", "read-only"), trace.error.message
    after = _contents()
    changed = [held for key, (held, names) in after.items() if key in before and before[key][1] != names]
    assert changed == []


def test_the_name_of_a_parametrized_tensor_is_read_as_of_the_class_before() -> None:
    source = """
class M(nn.Linear):
    def __init__(self):
        super().__init__(1, 1)
        self._kept = 3
m, n = M(), nn.Linear(1, 1)
for each in (m, n):
    P.register_parametrization(each, "weight", nn.Identity())
print(m._kept, sorted(n._parameters))
for each in (m, n):
    for name in ("_forward_pre_hooks", "_call_forward", "__reduce_ex__", "_get_backward_hooks"):
        print(name, hasattr(each, name) == hasattr(M() if each is m else nn.Linear(1, 1), name))
for name in ("_apply", "_call_forward", "__class__"):
    shown(lambda: setattr(n, name, print))
"""
    trace = run(PRELUDE + source)
    assert trace.error is None
    lines = trace.stdout.splitlines()
    assert lines[0] == "3 ['bias']"
    assert all(line.endswith("True") for line in lines[1:9])
    assert lines[9:] == ["AttributeError"] * 3
