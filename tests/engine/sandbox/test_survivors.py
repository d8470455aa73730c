"""Nothing of a run outlives it in the process that runs the next one."""

from __future__ import annotations

import enum
import fnmatch
import gc
import re
import weakref
from typing import Final

import pytest

from gradflow.engine import run as engine_run
from gradflow.engine.preload import load_everything
from gradflow.engine.run import run
from gradflow.engine.sandbox import rules
from gradflow.engine.sandbox.rules import RULES

IMPORTING: Final = """
import pprint, zipfile, tqdm, argparse, logging, enum, typing, re, fnmatch, unittest, csv, io, torch
from dataclasses import dataclass
class Text(str): pass
class Own(torch.Tensor): pass
@dataclass
class Row: x: int = 1
class Slotted:
    __slots__ = ("a",)
    again = torch.nn.Module.train
Slotted.a, Slotted.again
pprint.pprint(Row())
pprint.PrettyPrinter(width=10).pprint([1, 2])
print(re.findall(Text("a"), "banana"), fnmatch.fnmatch("a.py", Text("*.py")), re.compile(pattern=Text("b")).pattern)
class Double(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x: x * 2)
    backward = staticmethod(lambda ctx, g: g * 2)
Double.apply(torch.ones(2, requires_grad=True)).sum().backward()
try: unittest.TestCase.addClassCleanup(Row)
except RuntimeError as error: print(error)
print(torch.add(torch.ones(2).as_subclass(Own), torch.ones(2)) + 1, type(Row), type(Own))
"""


def test_the_session_of_a_run_goes_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    sessions: list[weakref.ref[object]] = []
    plain = engine_run._Session

    class Watched(plain):  # type: ignore[misc, valid-type]  # the class that `run` makes
        def __init__(self, *given: object) -> None:
            super().__init__(*given)  # type: ignore[arg-type]
            sessions.append(weakref.ref(self))

    monkeypatch.setattr(engine_run, "_Session", Watched)
    before = 0
    for _ in range(3):
        trace = run(IMPORTING)
        assert trace.error is None, trace.error
        trace.json()
        before = before or len(RULES)
        del trace
    gc.collect()
    assert [each() for each in sessions] == [None] * 3
    assert len(RULES) == before == len(rules.READABLE)


def test_no_cache_of_the_library_keeps_what_programs_asked_with() -> None:
    assert run(IMPORTING).error is None
    patterns = vars(re)["_cache"]
    assert all(type(part) in (type, str, bytes, int) for key in patterns for part in key)
    assert vars(fnmatch)["_compile_pattern"].cache_info().currsize == 0
    source = "import pytest\nclass T(str): pass\nwith pytest.raises(ValueError, match=T('zz')): raise ValueError('zz')"
    assert run(source).error is None
    assert all(key[0] in (str, bytes) for key in patterns)


def test_no_enumeration_is_made_by_a_call_while_a_program_runs() -> None:
    source = "from enum import Enum\nclass E(Enum): A = 1\nprint(E.__mro__, E.__bases__)"
    assert run(source).stdout == "(<enum 'E'>, <enum 'Enum'>, <class 'object'>) (<enum 'Enum'>,)\n"
    assert [each.name for each in enum.Enum("Own", "a b")] == ["a", "b"]


def test_the_metaclasses_of_what_programs_derive_from_have_been_read() -> None:
    load_everything()
    found = {type(cls) for cls in RULES if RULES[cls].subclass}
    read = {"type", "ABCMeta", "_ProtocolMeta", "EnumType"}
    assert {kind.__name__ for kind in found} <= read
    assert enum.EnumType not in found


def test_suspended_generators_end_with_the_run() -> None:
    source = """
def numbers():
    try:
        yield 1
    finally:
        print("ended", kept)
def stubborn():
    while True:
        try: yield 2
        except GeneratorExit: pass
class A: pass
kept = A.__name__
first, second = numbers(), stubborn()
next(first), next(second)
print("last")
"""
    trace = run(source)
    assert (trace.error, trace.stdout) == (None, "last\nended A\n")
    trace.json()
    gc.collect()


@pytest.mark.parametrize(
    "body",
    [
        "class S(io.StringIO):\n    def close(self): print('code')",
        "class M:\n    def close(self): print('code')\nclass S(M, io.BytesIO): pass",
        "class S(io.StringIO): pass\nS.close = print",
        "class S(io.StringIO): pass\nS().close = print",
        "class S(io.StringIO):\n    closed = property(print)",
    ],
)
def test_nothing_of_a_program_runs_as_a_buffer_ends(body: str) -> None:
    trace = run(f"import io\n{body}")
    assert trace.error is not None
    assert trace.error.type in ("RuntimeError", "AttributeError")
    assert "code" not in trace.stdout


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_generator_that_will_not_end_goes_with_its_run() -> None:
    source = """
import weakref
class Kept: pass
def stubborn(held):
    while True:
        try: yield
        except GeneratorExit: pass
gens = [stubborn(Kept()) for _ in range(3)]
for each in gens: next(each)
"""

    def kept() -> int:
        return sum(type(each).__name__ == "Kept" for each in gc.get_objects())

    assert run(source).error is None
    gc.unfreeze()  # a process that runs programs ends; this one would keep it
    gc.collect()
    assert kept() == 0


def test_generators_end_from_the_outer_to_the_inner() -> None:
    source = """
def lines(name):
    try:
        for each in "ab": yield each
    finally: print(name)
def upper(src):
    try:
        for each in src: yield each.upper()
    finally: print("upper")
first, second = lines("first"), lines("second")
outer = upper(map(str, (x for x in lines("inner"))))
print(next(first), next(outer), next(second))
"""
    assert run(source).stdout == "a A a\nfirst\nsecond\nupper\ninner\n"
