"""Iterators that are asked by one at a time give what those of ``itertools`` give."""

from __future__ import annotations

import itertools
import operator
from typing import Any

import pytest

from gradflow.engine.sandbox.interpreter import iterators

OURS: dict[str, Any] = dict(iterators.members())


def _shown(kind: Any, given: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
    made = kind(*given, **named)
    if kind.__name__ == "groupby":
        return [(key, list(group)) for key, group in made]
    return list(itertools.islice(made, 20))


@pytest.mark.parametrize(
    ("name", "given", "named"),
    [
        ("accumulate", ([1, 2, 3],), {}),
        ("accumulate", ([1, 2, 3], operator.mul), {"initial": 5}),
        ("chain", ("ab", [1]), {}),
        ("chain", (), {}),
        ("count", (), {}),
        ("count", (5, 2.5), {}),
        ("count", (), {"start": 2, "step": -1}),
        ("cycle", ("ab",), {}),
        ("groupby", ("aabbba",), {}),
        ("groupby", ([1, 3, 2, 5], lambda x: x % 2), {}),
        ("groupby", ([1, 3, 2],), {"key": str}),
        ("islice", ("abcdef", 2), {}),
        ("islice", ("abcdef", 1, None, 2), {}),
        ("pairwise", ("abc",), {}),
        ("zip_longest", ("abc", "d"), {"fillvalue": "-"}),
    ],
)
def test_they_give_the_same(name: str, given: tuple[Any, ...], named: dict[str, Any]) -> None:
    assert _shown(OURS[name], given, named) == _shown(getattr(itertools, name), given, named)


def test_a_group_ends_where_the_next_begins() -> None:
    groups = OURS["groupby"]
    held = [group for _, group in groups("aab")]
    assert [list(each) for each in held] == [list(each) for each in [group for _, group in itertools.groupby("aab")]]


@pytest.mark.parametrize(
    ("name", "given"), [("islice", ("abc",)), ("accumulate", ()), ("cycle", (5,)), ("count", ("a",)), ("chain", (5,))]
)
def test_they_refuse_in_the_same_words(name: str, given: tuple[Any, ...]) -> None:
    said = []
    for kind in (OURS[name], getattr(itertools, name)):
        with pytest.raises(TypeError) as raised:
            list(kind(*given))
        said.append(str(raised.value))
    assert said[0] == said[1]


def test_chain_is_made_of_an_iterable_of_iterables() -> None:
    kind = OURS["chain"]
    made = kind.from_iterable(iter(["ab", "c"]))
    assert isinstance(made, kind)
    assert list(made) == ["a", "b", "c"]


def test_they_are_named_as_those_of_python() -> None:
    kind = OURS["islice"]
    assert repr(kind("a", 1)).startswith("<itertools.islice object at 0x")
    count = OURS["count"]
    assert repr(count(3, 2)) == "count(3, 2)"


def test_none_is_asked_while_it_answers() -> None:
    kind = OURS["islice"]
    made: Any = None

    def within() -> Any:
        yield next(made)

    made = kind(within(), 3)
    with pytest.raises(ValueError, match="islice already executing"):
        next(made)
    assert list(made) == []
