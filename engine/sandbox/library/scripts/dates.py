"""``datetime``: dates, times and their differences. Reading them from a text is left out: it imports when it is called."""

from __future__ import annotations

import datetime
from typing import Any, Final

from gradflow.engine.sandbox.gate import allow, is_public

_CLASSES: Final[tuple[Any, ...]] = (
    datetime.date,
    datetime.datetime,
    datetime.time,
    datetime.timedelta,
    datetime.timezone,
)


def members() -> dict[str, object]:
    """What is in ``datetime``."""
    return {cls.__name__: cls for cls in _CLASSES} | {"MINYEAR": datetime.MINYEAR, "MAXYEAR": datetime.MAXYEAR}


def _register() -> None:
    for cls in _CLASSES:
        names = [name for name in dir(cls) if is_public(name) and name != "strptime"]
        allow(cls, names, shown_as=cls, copyable=True)


_register()
