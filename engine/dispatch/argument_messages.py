"""How PyTorch describes the arguments of a call that no signature takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from gradflow.engine.tensor import Size, dtypes
from gradflow.engine.tensor.device import device

Arguments: TypeAlias = tuple[Any, ...]
Keywords: TypeAlias = Mapping[str, Any]


def type_title(value: object) -> str:
    """The name of a value's type, as C code has it."""
    cls = type(value)
    if isinstance(value, Size):
        return "torch.Size"
    if isinstance(value, dtypes.dtype | device):
        return f"torch.{cls.__name__}"
    return f"{cls.__module__}.{cls.__name__}" if cls.__module__ in ("numpy", "torch.return_types") else cls.__name__


_WORD: Final = 2**64 - 1
_FACTOR: Final = 0xC6A4A7935BD1E995
_SEED: Final = 0xC70F6907
_BUCKETS: Final = 13  # of the table as long as it has no more entries than that


def _mixed(value: int) -> int:
    return value ^ (value >> 47)


def _bucket(key: str) -> int:
    """The bucket of a key in a hash table of C++ (libstdc++; the hash is MurmurHash64A)."""
    data = key.encode()
    value = _SEED ^ (len(data) * _FACTOR & _WORD)
    whole = len(data) & ~7
    for start in range(0, whole, 8):
        word = int.from_bytes(data[start : start + 8], "little")
        value = (value ^ (_mixed(word * _FACTOR & _WORD) * _FACTOR & _WORD)) * _FACTOR & _WORD
    if whole < len(data):
        value = (value ^ int.from_bytes(data[whole:], "little")) * _FACTOR & _WORD
    return _mixed(_mixed(value) * _FACTOR & _WORD) % _BUCKETS


def as_listed(kwargs: Keywords) -> dict[str, Any]:
    """Keywords in the order in which messages name them: that of PyTorch's hash table."""
    order: list[tuple[int, str]] = []
    for key in kwargs:
        bucket = _bucket(key)
        # a new key goes to the front of its bucket, a new bucket to the front of all
        at = next((i for i, (other, _) in enumerate(order) if other == bucket), 0)
        order.insert(at, (bucket, key))
    return {key: kwargs[key] for _, key in order}


def described(args: Arguments, kwargs: Keywords) -> str:
    """The types of arguments as messages list them."""
    text = "".join(f"{type_title(a)}, " for a in args) + "".join(f"{k}={type_title(v)}, " for k, v in kwargs.items())
    return f"({text[:-2] if args else text})"


class Option:
    """One signature in the message that lists them, with what is wrong about it."""

    def __init__(self, text: str, args: Arguments, kwargs: Keywords) -> None:
        self.text, self.args, self.kwargs = text, args, kwargs
        self.entries = [_entry(part) for part in text[1:-1].split(", ")]

    def same_count(self) -> bool:
        """Whether there are as many arguments as the signature shows."""
        return len(self.entries) == len(self.args) + len(self.kwargs)

    def unknown(self) -> list[str]:
        """Keywords that the signature does not show."""
        names = [name for _, name in self.entries[max(len(self.entries) - len(self.kwargs), 0) :]]
        return [key for key in self.kwargs if key not in names]

    def marked(self) -> str:
        """The types of the arguments, with exclamation marks where they are not the parameter's."""
        values = [*self.args, *(self.kwargs.get(name) for _, name in self.entries[len(self.args) :])]
        parts = []
        for index, ((kind, name), value) in enumerate(zip(self.entries, values, strict=True)):
            text = (f"{name}=" if index >= len(self.args) else "") + _contents(value)
            parts.append(text if type_title(value) in _matching(kind) else f"!{text}!")
        line = "".join(f"{part}, " for part in parts)
        return f"({line[:-2] if self.args else line})"


def _entry(text: str) -> tuple[str, str]:
    kind, _, name = text.rpartition(" ")
    return kind, name


def _matching(kind: str) -> tuple[str, ...]:
    return {"float": ("float", "int", "long"), "int": ("int", "long")}.get(kind, (kind,))


def _contents(value: object) -> str:
    if not isinstance(value, tuple | list):
        return type_title(value)
    inner = ", ".join(map(type_title, value))
    return f"{type_title(value)} of " + (f"({inner})" if isinstance(value, tuple) else f"[{inner}]")


def listed(text: str, args: Arguments, kwargs: Keywords) -> str:
    """One line of the message: a signature, and what is wrong about the arguments where their number fits."""
    option = Option(text, args, kwargs)
    line = f" * {text}\n"
    if not option.same_count():
        return line
    if option.unknown():
        return line + f"      didn't match because some of the keywords were incorrect: {', '.join(option.unknown())}\n"
    return line + f"      didn't match because some of the arguments have invalid types: {option.marked()}\n"
