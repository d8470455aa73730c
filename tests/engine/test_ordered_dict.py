"""``collections.OrderedDict`` of programs: as CPython's, but for what a hostile key does to that one."""

from __future__ import annotations

import collections
import sys
from typing import Any

import pytest

from gradflow.engine.ordered_dict import OrderedDict
from gradflow.engine.run import run


def both(use: Any) -> list[Any]:
    return [use(made) for made in (OrderedDict, collections.OrderedDict)]


@pytest.mark.parametrize(
    "use",
    [
        lambda made: repr(made([("a", 1), ("b", 2)], c=3)),
        lambda made: repr(made()),
        lambda made: [repr(view) for d in [made(a=1, b=2)] for view in (d.keys(), d.values(), d.items())],
        lambda made: [list(reversed(view)) for d in [made(a=1, b=2)] for view in (d, d.keys(), d.values(), d.items())],
        lambda made: (made(a=1, b=2) == made(b=2, a=1), made(a=1, b=2) == {"b": 2, "a": 1}, made(a=1) != made(a=1)),
        lambda made: (list(made(a=1) | {"b": 2}), list({"b": 2} | made(a=1)), type(made() | {}) is made),
        lambda made: (made(a=1).copy() == {"a": 1}, list(made.fromkeys("ba", 0).items())),
        lambda made: made(a=1, b=2).keys() & {"a"},
        lambda made: made.__name__ + made.__module__,
    ],
)
def test_it_does_what_the_library_s_does(use: Any) -> None:
    ours, theirs = both(use)
    assert ours == theirs


@pytest.mark.parametrize("last", [True, False])
def test_its_order_is_changed_as_the_library_s(last: bool) -> None:
    def use(made: Any) -> list[Any]:
        held = made(zip("abcd", range(4), strict=True))
        held.move_to_end("b", last)
        return [list(held), held.popitem(last), list(held.items())]

    ours, theirs = both(use)
    assert ours == theirs


@pytest.mark.parametrize("wrong", [lambda made: made(a=1).move_to_end("b"), lambda made: made().popitem()])
def test_its_errors_are_the_library_s(wrong: Any) -> None:
    told = []
    for made in (OrderedDict, collections.OrderedDict):
        with pytest.raises(KeyError) as raised:
            wrong(made)
        told.append(str(raised.value))
    assert told[0] == told[1]


def test_a_class_that_writes_items_in_its_own_way_is_asked_for_all() -> None:
    class Upper(OrderedDict):
        def __setitem__(self, key: str, value: object) -> None:
            super().__setitem__(key.upper(), value)

    held = Upper(a=1)
    held.update(b=2)
    held |= {"c": 3}
    assert list(held) == ["A", "B", "C"]


def test_keys_that_empty_it_while_it_is_written() -> None:
    source = """
from collections import OrderedDict
import typing
class Key:
    calls = 0
    def __hash__(self): return 1
    def __eq__(self, other):
        Key.calls += 1
        if Key.calls % 7 == 0: held.clear()
        if Key.calls % 11 == 0: held.update({k: 1 for k in range(300)})
        return False
for _ in range(20):
    held = OrderedDict()
    given = OrderedDict.fromkeys([Key() for _ in range(30)])
    for use in (lambda: held.update(given), lambda: given.update(held), lambda: held.move_to_end(Key()), lambda: held | given):
        try: use()
        except (RuntimeError, KeyError): pass
print(typing.OrderedDict[int, int].__class__ is not None, typing.get_origin(typing.OrderedDict[int, int]) is OrderedDict)
"""
    trace = run(source)
    assert (trace.stdout, trace.error) == ("True True\n", None)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="printed as dictionaries are")
def test_it_holds_itself() -> None:
    held = OrderedDict()
    held["a"] = held
    assert repr(held) == "OrderedDict([('a', ...)])"
