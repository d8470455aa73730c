"""``logging``: loggers, handlers and formatters in small, which print what goes to standard output.

Standard error is not shown, and a file is not written: what is logged there goes nowhere.
"""

from __future__ import annotations

import time
from string import Template
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox.gate import allow, read_attribute, type_name
from gradflow.engine.sandbox.library.scripts.log_records import (
    FILTERS,
    Filter,
    Filterer,
    LoggerAdapter,
    LogRecord,
    own_fields,
    place_and_time,
)
from gradflow.engine.sandbox.str_format import text_method

_LEVELS: Final = {"CRITICAL": 50, "ERROR": 40, "WARNING": 30, "INFO": 20, "DEBUG": 10, "NOTSET": 0}
_NAMES: Final = {number: name for name, number in _LEVELS.items()}
_ALIASES: Final = {"FATAL": 50, "WARN": 30}
_PLAIN_FORMAT: Final = "%(message)s"
_BASIC_FORMAT: Final = "%(levelname)s:%(name)s:%(message)s"
_DATE_FORMAT: Final = "%Y-%m-%d %H:%M:%S"


def level_number(level: Any) -> int:
    """A level as a number. Raises ValueError for a name that there is not."""
    if isinstance(level, str):
        known = _LEVELS | _ALIASES
        if level not in known:
            raise ValueError(f"Unknown level: {level!r}")
        return known[level]
    if not isinstance(level, int):
        raise TypeError(f"Level not an integer or a valid string: {level!r}")
    return int(level)


def _level_name(level: Any) -> Any:
    if isinstance(level, str):
        return (_LEVELS | _ALIASES).get(level, f"Level {level}")
    return _NAMES.get(level, f"Level {level}")


class Formatter:
    """The text of a record."""

    def __init__(self, fmt: str | None = None, datefmt: str | None = None, style: str = "%", **options: Any) -> None:
        if style not in ("%", "{", "$"):
            raise ValueError("Style must be one of: %,{,$")
        # `_kept_`: names that programs do not use by chance in classes of their own, where they are refused
        self._kept_text, self._kept_dates, self._kept_style = str.__str__(str(fmt or _PLAIN_FORMAT)), datefmt, style

    def format(self, record: LogRecord) -> str:
        """The line of a record."""
        if not isinstance(record, LogRecord):
            raise errors.CALL_REFUSED(name=f"a record of {type_name(record)}")
        vars(record).update(message=record.getMessage(), asctime=_time(self._kept_dates, vars(record)))
        known = {"taskName": None, **vars(record)}  # the text of a program's own may keep or fill what it is given
        if self._kept_style == "{":
            return str(text_method(self._kept_text, "format", read_attribute)(**known))
        if self._kept_style == "$":
            return Template(self._kept_text).substitute(known)
        return str.__mod__(self._kept_text, known)


def _time(dates: str | None, known: dict[str, Any]) -> str:
    created = known.get("created", 0.0)
    shown = time.strftime(str(dates or _DATE_FORMAT), time.gmtime(created))
    return shown if dates else f"{shown},{int(known.get('msecs', 0)):03d}"


def _checked_formatter(given: Any) -> Formatter:
    """A text would be asked for its ``format``, which reads attributes past the gate."""
    if not issubclass(type(given), Formatter):
        raise TypeError("a Formatter is expected")
    formatter: Formatter = given
    return formatter


class Handler(Filterer):
    """Where records go: a stream that has ``write``, or nowhere."""

    def __init__(self, level: Any = 0) -> None:
        super().__init__()
        self.level, self._kept_formatter = level_number(level), Formatter()

    def setLevel(self, level: Any) -> None:
        """Take records of this level and above."""
        self.level = level_number(level)

    def setFormatter(self, fmt: Any) -> None:
        """The formatter from now on."""
        self._kept_formatter = _checked_formatter(fmt)

    def handle(self, record: LogRecord) -> None:
        """Write a record of its level or above."""
        if record.levelno >= self.level and self.filter(record):  # type: ignore[attr-defined]  # all that is known of it is given
            self.emit(record)

    def format(self, record: LogRecord) -> str:
        """The line of a record."""
        return str(_checked_formatter(self._kept_formatter).format(record))

    def emit(self, record: LogRecord) -> None:
        """Nothing: what a program's own handler does instead."""

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing is open."""


class StreamHandler(Handler):
    """Onto a stream; without one, standard error."""

    def __init__(self, stream: Any = None) -> None:
        super().__init__()
        self._kept_stream = stream

    def emit(self, record: LogRecord) -> None:
        """Write a record."""
        if self._kept_stream is not None:
            read_attribute(self._kept_stream, "write")(self.format(record) + "\n")


class FileHandler(Handler):
    """Into a file, of which there is none."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__()


class NullHandler(Handler):
    """Nowhere."""


