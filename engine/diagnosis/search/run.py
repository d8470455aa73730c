"""The searches, in the order in which their readings are tried."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding, Reading
from gradflow.engine.diagnosis.fixers import SEARCHES
from gradflow.engine.diagnosis.related import FAMILIES
from gradflow.engine.diagnosis.search import kinds, names, numbers, order, slips
from gradflow.engine.diagnosis.search.reading import Search
from gradflow.engine.diagnosis.search.spots import spots
from gradflow.engine.errors import CATALOGUE
from gradflow.engine.errors.language import mistakes, program, python

_EACH: Final = 12
"""Readings of one search that are tried."""
_NAMES: Final = frozenset({python.NAME.code, "unexpected-keyword", "invalid-keyword", python.TYPE.code})
_VALUES, _SIZES, _KINDS = FAMILIES
_MISUSED: Final = frozenset(
    {mistakes.NEEDS_SELF.code, "too-many-arguments", "invalid-combination", mistakes.TAKES_NO_ARGUMENTS.code}
)
_UNRECORDED: Final = frozenset({"no-grad-fn", "input-no-grad", "unused-input"})
"""Errors of a graph that was not recorded: other arguments only lead another way around it."""
_OWN: Final = frozenset(
    kind.code for module in (program,) for kind in vars(module).values() if getattr(kind, "code", None) in CATALOGUE
) | {python.MEMORY.code, python.RECURSION.code, python.ASSERTION.code}
"""Errors that no small change mends."""

_SEARCHES: Final[tuple[tuple[Search, frozenset[str] | None], ...]] = (
    (names.names, frozenset({python.NAME.code})),
    (names.keywords, None),
    (slips.brackets, None),
    (slips.quoted, None),
    (slips.surplus, _MISUSED),
    (order.swapped, None),
    (kinds.dtypes, _KINDS | {"index-dtype", "one-hot-dtype"}),
    (kinds.plain, _VALUES),
    (numbers.sizes, _SIZES),
    (order.sides, _SIZES),
)
"""Each search with the errors that it is for, or None for any."""


def searched(code: str, case: Case) -> Iterator[Finding]:
    """The readings of an error that small changes of the program lead to."""
    if code in _OWN:
        return
    nodes = spots(case)
    for search, errors in _SEARCHES:
        if (errors is not None and code not in errors) or (search is order.swapped and code in _UNRECORDED):
            continue
        found: list[Reading] = [one for one in islice(search(case, nodes), _EACH) if one is not None]
        if found:
            yield Finding(fixes=[one.fix for one in found], guess=True, readings=found)


SEARCHES.append(searched)
