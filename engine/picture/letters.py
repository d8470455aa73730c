"""How wide text is in the font of the page, Inter: `letters.json` has the advance of its Latin letters in thousandths of the size."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Final

_WIDE: Final = 1000
_THIN: Final = 180
_OTHER: Final = 720
_SIGN: Final = 840
"""Of letters and of mathematical signs that another font has to give: as wide as is safe."""


def _advances() -> tuple[dict[str, int], dict[str, int]]:
    told = json.loads((Path(__file__).parent / "letters.json").read_text(encoding="utf-8"))
    return tuple(dict(zip(told["characters"], told[weight], strict=True)) for weight in ("regular", "bold"))  # type: ignore[return-value]


_REGULAR, _BOLD = _advances()
"""Read on import: a confined run cannot open files."""


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Of one line, in the unit of the size."""
    known = _BOLD if bold else _REGULAR
    total = 0
    for letter in text:
        advance = known.get(letter)
        total += _elsewhere(letter) if advance is None else advance
    return total * size / 1000


def pieces(text: str) -> list[str]:
    """The text, letters of other fonts by themselves: they may be narrower or wider than is thought."""
    found = [""]
    for letter in text:
        if letter in _REGULAR or unicodedata.combining(letter):
            found[-1] += letter
        else:
            found += [letter, ""]
    return [piece for piece in found if piece]


def _elsewhere(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    if letter == "\u2009":
        return _THIN
    if unicodedata.category(letter) == "Sm":
        return _SIGN
    return _WIDE if unicodedata.east_asian_width(letter) in "WF" else _OTHER
