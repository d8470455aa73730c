"""``csv`` onto and from what has ``write`` and lines; ``platform``; ``contextlib.redirect_stdout``."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from typing import Any, Final

from gradflow.engine.sandbox.gate import allow, read_attribute
from gradflow.engine.sandbox.interpreter.iterators import Single
from gradflow.engine.sandbox.rules import write_special_by
from gradflow.engine.sandbox.stand_ins import MISSING, Module
from gradflow.engine.state import STATE

_OPTIONS: Final = frozenset(
    {"delimiter", "quotechar", "escapechar", "doublequote", "skipinitialspace", "lineterminator", "quoting", "strict"}
)


class Target:
    """What has ``write``, as ``csv`` asks for it."""

    def __init__(self, file: Any) -> None:
        self.write: Callable[[str], object] = read_attribute(file, "write")


class Output:
    """Where a program prints: onto what it has put in the place of ``sys.stdout`` last, else by ``own``."""

    def __init__(self, own: Callable[[str], None], name: str = "stdout") -> None:
        self.own, self._name = own, name

    def __call__(self, text: str) -> None:
        target = self.target
        if target is MISSING:
            self.own(text)
        elif target is not None:
            read_attribute(target, "write")(text)

    @property
    def target(self) -> Any:
        """What the program has put in its place, or `MISSING`."""
        return STATE.module_attributes.get("sys", {}).get(self._name, MISSING)

    def aim(self, target: Any) -> None:
        """Put something in its place, or `MISSING` for its own again."""
        own = STATE.module_attributes.setdefault("sys", {})
        own[self._name] = target
        if target is MISSING:
            del own[self._name]

    def redirected(self, new_target: Any) -> _Redirected:
        """``contextlib.redirect_stdout``."""
        return _Redirected(self, new_target)


def _replaced(module: Any, name: str, new: object) -> bool:
    """``sys.stdout = new``."""
    if not isinstance(module, Module) or module.__name__ != "sys":
        return False
    STATE.module_attributes.setdefault("sys", {})[name] = new
    return True


write_special_by(("stdout", "stderr"), _replaced)


class _Redirected:
    """A block in which a program prints onto a stream of its own; it can be entered again, also inside of itself."""

    def __init__(self, output: Output, target: Any) -> None:
        self._output, self._target = output, target
        self._before: list[Any] = []

    def __enter__(self) -> Any:
        self._before.append(self._output.target)
        self._output.aim(self._target)
        return self._target

    def __exit__(self, *raised: object) -> None:
        if not self._before:
            raise IndexError("pop from empty list")
        self._output.aim(self._before.pop())


def _chosen(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name in _OPTIONS}


def _writer(csvfile: Any, dialect: Any = "excel", **options: Any) -> Any:
    return csv.writer(Target(csvfile), **_chosen(options))


class _Reader(Single):
    """Rows as lists: ``csv.reader``. Python's own takes a line apart in memory that a line asked for meanwhile takes, too."""

    __slots__ = ()
    _make = csv.reader

    @property
    def line_num(self) -> int:
        """How many lines were read."""
        number: int = self._real.line_num
        return number


def _reader(csvfile: Any, dialect: Any = "excel", **options: Any) -> Any:
    return _Reader(iter(csvfile), **_chosen(options))


class DictReader:
    """Rows as dictionaries; the first row names the columns."""

    def __init__(self, f: Any, fieldnames: Any = None, **options: Any) -> None:
        self._rows: Any = csv.DictReader((), fieldnames)
        self._rows.reader = _reader(f, **options)

    @property
    def fieldnames(self) -> Any:
        """The names of the columns."""
        return self._rows.fieldnames

    def __iter__(self) -> Iterator[dict[Any, Any]]:
        return iter(self._rows)

    def __next__(self) -> dict[Any, Any]:
        return next(self._rows)


class DictWriter:
    """Writes dictionaries as rows."""

    def __init__(self, f: Any, fieldnames: Any, **options: Any) -> None:
        self._names, self._rows = list(fieldnames), _writer(f, **options)

    def writeheader(self) -> Any:
        """The row of the names."""
        return self._rows.writerow(self._names)

    def writerow(self, rowdict: Any) -> Any:
        """One row."""
        wrong = [name for name in rowdict if name not in self._names]
        if wrong:
            raise ValueError("dict contains fields not in fieldnames: " + ", ".join(map(repr, wrong)))
        return self._rows.writerow([rowdict.get(name, "") for name in self._names])

    def writerows(self, rowdicts: Any) -> None:
        """Several rows."""
        for each in rowdicts:
            self.writerow(each)


def members() -> dict[str, dict[str, object]]:
    """The modules by name."""
    quoting = {name: getattr(csv, name) for name in ("QUOTE_ALL", "QUOTE_MINIMAL", "QUOTE_NONE", "QUOTE_NONNUMERIC")}
    return {
        "csv": {"writer": _writer, "reader": _reader, "DictReader": DictReader, "DictWriter": DictWriter, **quoting},
        "platform": {
            "system": lambda: "Linux",
            "python_version": lambda: "3.11.0",
            "machine": lambda: "x86_64",
            "node": lambda: "localhost",
            "platform": lambda: "Linux",
            "processor": lambda: "",
            "release": lambda: "",
            "version": lambda: "",
            "python_implementation": lambda: "CPython",
            "architecture": lambda *given: ("64bit", ""),
        },
    }


def _register() -> None:
    allow(type(csv.writer(io.StringIO())), ("writerow", "writerows"))
    _Reader.__name__ = _Reader.__qualname__ = "reader"
    _Reader.__module__ = "_csv"
    allow(_Reader, ("line_num",))
    allow(DictReader, ("fieldnames",), shown_as=DictReader)
    allow(DictWriter, ("writeheader", "writerow", "writerows"), shown_as=DictWriter)


_register()