class Logger(Filterer):
    """Takes messages, and hands them to its handlers and to those of its parents."""

    def __init__(self, name: str, parent: Logger | None, level: int = 0) -> None:
        super().__init__()
        self.name, self.parent, self.level = name, parent, level
        self._handlers: list[Any] = []
        self.propagate, self.disabled = True, False
        self._begun: float = parent._begun if parent else time.time()

    def __repr__(self) -> str:
        kind = "Logger" if self.parent else "RootLogger"
        return f"<{kind} {self.name} ({_level_name(self.getEffectiveLevel())})>"

    def __copy__(self) -> Logger:
        return self  # there is one of each name

    def __deepcopy__(self, memo: Any) -> Logger:
        return self

    def __reduce_ex__(self, protocol: Any) -> str:
        return self.name

    @property
    def handlers(self) -> list[Any]:
        """Its handlers, in a list of their own."""
        return list(self._handlers)

    def setLevel(self, level: Any) -> None:
        """Take messages of this level and above."""
        self.level = level_number(level)

    def getEffectiveLevel(self) -> int:
        """Its level, or that of the nearest parent that has one."""
        return self.level or (self.parent.getEffectiveLevel() if self.parent else 0)

    def isEnabledFor(self, level: int) -> bool:
        """Whether messages of a level are taken."""
        return not self.disabled and level >= self.getEffectiveLevel()

    def addHandler(self, hdlr: Any) -> None:
        """One more handler."""
        if not isinstance(hdlr, Handler):
            raise TypeError("a Handler is expected")
        if hdlr not in self._handlers:
            self._handlers.append(hdlr)

    def removeHandler(self, hdlr: Any) -> None:
        """One handler less."""
        if hdlr in self._handlers:
            self._handlers.remove(hdlr)

    def hasHandlers(self) -> bool:
        """Whether there is a handler here or above."""
        return bool(self.handlers) or bool(self.propagate and self.parent and self.parent.hasHandlers())

    def getChild(self, suffix: str) -> Logger:
        """A logger below this one."""
        return Logger(f"{self.name}.{suffix}", self)

    def log(self, level: int, msg: Any, *args: Any, **options: Any) -> None:
        """A message of a level."""
        if not self.isEnabledFor(level):
            return
        values: Any = args[0] if len(args) == 1 and isinstance(args[0], dict) and args[0] else args
        record = {"name": self.name, "msg": msg, "args": values, "levelname": _level_name(level), "levelno": level}
        record |= place_and_time(self._begun)
        told = LogRecord(record | own_fields(options.get("extra"), record))
        if not self.filter(told):
            return
        logger: Logger | None = self
        while logger is not None:
            for handler in logger._handlers:
                handler.handle(told)
            logger = logger.parent if logger.propagate else None

    def debug(self, msg: Any, *args: Any, **options: Any) -> None:
        """A message of level DEBUG."""
        self.log(10, msg, *args, **options)

    def info(self, msg: Any, *args: Any, **options: Any) -> None:
        """A message of level INFO."""
        self.log(20, msg, *args, **options)

    def warning(self, msg: Any, *args: Any, **options: Any) -> None:
        """A message of level WARNING."""
        self.log(30, msg, *args, **options)

    def error(self, msg: Any, *args: Any, **options: Any) -> None:
        """A message of level ERROR."""
        self.log(40, msg, *args, **options)

    def critical(self, msg: Any, *args: Any, **options: Any) -> None:
        """A message of level CRITICAL."""
        self.log(50, msg, *args, **options)

    warn, exception, fatal = warning, error, critical


class _Logging:
    """The loggers of a run."""

    def __init__(self) -> None:
        self.root = Logger("root", None, 30)
        self.loggers: dict[str, Logger] = {}

    def get(self, name: str | None = None) -> Logger:
        """``logging.getLogger``."""
        if not name or name == "root":
            return self.root
        text = str(name)
        if text not in self.loggers:
            parent = text.rpartition(".")[0]
            self.loggers[text] = Logger(text, self.get(parent))
        return self.loggers[text]

    def configure(self, **options: Any) -> None:
        """``logging.basicConfig``, which does nothing where there are handlers already."""
        if options.get("force"):
            self.root._handlers.clear()
        if not self.root.handlers:
            given = options.get("handlers") or (
                [FileHandler()] if options.get("filename") else [StreamHandler(options.get("stream"))]
            )
            form = Formatter(options.get("format") or _BASIC_FORMAT, options.get("datefmt"), options.get("style", "%"))
            for handler in given:
                self.root.addHandler(handler)
                if "format" in options or handler._kept_formatter._kept_text == _PLAIN_FORMAT:
                    handler.setFormatter(form)
        if options.get("level") is not None:
            self.root.setLevel(options["level"])

    def disable(self, level: Any = 50) -> None:
        """``logging.disable``, for all levels."""
        self.root.disabled = level_number(level) >= 50


_CLASSES: Final = (
    Logger,
    LoggerAdapter,
    LogRecord,
    Filter,
    Handler,
    Formatter,
    StreamHandler,
    FileHandler,
    NullHandler,
)


def members() -> dict[str, object]:
    """What is in ``logging``, fresh for one run."""
    run = _Logging()
    return {
        **_LEVELS,
        **_ALIASES,
        **{name: getattr(run.root, name) for name in "debug info warning warn error critical exception log".split()},  # noqa: SIM905
        "getLogger": run.get,
        "basicConfig": run.configure,
        "disable": run.disable,
        "getLevelName": _level_name,
        "root": run.root,
        "captureWarnings": lambda capture: None,
        "shutdown": lambda: None,
        "BASIC_FORMAT": _BASIC_FORMAT,
        **{cls.__name__: cls for cls in _CLASSES},
    }


_LOGGER: Final = (
    "addHandler critical debug error exception fatal getChild getEffectiveLevel handlers hasHandlers info isEnabledFor"
    " level log name parent removeHandler setLevel warn warning"
)


_HANDLER: Final = "close emit flush format handle level setFormatter setLevel"


def _register() -> None:
    allow(
        Logger,
        (*_LOGGER.split(), *FILTERS, "propagate", "disabled"),
        writable=("propagate", "disabled"),
        shown_as=Logger,
        copyable=True,
    )
    for cls in (Handler, StreamHandler, FileHandler, NullHandler):
        allow(cls, (*_HANDLER.split(), *FILTERS), subclass=True)
    allow(Formatter, ("format",), subclass=True)
    for each in _CLASSES:
        setattr(each, "__module__", "logging")  # noqa: B010  # else type checkers are confused


_register()
