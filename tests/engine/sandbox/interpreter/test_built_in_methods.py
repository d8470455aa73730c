"""Methods in the place of Python's own: what they give, and that a process of a run has them."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from gradflow.backend.jail import unconfined
from gradflow.engine.sandbox.interpreter import built_in_methods

_set_item = built_in_methods._with_items_at_hand
_text = built_in_methods._text_of_error


class Emptying:
    """Items that empty a list before they are given."""

    def __init__(self, emptied: list[Any], count: int) -> None:
        self._emptied, self._count = emptied, count

    def __iter__(self) -> Any:
        self._emptied.clear()
        return iter(range(self._count))


def test_a_list_is_counted_when_the_items_are_at_hand() -> None:
    places = list(range(10))
    with pytest.raises(ValueError, match="attempt to assign sequence of size 5 to extended slice of size 0"):
        _set_item(places, slice(None, None, 2), Emptying(places, 5))
    assert places == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (0, 7),
        (-1, None),
        (slice(1, 3), "abc"),
        (slice(None, None, 2), "abcde"),
        (slice(None, None, 2), range(5)),
        (slice(None, None, -1), {k: k for k in range(9)}),
        (slice(2, 2), ()),
        (slice(None, None, 3), map(str, range(3))),
        (slice(0, 9, 1), iter([1])),
    ],
)
def test_a_list_takes_what_it_took(key: Any, value: Any) -> None:
    ours, theirs = list(range(9)), list(range(9))
    kept = list(value) if isinstance(value, map) or hasattr(value, "__next__") else value
    _set_item(ours, key, iter(kept) if kept is not value else value)
    theirs[key] = kept
    assert ours == theirs


@pytest.mark.parametrize("key", [slice(0, 3), slice(0, 3, 1), slice(0, 3, 2), 9, "a", 1.5])
def test_a_list_refuses_in_the_same_words(key: Any) -> None:
    said = []
    for write in (_set_item, list.__setitem__):
        with pytest.raises((TypeError, IndexError)) as raised:
            write([1, 2, 3], key, 5)
        said.append((raised.type, str(raised.value)))
    assert said[0] == said[1]


@pytest.mark.parametrize("name", ["__lt__", "__le__", "__gt__", "__ge__"])
@pytest.mark.parametrize("other", [[1, 2], [1, 3], [0], [], [1, 2, 3], (1, 2), None])
def test_lists_have_the_order_that_they_had(name: str, other: Any) -> None:
    compare = built_in_methods._of_copies(built_in_methods._ORDERS[name])
    assert compare([1, 2], other) is built_in_methods._ORDERS[name]([1, 2], other)


@pytest.mark.parametrize(("start", "end"), [(0, 1), (2, 3), (0, 3), (1, 1), (5, 6), (3, 4)])
def test_an_error_of_decoding_is_told_as_python_tells_it(start: int, end: int) -> None:
    error = UnicodeDecodeError("utf-8", b"a\xffc", start, end, "invalid start byte")
    assert _text(error) == str(error)


@pytest.mark.parametrize("start", [-1, -(10**12), -(2**62), 2**62])
def test_no_byte_is_read_outside_of_what_was_decoded(start: int) -> None:
    error = UnicodeDecodeError("utf-8", b"abc", start, start + 1, "x")
    assert _text(error) == f"'utf-8' codec can't decode bytes in position {start}-{start}: x"


def test_an_error_that_was_told_nothing_is_empty() -> None:
    assert _text(UnicodeDecodeError.__new__(UnicodeDecodeError)) == ""


def test_counting_counts() -> None:
    ours: Counter[str] = Counter(a=1)
    built_in_methods._count(ours, "abca")
    assert ours == Counter("aabca")


_PROGRAM = """
import collections
def emptied(places, count):
    places.clear()
    yield from range(count)
def statement(places):
    places[::2] = emptied(places, 500)
told = []
for write in (lambda x: list.__setitem__(x, slice(None, None, 2), emptied(x, 500)), lambda x: statement(x)):
    places = list(range(1000))
    try: write(places)
    except ValueError as error: told.append(type(error).__name__)
class Items:
    asked = 0
    def __getitem__(self, index):
        if index < 2: return index
        Items.asked += 1
        if Items.asked == 1:
            try: next(items)
            except ValueError as error: told.append(str(error))
        raise IndexError
items = iter(Items())
print(told, list(items), told[-1], str(UnicodeDecodeError('a', b'b', -2, -1, 'c')))
print(collections.Counter('aab'), list(Items()))
"""


def test_a_run_has_them() -> None:
    printed = unconfined.run(_PROGRAM).stdout
    assert "iterator already executing" in printed
    assert "[0, 1] iterator" in printed
    assert "can't decode bytes in position -2--2: c" in printed
    assert "Counter({'a': 2, 'b': 1})" in printed
    assert "['ValueError', 'ValueError'" in printed


def test_types_stay_closed_and_importing_changes_nothing() -> None:
    """In a process of its own, for what is put in is put in for all of it."""
    program = """
from gradflow.engine.sandbox.interpreter import built_in_methods as own
before = list.__setitem__
assert before is own._set_item
own.guard_built_in_methods()
own.guard_built_in_methods()
assert list.__setitem__ is own._with_items_at_hand
for kind in (list, UnicodeDecodeError, own._Iterator):
    try:
        kind.__len__ = None
    except TypeError:
        continue
    raise AssertionError(kind)
class Derived(list): pass
x = Derived([1, 2, 3])
x[::2] = (each for each in 'ab')
assert x == ['a', 2, 'b']
del x[0]
x[-1] = 5
assert x == [2, 5]
"""
    subprocess.run([sys.executable, "-c", program], check=True)
