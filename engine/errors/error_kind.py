"""ErrorKind: one entry of the catalogue of errors, from the raised exception to the words that explain it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Language = Literal["en", "zh"]

_UNNAMED: dict[Language, str] = {"en": "the tensor", "zh": "这个张量"}


class Shape(tuple[int, ...]):
    """A shape that knows how it is written.

    Format specs: none ``[2, 3]`` as in PyTorch's messages, ``x`` ``2x3``, ``n`` the number of elements, ``en`` and
    ``zh`` the words for a reader (``a 2×3 matrix``).
    """

    def __format__(self, spec: str) -> str:
        match spec:
            case "x":
                return "x".join(map(str, self))
            case "n":
                return str(math.prod(self))
            case "en":
                return self._english()
            case "zh":
                return self._chinese()
            case _:
                return str(list(self))

    def _english(self) -> str:
        match len(self):
            case 0:
                return "a single number"
            case 1:
                return f"a vector of length {self[0]}"
            case dimensions:
                return f"a {'×'.join(map(str, self))} {'matrix' if dimensions == 2 else 'tensor'}"

    def _chinese(self) -> str:
        match len(self):
            case 0:
                return "单个数"
            case 1:
                return f"长度为 {self[0]} 的向量"
            case dimensions:
                return f" {'×'.join(map(str, self))} 的{'矩阵' if dimensions == 2 else '张量'}"


def _presentable(details: Mapping[str, object]) -> dict[str, object]:
    return {name: Shape(value) if isinstance(value, tuple | list) else value for name, value in details.items()}


@dataclass(frozen=True)
class ErrorKind:
    """One error: its code, the builtin type that is raised, PyTorch's own words, and what they mean.

    ``message`` is a ``str.format`` template over the details of the call. ``en`` and ``zh`` are templates with one
    sentence a line; ``{tensor}`` is the name of the tensor concerned. A sentence that needs a detail nobody knows is
    left out, so every template has at least one sentence that needs none.
    """

    code: str
    type: type[Exception]
    message: str
    en: str
    zh: str

    def __call__(self, **details: object) -> Exception:
        """The exception, ready to be raised. Shapes are given as tuples or lists of integers."""
        error = self.type(self.message.format(**_presentable(details)))
        error.__dict__.update(kind=self, details=details)
        return error

    def explain(self, language: Language, details: Mapping[str, object]) -> str:
        """What the error means and what to do about it; code words stand in backticks."""
        known = {"tensor": _UNNAMED[language], **_presentable(details)}
        if language == "en":
            return " ".join(_sentences(self.en, known))
        return re.sub(f" ?{_UNNAMED['zh']} ?", _UNNAMED["zh"], "".join(_sentences(self.zh, known)))


def _sentences(template: str, known: Mapping[str, object]) -> list[str]:
    sentences = []
    for line in template.splitlines():
        try:
            sentence = " ".join(line.split()).format(**known)
        except KeyError:
            continue
        sentences.append(sentence[:1].upper() + sentence[1:])
    return sentences


def kind_of(error: BaseException) -> ErrorKind | None:
    """The catalogue entry that raised this exception; None for an exception of Python's or the program's own."""
    error_kind = error.__dict__.get("kind")
    return error_kind if isinstance(error_kind, ErrorKind) else None


def mark_own(error: Exception) -> None:
    """Note of an error that the program's own code raised it: no function of the engine is to put it in other words."""
    error.__dict__[_OWN] = True


def is_own(error: Exception) -> bool:
    """Whether an error was so marked."""
    return _OWN in error.__dict__


_OWN = "_raised_by_program"


def details_of(error: BaseException) -> dict[str, object]:
    """The details that the exception was raised with."""
    details = error.__dict__.get("details")
    return details if isinstance(details, dict) else {}
