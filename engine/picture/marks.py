"""The marks that a picture is made of, in SVG: rectangles, lines of text, formulas, curves and arrowheads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from gradflow.engine.picture.formulas.mathematics import Run, size_of
from gradflow.engine.picture.layers import Point
from gradflow.engine.picture.letters import pieces, width

_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML may have."""
HALO: Final = 0.14
_RISE: Final = {1: -0.38, 0: 0.0, -1: 0.2}
"""How far over the line a level of a formula is, in parts of the size; y grows downward."""

_LOW: Final = frozenset("acegmnopqrsuvwxyz_")
"""Letters that a bar stands lower over."""


def told(text: str) -> str:
    """Text as an SVG has it."""
    return escape(_FORBIDDEN.sub("\ufffd", text))


def rectangle(x: float, y: float, w: float, h: float, radius: float, fill: str, more: str = "") -> str:
    """more: further attributes."""
    rounded = f' rx="{radius:g}"' if radius else ""
    return f'<rect x="{x:.6g}" y="{y:.6g}" width="{w:.6g}" height="{h:.6g}"{rounded} fill="{fill}"{more}/>'


def stroke(colour: str, width: float = 1.0, dashes: str = "") -> str:
    """Attributes of a line."""
    plain = f' stroke="{colour}"' + (f' stroke-width="{width:.3g}"' if width != 1 else "")
    return plain + (f' stroke-dasharray="{dashes}"' if dashes else "")


def line(x: float, y: float, text: str, size: float, colour: str, *, bold: bool = False, anchor: str = "") -> str:
    """A line of text; anchor: ``middle`` or ``end`` for x there, by default at its start."""
    weight = ' font-weight="600"' if bold else ""
    at = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:.6g}" y="{y:.6g}" font-size="{size:g}"{weight}{at} fill="{colour}">{told(text)}</text>'


def formula(x: float, y: float, runs: Iterable[Run], size: float, colour: str) -> str:
    """A formula in one line. Bars are drawn, for a font's own stand too high; what stands side by side has one."""
    spans, bars = "", _Bars()
    for run in runs:
        own = size_of(run, size)
        wide = width(run.text, own, bold=run.bold)
        down = y + _RISE[run.level] * size
        attributes = ' font-style="italic"' if run.italic else ""
        attributes += ' font-weight="600"' if run.bold else ""
        if run.level:
            attributes += f' font-size="{own:.3g}"'
        if run.over:
            bars.add(x, x + wide, down - own * (0.66 if _LOW.issuperset(run.text) else 0.86), 0.12 * own)
        for piece in pieces(run.text):
            spans += f'<tspan x="{x:.6g}" y="{down:.6g}"{attributes}>{told(piece)}</tspan>'
            x += width(piece, own, bold=run.bold)
    text = f'<text font-size="{size:g}" fill="{colour}" xml:space="preserve">{spans}</text>'
    return text + (f'<path d="{bars.data()}"{stroke(colour)}/>' if bars.found else "")


class _Bars:
    """Those over a formula: from, to, at what height."""

    def __init__(self) -> None:
        self.found: list[tuple[float, float, float]] = []

    def add(self, start: float, end: float, top: float, slant: float) -> None:
        if self.found and abs(self.found[-1][1] - start) < 0.01:
            start, top = self.found[-1][0], min(self.found.pop()[2], top)
        else:
            start += slant
        self.found.append((start, end, top))

    def data(self) -> str:
        return "".join(f"M{start:.6g} {top:.6g}h{end - start:.4g}" for start, end, top in self.found)


def curve(points: Sequence[Point]) -> str:
    """The data of a path through points, upright at all of them."""
    (x, y), *rest = points
    data = f"M{x:.6g} {y:.6g}"
    for to, down in rest:
        if abs(to - x) < 0.05:
            data += f"V{down:.6g}" if abs(down - y) > 0.05 else ""
        else:
            middle = (y + down) / 2
            data += f"C{x:.6g} {middle:.6g} {to:.6g} {middle:.6g} {to:.6g} {down:.6g}"
        x, y = to, down
    return data


def arrow(tip: Point, length: float, width: float, colour: str) -> str:
    """An arrowhead that points up, or down where its length is negative."""
    x, y = tip
    return f'<path d="M{x:.6g} {y:.6g}l{width / 2:.3g} {length:.3g}h{-width:.3g}z" fill="{colour}"/>'


def cell(x: float, y: float, w: float, h: float, corners: Sequence[bool], fill: str, radius: float) -> str:
    """A cell of a plate, round at those of its corners that are the plate's: top left, top right, bottom right, bottom left."""
    if not any(corners):
        return rectangle(x, y, w, h, 0, fill)
    a, b, c, d = (radius if each else 0.0 for each in corners)
    arcs = [
        f"a{r:g} {r:g} 0 0 1 {dx * r:g} {dy * r:g}" if r else ""
        for r, dx, dy in ((b, 1, 1), (c, -1, 1), (d, -1, -1), (a, 1, -1))
    ]
    ways = (f"h{w - a - b:.5g}", f"v{h - b - c:.5g}", f"h{-(w - c - d):.5g}", f"v{-(h - d - a):.5g}")
    data = "".join(way + arc for way, arc in zip(ways, arcs, strict=True))
    return f'<path d="M{x + a:.6g} {y:.6g}{data}z" fill="{fill}"/>'
