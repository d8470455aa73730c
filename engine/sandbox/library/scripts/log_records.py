"""What loggers hand on: records, the filters that let them through, and adapters that bring more into them."""

from __future__ import annotations

import time
from functools import partialmethod
from typing import Any, Final

from gradflow.engine.sandbox.gate import allow, exact_name, is_readable, read_attribute
from gradflow.engine.sandbox.special_names import is_plain


class LogRecord:
    """What is known of a message."""

    def __init__(self, known: dict[str, Any]) -> None:
        for name in known:
            if not is_plain(exact_name(name)):
                raise KeyError(f"Attempt to overwrite {name!r} in LogRecord")
        self.__dict__.update(known)

    def getMessage(self) -> str:
        """The message with its arguments in it."""
        known = self.__dict__
        text, args = str(known["msg"]), known["args"]
        return text % args if args else text

    def __repr__(self) -> str:
        known = self.__dict__
        return f"<LogRecord: {known['name']}, {known['levelno']}, {known['pathname']}, {known['lineno']}, {known['msg']!r}>"


class Filter:
    """Lets records of a logger, and of those below it, through."""

    def __init__(self, name: str = "") -> None:
        self.name = name

    def filter(self, record: LogRecord) -> bool:
        """Whether a record goes on. What a program's own filter does instead."""
        name = str(vars(record)["name"])
        return not self.name or name == self.name or name.startswith(f"{self.name}.")


class Filterer:
    """What has filters: loggers and handlers."""

    def __init__(self) -> None:
        self._kept_filters: list[Any] = []

    @property
    def filters(self) -> list[Any]:
        """Its filters, in a list of their own."""
        return list(self._kept_filters)

    def addFilter(self, filter: Any) -> None:
        """One more: a function of a record, or an object with ``filter``."""
        if filter not in self._kept_filters:
            self._kept_filters.append(filter)

    def removeFilter(self, filter: Any) -> None:
        """One less."""
        if filter in self._kept_filters:
            self._kept_filters.remove(filter)

    def filter(self, record: LogRecord) -> bool:
        """Whether all filters let a record through."""
        return all(_asked(each)(record) for each in self.filters)


def _asked(each: Any) -> Any:
    return read_attribute(each, "filter") if is_readable(each, "filter") else each


def own_fields(extra: Any, record: dict[str, Any]) -> dict[str, Any]:
    """What a message brings along besides. Raises KeyError for a name that a record has."""
    fields = {exact_name(name): value for name, value in dict(extra or {}).items()}
    for name in fields:
        if name in record or name in ("message", "asctime") or not is_plain(name):
            raise KeyError(f"Attempt to overwrite {name!r} in LogRecord")
    return fields


def place_and_time(begun: float) -> dict[str, Any]:
    """What a record says of where and when it was made, in Python's order; ``begun``: when the loggers were."""
    now = time.time()
    return {
        "pathname": "/program.py",
        "filename": "program.py",
        "module": "program",
        "exc_info": None,
        "exc_text": None,
        "stack_info": None,
        "lineno": 0,
        "funcName": "<module>",
        "created": now,
        "msecs": float(int(now % 1 * 1000)),
        "relativeCreated": (now - begun) * 1000,
        "thread": 1,
        "threadName": "MainThread",
        "processName": "MainProcess",
        "process": 1,
    }


class LoggerAdapter:
    """A logger of which all messages bring ``extra`` along."""

    def __init__(self, logger: Any, extra: Any = None) -> None:
        self.logger, self.extra = logger, extra

    def process(self, msg: Any, kwargs: Any) -> tuple[Any, Any]:
        """The message and the settings with which it is logged."""
        kwargs["extra"] = self.extra
        return msg, kwargs

    def log(self, level: int, msg: Any, *args: Any, **options: Any) -> None:
        """A message of a level."""
        if self.isEnabledFor(level):
            text, settings = read_attribute(self, "process")(msg, options)
            read_attribute(self.logger, "log")(level, text, *args, **settings)

    def isEnabledFor(self, level: int) -> bool:
        """Whether messages of a level are taken."""
        return bool(read_attribute(self.logger, "isEnabledFor")(level))

    def setLevel(self, level: Any) -> None:
        """Take messages of this level and above."""
        read_attribute(self.logger, "setLevel")(level)

    debug = partialmethod(log, 10)
    info = partialmethod(log, 20)
    warning = partialmethod(log, 30)
    error = exception = partialmethod(log, 40)
    critical = partialmethod(log, 50)


FILTERS: Final = ("addFilter", "filter", "filters", "removeFilter")
_ADAPTER: Final = "critical debug error exception extra info isEnabledFor log logger process setLevel warning"


def _register() -> None:
    allow(Filterer, FILTERS)
    allow(Filter, ("filter", "name"), subclass=True)
    allow(LoggerAdapter, _ADAPTER.split(), writable=("extra",), subclass=True)
    allow(LogRecord, ("getMessage",), readable=lambda _, name: is_plain(name), writable=is_plain, shown_as=LogRecord)


_register()
