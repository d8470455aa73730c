"""Methods that hold the parts which they call the program with: what they give, and that a process of a run has them."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict, deque
from io import BytesIO, StringIO
from types import WrapperDescriptorType
from typing import Final

import pytest

from gradflow.backend.jail import unconfined
from gradflow.engine.run import run
from gradflow.engine.sandbox import gate
from tests.engine.sandbox.shown_classes import shown_classes

FREEING: Final = """
keep = []
class A:
    def __repr__(self):
        free()
        keep.append([bytes(k) for k in range(20, 90) for _ in range(50)])
        return 'A'
class B:
    def __repr__(self): return 'B'
def part(): return slice(A(), B(), B())
"""
"""A text of a part, which calls the program before it is at the end of it."""
ERRORS: Final = [
    "ValueError",
    "KeyError",
    "StopIteration",
    "ImportError",
    "SyntaxError",
    "OSError",
    "Exception",
    "LookupError",
]


@pytest.mark.parametrize(("told", "text"), [("str(e)", "slice(A, B, B)"), ("repr(e)", "{kind}(slice(A, B, B))")])
def test_an_error_holds_its_arguments_while_it_is_told(told: str, text: str) -> None:
    tried = f"for kind in ({', '.join(ERRORS)}):\n    e = kind(part())\n    def free(): e.__init__('other')\n    print({told})\n"
    trace = unconfined.run(FREEING + tried)
    assert trace.error is None
    assert trace.stdout == "".join(f"{text.format(kind=kind)}\n" for kind in ERRORS)


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("x = [part()]\ndef free(): x.clear()\nprint(x)", "[slice(A, B, B)]\n"),
        ("x = [1, part()]\ndef free(): x.clear()\nprint(str([x]), f'{x}')", "[[1, slice(A, B, B)]] []\n"),
        (
            "from collections import defaultdict\nclass D(defaultdict): pass\nfor kind in (defaultdict, D):\n    d = kind(None)\n"
            "    class F:\n        def __call__(self):\n            d.__init__(None)\n            return 5\n"
            "    d.__init__(F())\n    print(d[1], d.default_factory, d)",
            "5 None defaultdict(None, {1: 5})\n5 None D(None, {1: 5})\n",
        ),
        (
            "from collections import defaultdict\nd = defaultdict(None)\nclass A:\n    def __lt__(self, other):\n"
            "        d.__init__(None)\n        keep.append([7] * 3)\n        return False\n"
            "d.__init__([A() for _ in range(100)].sort)\nprint(d[1])\nx = [[i] * 100 for i in range(1000)]",
            "None\n",
        ),
    ],
)
def test_what_is_in_a_list_or_makes_values_is_held(program: str, text: str) -> None:
    trace = unconfined.run(FREEING + program)
    assert trace.error is None, trace.error
    assert trace.stdout == text


def test_they_tell_what_python_tells() -> None:
    """In a process of its own, for what is put in is put in for all of it."""
    program = """
import errno, pprint
from collections import Counter, defaultdict
class Derived(list): pass
class Missing(defaultdict):
    def __missing__(self, key): return key * 2
itself = [1]
itself.append(itself)
class Own(Exception):
    def __str__(self): return 'own'
def told():
    values = [[], [1, 'a', [2.5]], itself, Derived([1]), (ValueError(), [KeyError('a')]), ValueError(1), ValueError(1, 'b'), KeyError(),
        KeyError('a'), KeyError(1, 2), OSError(2, 'no', 'f'), OSError(2, 'no', 'f', None, 'g'), OSError(), ImportError('a', name='b'),
        SyntaxError('a', ('f', 1, 2, 'x')), SyntaxError(), StopIteration(3), Own(1), SystemExit(2), AttributeError('a', name='x', obj=1),
        ExceptionGroup('g', [ValueError(1)]), UnicodeEncodeError('a', 'b', 0, 1, 'c'), defaultdict(int, {1: 2}), defaultdict(None)]
    d = defaultdict(list)
    d['a'].append(1)
    d['b']
    long = [list(range(30)), defaultdict(list, {k: list(range(20)) for k in range(3)}), Derived(range(40))]
    try: defaultdict(None)[1, 2]
    except KeyError as error: missing = (error.args, str(error))
    return [(str(v), repr(v)) for v in values], d, Missing(int)[4], missing, pprint.pformat(long), defaultdict(lambda: 5)[0]
before = told()
from gradflow.engine.sandbox.interpreter.built_in_methods import guard_built_in_methods
guard_built_in_methods()
after = told()
assert str(before) == str(after), (before, after)
print(type(list.__repr__).__name__)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "function\n"), done.stderr


BEGUN_ANEW: Final = {list, dict, set, deque, defaultdict, StringIO, BytesIO}
"""Types that programs can call ``__init__`` of on an object once more, beside errors: of these somebody has read what is freed then."""


def test_what_begins_anew_was_looked_at() -> None:
    found = set[type]()
    for kind in shown_classes():
        owner = next(each for each in kind.__mro__ if "__init__" in vars(each))
        if gate._special_readable(kind, "__init__") and type(vars(owner)["__init__"]) is WrapperDescriptorType:
            found.add(owner)
    assert {each for each in found - {object} if not issubclass(each, BaseException)} == BEGUN_ANEW


@pytest.mark.parametrize("made", ["property(len)", "staticmethod(len)", "struct.Struct('i')", "random.Random(1)"])
def test_all_others_are_made_once(made: str) -> None:
    trace = run(f"import random, struct\nx = {made}\nx.__init__")
    assert trace.error is not None
    assert "the attribute '__init__' cannot be used" in trace.error.message
