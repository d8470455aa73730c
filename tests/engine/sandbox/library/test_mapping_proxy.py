"""``types.MappingProxyType``: a dictionary is read through it, and never handed out."""

from __future__ import annotations

import pytest

from gradflow.engine.run import run

HEAD = "from types import MappingProxyType\nheld = {'a': 1}\nview = MappingProxyType(held)\n"


def printed(source: str) -> str:
    trace = run(HEAD + source)
    assert trace.error is None, trace.error
    return trace.stdout.rstrip("\n")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (
            "repr(view), str(view), len(view), list(view), view.get('b', 2)",
            "(\"mappingproxy({'a': 1})\", \"{'a': 1}\", 1, ['a'], 2)",
        ),
        (
            "view == held, view == MappingProxyType({'a': 1}), view == 1, view | {'b': 2}",
            "(True, True, False, {'a': 1, 'b': 2})",
        ),
        (
            "{**view}, dict(view), list(view.items()), isinstance(view, MappingProxyType)",
            "({'a': 1}, {'a': 1}, [('a', 1)], True)",
        ),
    ],
)
def test_it_is_read_as_the_dictionary(expression: str, value: str) -> None:
    assert printed(f"print(({expression}))") == value


def test_what_is_written_into_the_dictionary_shows() -> None:
    assert printed("held['b'] = 2\nprint(view['b'], len(view))") == "2 2"


@pytest.mark.parametrize(
    "statement",
    [
        "view['a'] = 2",
        "del view['a']",
        "view.a = 2",
        "view._shown",
        "view._shown = {}",
        "MappingProxyType([1])",
        "hash(view)",
    ],
)
def test_nothing_is_written_through_it_and_nothing_else_is_shown(statement: str) -> None:
    assert run(HEAD + statement).error is not None
    assert printed(f"try:\n    {statement}\nexcept Exception: pass\nprint(held)") == "{'a': 1}"


def test_what_it_is_compared_with_is_given_a_copy() -> None:
    source = (
        "class Other(dict):\n    def __eq__(self, other): other['b'] = 2; return True\nprint(view == Other(), held)"
    )
    assert printed(source) == "True {'a': 1}"
