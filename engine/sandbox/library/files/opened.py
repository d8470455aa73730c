"""``open``: files of the run's own memory as Python shows them."""

from __future__ import annotations

import io
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox.gate import allow
from gradflow.engine.sandbox.library.files.store import files

_OPEN: Final = (
    "close closed encoding flush getvalue mode name read readable readline readlines seek seekable tell truncate writable"
    " write writelines"
)
_MODES: Final = frozenset("rwxabt+")


class _Opened:
    """What files of texts and of bytes have in common."""

    name: Any
    mode: str
    _held: Any

    def _content(self) -> bytes:
        raise NotImplementedError

    def readable(self) -> bool:
        """Whether it was opened for reading."""
        return "r" in self.mode or "+" in self.mode

    def writable(self) -> bool:
        """Whether it was opened for writing."""
        return self.mode[0] in "wxa" or "+" in self.mode

    def _check(self, allowed: bool, word: str) -> None:
        if self.closed:  # type: ignore[attr-defined]  # of the buffer
            raise ValueError("I/O operation on closed file.")
        if not allowed:
            raise io.UnsupportedOperation(word)

    def keep(self) -> None:
        """Put what was written into the file."""
        if self.writable() and not self.closed:  # type: ignore[attr-defined]  # of the buffer
            self._held.write(self.name, self._content())


class TextFile(_Opened, io.StringIO):
    """An opened file of texts."""

    encoding = "UTF-8"

    def _content(self) -> bytes:
        return self.getvalue().encode("utf-8", "surrogatepass")

    def read(self, size: int | None = -1, /) -> str:
        """The rest, or some characters of it."""
        self._check(self.readable(), "not readable")
        return super().read(size)

    def write(self, s: str, /) -> int:
        """Write a text and give its length."""
        self._check(self.writable(), "not writable")
        return super().write(s)

    def flush(self) -> None:
        """Put what was written into the file."""
        self.keep()

    def close(self) -> None:
        """Put what was written into the file, for good."""
        self.keep()
        super().close()


class BinaryFile(_Opened, io.BytesIO):
    """An opened file of bytes."""

    def _content(self) -> bytes:
        return self.getvalue()

    def read(self, size: int | None = -1, /) -> bytes:
        """The rest, or some bytes of it."""
        self._check(self.readable(), "read")
        return super().read(size)

    def write(self, buffer: Any, /) -> int:
        """Write bytes and give their number."""
        self._check(self.writable(), "write")
        return super().write(buffer)

    def flush(self) -> None:
        """Put what was written into the file."""
        self.keep()

    def close(self) -> None:
        """Put what was written into the file, for good."""
        self.keep()
        super().close()


def opened(file: Any, mode: str = "r", buffering: int = -1, encoding: Any = None, *given: Any, **options: Any) -> Any:
    """``open``: a file that this run has written, or a new one. FileNotFoundError, FileExistsError, ValueError."""
    kind = str.__str__(mode)
    if not set(kind) <= _MODES or len(set(kind)) < len(kind):
        raise ValueError(f"invalid mode: {kind!r}")
    if len(set(kind) & set("rwxa")) != 1:
        raise ValueError("must have exactly one of create/read/write/append mode")
    if isinstance(file, int):
        raise errors.CALL_REFUSED(name="open() of a file descriptor")
    held = files()
    before = _content_before(file, kind)
    binary = "b" in kind
    made: Any = BinaryFile(before) if binary else TextFile(before.decode("utf-8", "replace"))
    made.name, made.mode, made._held = file, kind, held
    if "a" in kind:
        made.seek(0, io.SEEK_END)
    if "r" not in kind:
        made.keep()
    return made


def _content_before(file: Any, mode: str) -> bytes:
    held = files()
    if str(file) == "/dev/null":
        return b""
    if "r" in mode:
        return held.read(file)
    if "x" in mode and held.exists(file):
        raise FileExistsError(17, "File exists", str(file))
    return held.read(file) if "a" in mode and held.is_file(file) else b""


def _register() -> None:
    allow(_Opened, _OPEN.split())
    for cls in (TextFile, BinaryFile):
        allow(cls, _OPEN.split())
    opened.__name__ = opened.__qualname__ = "open"
    TextFile.__name__ = TextFile.__qualname__ = "TextIOWrapper"
    BinaryFile.__name__ = BinaryFile.__qualname__ = "BufferedRandom"
    TextFile.__module__ = BinaryFile.__module__ = "_io"


_register()
