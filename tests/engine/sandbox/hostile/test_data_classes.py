"""Methods that Python writes for data classes read and write fields as the program could, whenever a class came to be."""

from __future__ import annotations

from typing import Final

import pytest

from gradflow.engine.run import run

PRELUDE: Final = """
import copy, dataclasses, pprint, unittest
from typing import Any
import torch
from torch import nn
class Spy:
    def _told(self, raw):
        if 'built-in' in str(raw) or '_set_registered' in str(raw): print('LEAK', raw)
        return True
    __eq__ = __lt__ = __gt__ = _told
    __hash__ = object.__hash__
def tried(*calls):
    for call in calls:
        try:
            call()
        except (AttributeError, RuntimeError, TypeError):
            continue
"""
MEANWHILE: Final = """
found, turn = [], 0
class Asked:
    def __get__(self, held, owner=None):
        global turn
        turn += 1
        if held is None and turn > {after} and not found:
            found.append(None)
            {made}
        return 1
class A:
    {field}: Any
    x: Any = Asked()
tried(lambda: dataclasses.dataclass({options})(A))
"""
TEXT: Final = """
for B in found[1:]:
    mine, other = str.__new__(B, '{0.__globals__}'), str.__new__(B, 'x')
    tried(
        lambda: A.__init__(other, Spy()), lambda: setattr(other, 'format', Spy()), lambda: mine == other, lambda: other == mine,
        lambda: mine < other, lambda: A.__eq__(mine, other), lambda: A.__lt__(mine, other), lambda: A.__hash__(mine),
        lambda: A.__repr__(mine), lambda: dataclasses.replace(mine), lambda: copy.copy(mine), lambda: copy.deepcopy(mine),
        lambda: Spy()._told(dataclasses.asdict(mine)['format']), lambda: Spy()._told(dataclasses.astuple(mine)[0]),
    )
"""
MODULE: Final = """
for B in found[1:]:
    m = B.__new__(B)
    nn.Module.__init__(m)
    tried(lambda: A.__init__(m, {'x': 5}))
    assert list(nn.Module.parameters(m)) == []
    other = B.__new__(B)
    nn.Module.__init__(other)
    tried(lambda: m == other, lambda: A.__eq__(m, Spy()), lambda: Spy()._told(list(dataclasses.asdict(m).values())[0]))
"""
OTHERS: Final = """
f = dataclasses.field()
@dataclasses.dataclass
class A:
    x: Any = f
@dataclasses.dataclass
class B:
    format: Any = f
@dataclasses.dataclass
class C(A, str):
    def __new__(cls, text, *rest): return str.__new__(cls, text)
assert [each.name for each in dataclasses.fields(A)] == ['x']
other = str.__new__(C, 'x')
C.__init__(other, Spy())
tried(lambda: str.__new__(C, '{0}') == other)
---
@dataclasses.dataclass(init=False, eq=False)
class A1:
    other: Any = 1
@dataclasses.dataclass
class A2:
    format: Any
def derive():
    class C(A1, A2, str): pass
    print('LEAK')
tried(derive)
---
@dataclasses.dataclass(init=False, eq=False)
class A1:
    other: Any = 1
@dataclasses.dataclass(eq=False)
class A2:
    _callTestMethod: Any
def derive():
    class C(A1, A2, unittest.TestCase): pass
    print('LEAK')
tried(derive)
---
class Base: format = 1
turn = 0
class Asked:
    def __get__(self, held, owner=None):
        global turn
        turn += 1
        if turn == 2: del Base.format
        return 1
class A(Base, str):
    x: Any = Asked()
    format: Any
tried(lambda: dataclasses.dataclass(A), lambda: print('LEAK', dataclasses.fields(A)))
---
kept = []
class Later:
    def __repr__(self):
        kept.append(1)
        try:
            class B(A, str): pass
            kept.append(B)
            other = str.__new__(B, 'x')
            tried(lambda: A.__init__(other, Spy()), lambda: str.__new__(B, '{0}') == other)
        except RuntimeError: pass
        return 'x'
class A:
    format: Any = Later()
tried(lambda: dataclasses.dataclass(A))
assert kept
""".strip().split("\n---\n")


def _fine(program: str) -> None:
    trace = run(PRELUDE + program)
    assert (trace.error, trace.stdout) == (None, "")


@pytest.mark.parametrize("after", range(5))
@pytest.mark.parametrize("options", ["", "order=True", "frozen=True", "unsafe_hash=True", "slots=True"])
def test_a_class_of_texts_that_is_derived_meanwhile_gives_no_method_of_python(options: str, after: int) -> None:
    """``A`` has a field ``format``, and becomes the base of a text while its defaults are read."""
    made = "found.append(type('B', (A, str), {'__hash__': None}))"
    _fine(MEANWHILE.format(after=after, made=made, field="format", options=options) + TEXT)


@pytest.mark.parametrize("after", range(5))
@pytest.mark.parametrize("options", ["", "eq=False", "frozen=True"])
@pytest.mark.parametrize("field", ["_parameters", "_apply", "_set_registered", "_buffers"])
def test_a_module_that_is_derived_meanwhile_keeps_what_is_its_own(field: str, options: str, after: int) -> None:
    made = "found.append(type('B', (A, nn.Module), {'__hash__': object.__hash__}))"
    _fine(MEANWHILE.format(after=after, made=made, field=field, options=options) + MODULE)


@pytest.mark.parametrize("program", OTHERS)
def test_fields_of_all_bases_are_looked_at_under_all_names(program: str) -> None:
    _fine(program)
