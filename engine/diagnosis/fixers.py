"""Which function proposes the fix of which error."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.errors import ErrorKind
from gradflow.engine.trace import Fix

Fixer: TypeAlias = Callable[[Case], Fix | None]

FIXERS: dict[str, Fixer] = {}
"""By the code of the error."""


def fixes(error_kind: ErrorKind) -> Callable[[Fixer], Fixer]:
    """Enter the function as the one that proposes a fix for this error. It gives None where it knows none."""

    def enter(fixer: Fixer) -> Fixer:
        FIXERS[error_kind.code] = fixer
        return fixer

    return enter
