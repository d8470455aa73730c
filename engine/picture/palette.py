"""The colours of pictures, by theme: those of the page, from one file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

Theme = Literal["light", "dark"]


@dataclass(frozen=True)
class Palette:
    """Colours of a theme. ``value`` and ``gradient`` are the heat scales: negative, zero, positive."""

    paper: str
    card: str
    sunk: str
    line: str
    wire: str
    ink: str
    faint: str
    backward: str
    flow: str
    value: tuple[str, str, str]
    gradient: tuple[str, str, str]

    @classmethod
    def of(cls, colours: Mapping[str, str]) -> Palette:
        """From the names in palette.json, which are those of the page's style sheet."""
        return cls(
            paper=colours["paper"],
            card=colours["card"],
            sunk=colours["sunk"],
            line=colours["line"],
            wire=colours["wire"],
            ink=colours["ink"],
            faint=colours["ink-3"],
            backward=colours["bwd"],
            flow=colours["bwd-line"],
            value=(colours["v-neg"], colours["v-zero"], colours["v-pos"]),
            gradient=(colours["g-neg"], colours["g-zero"], colours["g-pos"]),
        )


def _palettes() -> dict[Theme, Palette]:
    text = (Path(__file__).parents[1] / "palette.json").read_text(encoding="utf-8")
    return {theme: Palette.of(colours) for theme, colours in json.loads(text).items()}


PALETTES: Final = _palettes()
"""The colours of the page, by theme. They are read on import: a confined run cannot open files."""
