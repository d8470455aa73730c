"""NumPy runs no code of the program while it walks through a list that the program can change."""

from __future__ import annotations

import collections
import enum
from collections.abc import Iterator

import numpy as np
import pytest

from gradflow.engine.preload import load_everything
from gradflow.engine.run import run
from gradflow.engine.sandbox.classes.kept_whole import gives_array, unshared

REFUSED = "NumPy arrays of dtype object are not available in Gradflow"
UNEVEN = (
    "setting an array element with a sequence. The requested array has an inhomogeneous shape after 1 dimensions. The"
    " detected shape was (501,) + inhomogeneous part."
)
"""Of what is a number to NumPy: it asks for no items."""
EMPTIES = """
import collections, copy, enum, numpy as np, torch, weakref
held = []
def empty():
    held.clear()
    global kept
    kept = [[k] * 7 for k in range(1000)]
    return 2
class Items:
    def __len__(self): return empty()
    def __getitem__(self, k): return 1.0
class Number:
    def __float__(self): return float(empty())
class Kind(type):
    def __len__(cls): return empty()
    def __getitem__(cls, k): return 1.0
class Made(metaclass=Kind): pass
class Member(enum.Enum):
    A = 1
    def __len__(self): return empty()
    def __getitem__(self, k): return 1.0
class Key:
    def __hash__(self): return empty()
    def __eq__(self, other): return False
class Real(float):
    def __len__(self): return empty()
    def __getitem__(self, k): return 1.0
class Row(list):
    def __iter__(self): empty(); return iter([1.0, 2.0])
class Layer(torch.nn.Module):
    def __len__(self): return empty()
    def __getitem__(self, k): return 1.0
class Rows(torch.utils.data.Dataset):
    def __len__(self): return empty()
    def __getitem__(self, k): return 1.0
"""


def outcome(source: str) -> str:
    trace = run(source)
    return trace.stdout if trace.error is None else trace.error.message


@pytest.mark.parametrize(
    "first",
    [
        "Items()",
        "Made",
        "Member.A",
        "Layer()",
        "Rows()",
        "Real()",
        "Row([1.0, 2.0])",
        "collections.ChainMap({}, {Key: 1})",
        "torch.utils.data.Subset(Rows(), [0])",
        "torch.utils.data.ConcatDataset([Rows()])",
    ],
)
@pytest.mark.parametrize(
    "use",
    ["np.array(held)", "np.zeros((501, 2))[...] = held", "np.ones(2) + held", "np.mean(held)", "np.ones(2).dot(held)"],
)
def test_no_sequence_of_the_program_is_taken_apart(first: str, use: str) -> None:
    filled = f"held += [{first}] + [[float(k), 2.0] for k in range(500)]\n"
    assert outcome(EMPTIES + filled + use) in (REFUSED, UNEVEN)


@pytest.mark.parametrize("use", ["np.array(held, dtype=float)", "np.zeros(501)[...] = held", "np.array(held, 'f4')"])
def test_no_number_of_the_program_is_asked_within_a_list(use: str) -> None:
    assert outcome(f"{EMPTIES}held += [Number()] + [1.0] * 500\n{use}") == REFUSED


@pytest.mark.parametrize("use", ["np.array(held, dtype=str)", "np.array([held], str)", "np.asarray(a=held, dtype='U')"])
def test_a_list_is_not_emptied_while_its_texts_are_made(use: str) -> None:
    told = "class Told:\n    def __repr__(self): empty(); return 'told'\nheld += [{1: Told()}] + ['a'] * 5000\n"
    assert outcome(f"{EMPTIES}{told}print({use}.size, len(held))") == "5001 0\n"


def test_what_numpy_knows_by_itself_stays_in_arrays() -> None:
    source = """
import collections, enum, numpy as np
Point = collections.namedtuple('Point', 'x y')
class Colour(enum.IntEnum):
    RED = 1
    BLUE = 2
    def __str__(self): return self.name
class Celsius(float): pass
class Stack(list): pass
class Scale:
    def __radd__(self, other): return 0
    def __eq__(self, other): return other > 1
print(np.array([Point(1, 2), Point(3, 4)]).sum(), np.array([Colour.RED, Colour.BLUE]), np.array([Celsius(1.5)]))
print(np.array(Stack([1, 2])), np.arange(3.) == Scale())
"""
    assert outcome(source) == "10 [1 2] [1.5]\n[1 2] [False False  True]\n"


def test_the_classes_of_the_engine_that_have_a_length_and_items() -> None:
    """NumPy would take their objects apart, and some of them hold objects of the program."""
    load_everything()
    built_in = (int, float, complex, str, bytes, list, tuple, dict)
    taken = {
        cls.__name__
        for cls in _all_below(object)
        if str(cls.__module__).startswith(("gradflow.engine", "torch"))
        and not issubclass(cls, (*built_in, enum.EnumType))
        if hasattr(cls, "__len__") and hasattr(cls, "__getitem__") and "__array__" not in dir(cls)
    }
    numbers_and_names = {"TypedStorage", "UntypedStorage", "Axes"}
    assert {name for name in taken - numbers_and_names if not issubclass_of_enum(name)} == set()


def issubclass_of_enum(name: str) -> bool:
    return any(cls.__name__ == name for cls in _all_below(enum.Enum))


def _all_below(cls: type) -> Iterator[type]:
    for each in type.__subclasses__(cls):
        yield each
        if each is not cls:
            yield from _all_below(each)


def test_lists_within_lists_and_tuples_are_copied() -> None:
    inner, row = [1, 2], collections.deque([1])
    found = unshared([inner, (inner, row), 3])
    assert found == [inner, (inner, row), 3]
    assert found[0] is not inner
    assert found[1][0] is not inner
    assert found[1][1] is row


def test_an_array_of_ones_own_is_not_a_refusal() -> None:
    assert gives_array(np.ndarray)
    assert not gives_array(float)


@pytest.mark.parametrize("base", ["dict", "set", "frozenset"])
def test_texts_of_what_has_no_order_are_not_asked_for(base: str) -> None:
    source = f"""
import numpy as np
class Kept({base}):
    def __repr__(self): raise ValueError("asked")
texts = np.zeros(2, "U5")
texts[:] = [Kept(), "a"]
"""
    assert REFUSED in outcome(source)
