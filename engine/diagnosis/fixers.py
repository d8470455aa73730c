"""Which functions look for the cause of which error, and for its fix."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding, as_findings
from gradflow.engine.diagnosis.related import related
from gradflow.engine.errors import ErrorKind
from gradflow.engine.trace import Fix

Fixer: TypeAlias = Callable[[Case], Fix | None]
Finder: TypeAlias = Callable[[Case], Finding | None]

FIXERS: dict[str, Fixer] = {}
"""By the code of the error: what proposes a fix, under the words of the catalogue."""

FINDERS: dict[str, list[Finder]] = {}
"""By the code of the error: what says the cause in its own words, the likeliest first."""

LAST: dict[str, list[Finder]] = {}
"""By the code of the error: what looks for the cause where nothing else has found one."""

WRITTEN: list[Callable[[Case], Finding | None]] = []
"""What looks for slips of writing behind any error, before all others and without keeping these from being told."""

GENERAL: list[Callable[[str, Case], Finding | None]] = []
"""What looks for the cause of any error, by its code, where nothing else has found one."""


SEARCHES: list[Callable[[str, Case], Iterator[Finding]]] = []
"""What searches for small changes after which the program runs, where no fix is certain."""


def fixes(error_kind: ErrorKind) -> Callable[[Fixer], Fixer]:
    """Enter the function as the one that proposes a fix for this error. It gives None where it knows none."""

    def enter(fixer: Fixer) -> Fixer:
        FIXERS[error_kind.code] = fixer
        return fixer

    return enter


def finds(*error_kinds: ErrorKind) -> Callable[[Finder], Finder]:
    """Enter the function as one that looks for the cause of these errors, before those that are entered later."""

    def enter(finder: Finder) -> Finder:
        for error_kind in error_kinds:
            FINDERS.setdefault(error_kind.code, []).append(finder)
        return finder

    return enter


def finally_finds(*error_kinds: ErrorKind) -> Callable[[Finder], Finder]:
    """Enter the function as one that looks for the cause of these errors where nothing else has found it."""

    def enter(finder: Finder) -> Finder:
        for error_kind in error_kinds:
            LAST.setdefault(error_kind.code, []).append(finder)
        return finder

    return enter


def found_out(code: str, case: Case) -> Iterator[Finding]:
    """All that is found out about an error."""
    fixer = FIXERS.get(code)
    known: list[Finding] = []
    if fixer is not None:
        known = _looked(fixer, case)
    yield from (found for look in WRITTEN for found in _looked(look, case))
    told, certain = 0, True
    for finder in FINDERS.get(code, ()):
        for found in _looked(finder, case):
            told += 1
            certain = certain and bool(found.fixes or found.guess or (found.open and known))
            yield replace(found, fixes=known[0].fixes) if found.open and known else found
    yield from known
    if not told:
        last = [found for look in LAST.get(code, ()) for found in _looked(look, case)]
        yield from (found for found in last if found.fixes)
        yield from _from_family(code, case)
        yield from _searched(code, case)
        yield from (found for found in last if not found.fixes)
        yield from (found for general in GENERAL for found in _looked(partial(general, code), case))
    elif certain:
        yield from _searched(code, case)


def _searched(code: str, case: Case) -> list[Finding]:
    try:
        return [found for search in SEARCHES for found in search(code, case)]
    except (Exception, SystemExit, GeneratorExit):  # as below
        return []


_OF_ONE_KIND: Final = ("findings.optimizers", "models.state_dict", "models.devices", "models.probabilities")
"""Modules whose findings speak of what their own errors are about, and of nothing else."""


def _from_family(code: str, case: Case) -> Iterator[Finding]:
    """What those find that look for the causes of errors of the same family."""
    own = {*FINDERS.get(code, ()), *LAST.get(code, ())}
    others = dict.fromkeys(look for table in (FINDERS, LAST) for one in related(code) for look in table.get(one, ()))
    for look in others:
        if look not in own and not look.__module__.endswith(_OF_ONE_KIND):
            yield from (replace(found, guess=True, open=False) for found in _looked(look, case) if found.fixes)


_ADDRESS: Final = re.compile(r"<object object at 0x[0-9a-f]+>")


def _shows_address(found: Finding) -> bool:
    """Whether a sentence would tell a value that is not known, of which Python has no more to say than where it lies."""
    return found.says is not None and _ADDRESS.search(found.says.en) is not None


def _looked(look: Fixer | Finder, case: Case) -> list[Finding]:
    try:
        return [found for found in as_findings(look(case)) if not _shows_address(found)]
    except (
        Exception,
        SystemExit,
        GeneratorExit,
    ):  # the program's own objects may run code of it, which raises what it likes
        return []
