"""``warnings``: what a program warns of, and which warnings it shows, collects or turns into errors."""

from __future__ import annotations

import re
from typing import Any, Final

from gradflow.engine.sandbox.gate import allow
from gradflow.engine.state import STATE, warn

_ACTIONS: Final = ("default", "error", "ignore", "always", "module", "once", "all")
_KINDS: Final[dict[str, type[Warning]]] = {
    kind.__name__: kind
    for kind in (
        UserWarning,
        DeprecationWarning,
        FutureWarning,
        RuntimeWarning,
        SyntaxWarning,
        PendingDeprecationWarning,
    )
}


class WarningMessage:
    """A warning that was collected."""

    def __init__(self, message: Warning, category: type[Warning]) -> None:
        self.message, self.category = message, category
        self.filename, self.lineno, self.line = "<program>", 0, None

    def __str__(self) -> str:
        return f"{{message : {self.message!r}, category : {self.category.__name__!r}}}"


class Filters:
    """The filters of a run, the newest first; ``collected`` is where `catch_warnings` collects."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, re.Pattern[str] | None, type[Warning]]] = []
        self.collected: list[WarningMessage] | None = None

    def takes(self, message: str, category: str) -> bool:
        """Whether the warning is done with: ignored, collected, or raised as an error."""
        kind = _KINDS.get(category, UserWarning)
        return category != "Note" and self.handles(kind(message), kind)

    def handles(self, warning: Warning, cls: type[Warning]) -> bool:
        """Whether a warning is done with here."""
        action = self._action(str(warning), cls)
        if action == "error":
            raise warning
        if action != "ignore" and self.collected is not None:
            self.collected.append(WarningMessage(warning, cls))
        return action == "ignore" or self.collected is not None

    def _action(self, text: str, cls: type[Warning]) -> str:
        for action, pattern, wanted in self.entries:
            if issubclass(cls, wanted) and (pattern is None or pattern.match(text)):
                return action
        return "ignore" if issubclass(cls, PendingDeprecationWarning) else "default"

    def add(self, action: str, message: str, category: type[Warning], append: bool) -> None:
        """Enter a filter."""
        if action not in _ACTIONS:
            raise ValueError(f"invalid action: {action!r}") if action else AssertionError(f"invalid action: {action!r}")
        entry = action, re.compile(str(message), re.I) if message else None, category
        self.entries.insert(len(self.entries) if append else 0, entry)


def _filters() -> Filters:
    filters: Filters = STATE.filters or Filters()
    STATE.filters = filters
    return filters


def _warn(message: Any, category: type[Warning] | None = None, stacklevel: int = 1, source: object = None) -> None:
    """``warnings.warn``."""
    cls = type(message) if isinstance(message, Warning) else category or UserWarning
    if not (isinstance(cls, type) and issubclass(cls, Warning)):
        raise TypeError(f"category must be a Warning subclass, not '{cls.__class__.__name__}'")
    warning = message if isinstance(message, Warning) else cls(message)
    if not _filters().handles(warning, cls):
        held, STATE.filters = STATE.filters, None
        try:
            warn(str(warning), cls.__name__)
        finally:
            STATE.filters = held


def _filterwarnings(
    action: str,
    message: str = "",
    category: type[Warning] = Warning,
    module: str = "",
    lineno: int = 0,
    append: bool = False,
) -> None:
    """``warnings.filterwarnings``."""
    _filters().add(action, message, category, append)


def _simplefilter(action: str, category: type[Warning] = Warning, lineno: int = 0, append: bool = False) -> None:
    """``warnings.simplefilter``."""
    _filters().add(action, "", category, append)


def _resetwarnings() -> None:
    _filters().entries.clear()


class catch_warnings:
    """Keeps the filters as they are outside of the block, and collects the warnings if told to."""

    def __init__(self, *, record: bool = False, action: str | None = None, category: type[Warning] = Warning) -> None:
        self.record, self.action, self.category = record, action, category
        self.before: Any = None

    def __repr__(self) -> str:
        return f"catch_warnings({'record=True' if self.record else ''})"

    def __enter__(self) -> list[WarningMessage] | None:
        if self.before is not None:
            raise RuntimeError(f"Cannot enter {self!r} twice")
        filters = _filters()
        self.before = list(filters.entries), filters.collected
        if self.action is not None:
            _simplefilter(self.action, self.category)
        if self.record:
            filters.collected = []
        return filters.collected if self.record else None

    def __exit__(self, *_: object) -> None:
        if self.before is None:
            raise RuntimeError(f"Cannot exit {self!r} without entering first")
        filters = _filters()
        filters.entries, filters.collected = self.before


def members() -> dict[str, dict[str, object]]:
    """The module by name."""
    return {
        "warnings": {
            "warn": _warn,
            "filterwarnings": _filterwarnings,
            "simplefilter": _simplefilter,
            "resetwarnings": _resetwarnings,
            "catch_warnings": catch_warnings,
        }
    }


def _register() -> None:
    allow(WarningMessage, ("message", "category", "filename", "lineno", "line"))
    allow(catch_warnings, shown_as=catch_warnings)


_register()
