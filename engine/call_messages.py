"""How PyTorch describes the arguments of a call that no signature takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from engine import dtypes
from engine.device import device
from engine.tensor import Size

Arguments: TypeAlias = tuple[Any, ...]
Keywords: TypeAlias = Mapping[str, Any]


def type_title(value: object) -> str:
    """The name of a value's type, as C code has it."""
    kind = type(value)
    if isinstance(value, Size):
        return "torch.Size"
    if isinstance(value, dtypes.dtype | device):
        return f"torch.{kind.__name__}"
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


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
