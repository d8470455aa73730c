"""``pickle`` within one run: what was dumped is kept as a copy, and its bytes are the key to it.

Python's own format is never written or read, for reading it calls whatever it names.
"""

from __future__ import annotations

from typing import Any, Final

from gradflow.engine.sandbox.gate import read_attribute
from gradflow.engine.sandbox.library.copies import deepcopy, guarded

_MARK: Final = b"\x80\x05gradflow "


class PickleError(Exception):
    """What goes wrong with pickling."""


class PicklingError(PickleError):
    """An object that cannot be pickled."""


class UnpicklingError(PickleError):
    """Bytes that were not pickled in this run."""


def members() -> dict[str, object]:
    """What is in ``pickle``, fresh for one run."""
    kept: list[Any] = []
    copied = guarded(deepcopy)

    def dumps(obj: Any, protocol: Any = None, *, fix_imports: bool = True, buffer_callback: Any = None) -> bytes:
        kept.append(copied(obj))
        return _MARK + str(len(kept) - 1).encode() + b"."

    def loads(data: Any, /, **options: Any) -> Any:
        exact = bytes(data) if type(data) in (bytes, bytearray) else b""
        digits = exact[len(_MARK) : -1]
        if not (exact.startswith(_MARK) and digits.isdigit() and int(digits) < len(kept)):
            raise UnpicklingError("these bytes were not made by pickle in this run")
        return copied(kept[int(digits)])

    def dump(obj: Any, file: Any, protocol: Any = None, **options: Any) -> None:
        read_attribute(file, "write")(dumps(obj))

    def load(file: Any, **options: Any) -> Any:
        return loads(read_attribute(file, "read")())

    return {
        "dumps": dumps,
        "loads": loads,
        "dump": dump,
        "load": load,
        "HIGHEST_PROTOCOL": 5,
        "DEFAULT_PROTOCOL": 4,
        **{cls.__name__: cls for cls in (PickleError, PicklingError, UnpicklingError)},
    }


def _register() -> None:
    for cls in (PickleError, PicklingError, UnpicklingError):
        cls.__module__ = "_pickle"


_register()
