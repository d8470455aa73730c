"""``__setattr__`` and ``__delattr__`` that classes of a program inherit write what the program itself could have written."""

from __future__ import annotations

from typing import Final

import pytest

from gradflow.engine.run import run

PRELUDE: Final = """
import torch, torch.nn as nn, torch.nn.functional as F
class Plain: pass
class M(nn.Module):
    def put(self, name, value): super().__setattr__(name, value)
    def take(self, name): super().__delattr__(name)
class S(nn.Sequential): pass
class Text(str):
    def __eq__(self, other): return True
    __hash__ = str.__hash__
m, linear = M(), nn.Linear(1, 1)
def told(call):
    try:
        call()
        print("written")
    except (AttributeError, TypeError, RuntimeError, KeyError) as e:
        print(type(e).__name__)
"""
REFUSED: Final = """
m.put("__dict__", {})
m.put("__class__", nn.Linear)
m.put("__array_interface__", {})
m.put("_check_registered_name", print)
m.put(Text("__dict__"), {})
m.put(Text("good"), 1)
m.put(3, 1)
m.take("__dict__")
m.take("nothing")
nn.Module.__setattr__(m, "__class__", Plain)
nn.Module.__setattr__(linear, "forward", print)
nn.Module.__setattr__(linear, "_apply", print)
nn.Linear.__setattr__(linear, "forward", print)
object.__setattr__(linear, "forward", print)
object.__delattr__(linear, "in_features")
nn.Module.__delattr__(linear, "weight")
linear.__setattr__("_apply", print)
nn.Module.__setattr__(Plain(), "a", 1)
nn.Module.__setattr__(M, "a", 1)
nn.Module.__setattr__(nn.Linear, "a", 1)
nn.Module.__setattr__(F.gelu, "a", 1)
nn.Module.__setattr__(torch.ones(1), "a", 1)
nn.Module.__setattr__(told, "a", 1)
super(M, m).__setattr__("__dict__", {})
super(nn.Linear, linear).__setattr__("a", 1)
super(nn.Linear, linear).__delattr__("in_features")
S.__setattr__(S(), "_set_registered", print)
""".strip().splitlines()


@pytest.mark.parametrize("statement", REFUSED)
def test_other_writes_are_refused(statement: str) -> None:
    trace = run(f"{PRELUDE}told(lambda: {statement})\nprint(nn.Linear(1, 1)(torch.zeros(1)).shape, linear.in_features)")
    assert trace.error is None
    assert "written" not in trace.stdout
    assert trace.stdout.endswith("torch.Size([1]) 1\n")


@pytest.mark.parametrize(
    "statement",
    [
        "m.put('a', 1)",
        "m.put('_a', 1)",
        "m.put('w', nn.Parameter(torch.ones(1)))",
        "nn.Module.__setattr__(m, 'a', linear)",
        "M.__setattr__(m, 'a', 1)",
        "m.__setattr__('a', 1)",
        "object.__setattr__(m, 'a', linear)",
        "m.put('a', 1) or m.take('a')",
        "m.put('a', linear) or nn.Module.__delattr__(m, 'a')",
    ],
)
def test_names_of_the_program_are_written(statement: str) -> None:
    assert run(f"{PRELUDE}told(lambda: {statement})").stdout == "written\n"
