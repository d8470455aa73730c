"""A trace as a Graphviz picture: tensors as cards with value and gradient, functions as pills.

Of loops that train, or that are long, one turn is drawn. Its last pass is shown: its gradients stand under the values, and the edges
that they took have the colour of the flow and point backward. A leaf's `.grad` has a double line. Reference:
https://graphviz.org/doc/info/shapes.html#html
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final, Literal

import graphviz

from gradflow.engine.run import InvalidRequest
from gradflow.engine.trace import NodeRecord, Number, Place, TensorRecord, Trace, Value
from gradflow.engine.visibility import Alive, in_turn

Theme = Literal["light", "dark"]
MAX_ROWS: Final = 8
MAX_COLUMNS: Final = 8
"""Rows and columns of a leaf; other tensors show fewer."""
FEWER: Final = 5


@dataclass(frozen=True)
class Palette:
    """Colours of a theme. ``value`` and ``gradient`` are the heat scales: negative, zero, positive."""

    paper: str
    card: str
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
    text = (Path(__file__).parent / "palette.json").read_text(encoding="utf-8")
    return {theme: Palette.of(colours) for theme, colours in json.loads(text).items()}


PALETTES: Final = _palettes()
"""The colours of the page, by theme. They are read on import: a confined run cannot open files."""


class NothingToDraw(InvalidRequest):
    """The program left nothing to draw; the message says why."""

    def __init__(self, trace: Trace) -> None:
        error = trace.error
        told = "the program makes no tensor"
        if error is not None:
            told = f"{error.type}: {error.message}" if error.message else error.type
        super().__init__(f"There is nothing to draw: {told}", "source")


def to_dot(trace: Trace, theme: Theme = "light", turn: int | None = None, most: int | None = None) -> str:
    """Graphviz source of the picture, inputs on top. Text from the program is escaped.

    turn: which turn of the loops that train is drawn, from 1; by default the last. most: how many tensors and functions the
    picture may have.

    Raises `NothingToDraw` for a trace without a tensor, and InvalidRequest where there is no such turn, or too much to draw.
    """
    if not trace.tensors:
        raise NothingToDraw(trace)
    try:
        alive = in_turn(trace, turn)
    except ValueError as error:
        raise InvalidRequest(str(error), "turn") from None
    if most is not None and len(alive.ids) > most:
        raise InvalidRequest(
            f"The picture has {len(alive.ids)} tensors and functions; at most {most} are drawn.", "source"
        )
    return _Drawing(trace, alive, PALETTES[theme]).source()


class _Drawing:
    def __init__(self, trace: Trace, alive: Alive, palette: Palette) -> None:
        self.palette, self.alive = palette, alive
        self.tensors = [t for t in trace.tensors if t.id in alive.ids]
        self.nodes = [n for n in trace.nodes if n.id in alive.ids]
        self.places = {place.id: place for place in trace.places}
        self.edges = [e for e in trace.edges if e.source in alive.ids and e.target in alive.ids]
        backward = alive.backward
        self.gradients: dict[str, Value] = dict(backward.gradients) if backward else {}
        self.buckets = {each.tensor: each.after for each in backward.accumulations} if backward else {}
        self.read = {tensor: version for node in self.nodes for tensor, version in node.read.items()}
        self.values = {tensor.id: self.value(tensor) for tensor in self.tensors}
        self.top_value = _largest(self.values.values())
        self.top_gradient = _largest(self.gradients.values())
        self.shares = {
            grad_input.edge: _norm(grad_input.value)
            for step in (backward.steps if backward else [])
            for grad_input in step.grad_inputs
        }

    def value(self, tensor: TensorRecord) -> Value:
        """The value that the functions of the picture read."""
        if self.alive.turn is None or not tensor.versions:
            return tensor.value
        wanted = self.read.get(tensor.id, 0)
        return next((each.value for each in tensor.versions if each.version == wanted), tensor.value)

    def source(self) -> str:
        p = self.palette
        graph = graphviz.Digraph(
            "gradflow",
            graph_attr={
                "bgcolor": p.paper,
                "ordering": "in",
                "fontname": "Helvetica",
                "ranksep": "0.45",
                "nodesep": "0.35",
            },
            node_attr={"fontname": "Helvetica", "fontsize": "11", "fontcolor": p.ink},
            edge_attr={
                "color": p.wire,
                "fontname": "Helvetica",
                "fontsize": "9",
                "fontcolor": p.backward,
                "arrowsize": "0.7",
            },
        )
        self._draw_elements(graph)
        self._draw_edges(graph)
        return str(graph.source)

    def _draw_elements(self, graph: graphviz.Digraph) -> None:
        """Cards and pills, those of modules and of the turn in frames."""
        inside: dict[str | None, list[TensorRecord | NodeRecord]] = {}
        elements: list[TensorRecord | NodeRecord] = [*self.tensors, *self.nodes]
        for each in elements:
            lone = isinstance(each, TensorRecord) and each.node is None
            inside.setdefault(None if lone else self._frame(each.place), []).append(each)
        self._draw_frame(graph, None, inside)

    def _frame(self, place: str | None) -> str | None:
        """The innermost module or turn, of those that have frames, that a place is in."""
        while place is not None:
            here = self.places[place]
            if here.kind == "module" or (self.alive.turn is not None and place == self.alive.turn.id):
                return place
            place = here.parent
        return None

    def _draw_frame(
        self,
        graph: graphviz.Digraph,
        frame: str | None,
        inside: Mapping[str | None, list[TensorRecord | NodeRecord]],
    ) -> None:
        for each in inside.get(frame, ()):
            label = self.card(each) if isinstance(each, TensorRecord) else self.pill(each)
            graph.node(each.id, label, shape="plain")
        used = {each for each in inside if each is not None}
        framed = {above for each in used for above in self._frames_around(each)} | used
        for below in sorted(framed, key=lambda each: int(each[1:])):
            if self._frame(self.places[below].parent) != frame:
                continue
            with graph.subgraph(name=f"cluster_{below}") as cluster:
                cluster.attr(
                    label=self._title(self.places[below]),
                    labeljust="l",
                    style="rounded",
                    color=self.palette.line,
                    fontcolor=self.palette.faint,
                    fontsize="10",
                )
                self._draw_frame(cluster, below, inside)

    def _frames_around(self, place: str) -> list[str]:
        found = []
        above = self._frame(self.places[place].parent)
        while above is not None:
            found.append(above)
            above = self._frame(self.places[above].parent)
        return found

    def _title(self, place: Place) -> str:
        if place.kind == "module" or place.turn is None:
            return place.title
        told = f"turn {place.turn + 1} of {self.alive.turns}"
        return f"{told}   {place.variable}" if place.variable else told

    def _draw_edges(self, graph: graphviz.Digraph) -> None:
        """Where a gradient came the arrow points backward, as wide as its norm."""
        constant = {t.id for t in self.tensors if not t.requires_grad}
        largest = max(self.shares.values(), default=0.0)
        for edge in self.edges:
            attributes = {"style": "dashed"} if edge.tensor in constant else {}
            if edge.id in self.shares or (edge.input is None and edge.tensor in self.gradients):
                norm = self.shares.get(edge.id, 0.0)
                width = 1.5 + 4.5 * math.sqrt(norm / largest) if largest and math.isfinite(norm) else 1.5
                attributes |= {"color": self.palette.flow, "dir": "back", "penwidth": f"{width:.2f}"}
            graph.edge(edge.source, edge.target, **attributes)

    # -- labels ---------------------------------------------------------------------------------------------------

    def card(self, tensor: TensorRecord) -> str:
        """Name and shape, the value, the gradient."""
        p = self.palette
        most = (MAX_ROWS, MAX_COLUMNS) if tensor.is_leaf and tensor.requires_grad else (FEWER, FEWER)
        name = escape(tensor.label if tensor.names else _shortened(tensor.label))
        shape = "×".join(map(str, tensor.shape)) or "scalar"
        rows = [
            f'<TR><TD ALIGN="LEFT"><B>{name}</B></TD><TD ALIGN="RIGHT"><FONT COLOR="{p.faint}">{shape}</FONT></TD></TR>',
            f'<TR><TD COLSPAN="2">{self.cells(self.values[tensor.id], p.value, self.top_value, 0, most)}</TD></TR>',
        ]
        gradient = self.gradients.get(tensor.id)
        if tensor.is_leaf and tensor.requires_grad:
            kept = self.buckets.get(tensor.id, tensor.grad if self.alive.turn is None else None)
            rows += self.gradient_rows(".grad", kept, is_bucket=True)
        elif gradient is not None:
            rows += self.gradient_rows("gradient", gradient)
        style = "ROUNDED,DASHED" if not tensor.requires_grad else "ROUNDED"
        inner = "".join(rows)
        return (
            f'<<TABLE BORDER="1" STYLE="{style}" COLOR="{p.line}" BGCOLOR="{p.card}" CELLBORDER="0" CELLSPACING="2"'
            f' CELLPADDING="3">{inner}</TABLE>>'
        )

    def gradient_rows(self, title: str, gradient: Value | None, *, is_bucket: bool = False) -> list[str]:
        """The gradient; a double line around it tells that it is kept."""
        p = self.palette
        told = "" if gradient is not None else f' <FONT COLOR="{p.faint}">None</FONT>'
        rows = [f'<TR><TD ALIGN="LEFT" COLSPAN="2"><FONT COLOR="{p.backward}">{title}</FONT>{told}</TD></TR>']
        if gradient is not None:
            most = (MAX_ROWS, MAX_COLUMNS) if is_bucket else (FEWER, FEWER)
            cells = self.cells(gradient, p.gradient, self.top_gradient, 3, most)
            if is_bucket:
                line = f'<TABLE BORDER="1" STYLE="ROUNDED" COLOR="{p.flow}" CELLBORDER="0" CELLSPACING="0" CELLPADDING="2"><TR><TD>'
                cells = f"{line}{line}{cells}</TD></TR></TABLE></TD></TR></TABLE>"
            rows.append(f'<TR><TD COLSPAN="2">{cells}</TD></TR>')
        return rows

    def cells(self, value: Value, scale: tuple[str, str, str], top: float, gap: int, most: tuple[int, int]) -> str:
        """The numbers on their colours, in no more than ``most`` rows and columns; values touch, gradients stand apart."""
        data, shape = _matrix(value)
        rows, columns = shape
        body = ""
        for i in range(min(rows, most[0])):
            line = data[i * columns : (i + 1) * columns][: most[1]]
            body += (
                "<TR>"
                + "".join(
                    f'<TD BGCOLOR="{_heat(v, scale, top)}"><FONT COLOR="{self.palette.ink}">{_text(v)}</FONT></TD>'
                    for v in line
                )
                + ("<TD>…</TD>" if columns > most[1] or value.summary else "")
                + "</TR>"
            )
        if rows > most[0] or value.summary is not None:
            body += "<TR><TD>…</TD></TR>"
        if not body:
            body = "<TR><TD>empty</TD></TR>"
        return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="{gap}" CELLPADDING="4">{body}</TABLE>'

    def pill(self, node: NodeRecord) -> str:
        p = self.palette
        name = escape(node.grad_fn or "no gradient")
        return (
            f'<<TABLE BORDER="1" STYLE="ROUNDED" COLOR="{p.line}" BGCOLOR="{p.card}" CELLBORDER="0" CELLPADDING="4">'
            f"<TR><TD><B>{escape(node.symbol)}</B></TD><TD>{escape(node.op)}</TD>"
            f'<TD><FONT COLOR="{p.faint}">{name}</FONT></TD></TR></TABLE>>'
        )


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 24 else flat[:23] + "…"


def _matrix(value: Value) -> tuple[list[Number], tuple[int, int]]:
    """The numbers to show, and their rows and columns: leading dimensions are rows one after the other."""
    if value.summary is not None:
        shape, data = value.summary.corner.shape, value.summary.corner.data
    else:
        shape, data = value.shape, value.data or []
    columns = shape[-1] if shape else 1
    return data, (len(data) // columns if columns else 0, columns)


def _float(number: Number) -> float:
    return float(number) if not isinstance(number, complex) else abs(number)


def _largest(values: object) -> float:
    found = 0.0
    for value in values:  # type: ignore[attr-defined]  # any iterable of values
        for number in _matrix(value)[0]:
            try:
                size = abs(_float(number))
            except ValueError:  # a complex number as text
                continue
            if math.isfinite(size):
                found = max(found, size)
    return found


def _norm(value: Value) -> float:
    numbers = [value.summary.norm] if value.summary is not None else value.data or []
    try:
        return math.sqrt(sum(_float(number) ** 2 for number in numbers if number is not None))
    except ValueError:  # complex numbers as text
        return 0.0


def _heat(number: Number, scale: tuple[str, str, str], top: float) -> str:
    try:
        size = _float(number)
    except ValueError:
        return scale[1]
    if not math.isfinite(size) or not top:
        return scale[1]
    t = math.sqrt(abs(size) / top)
    return _mixed(scale[1], scale[2] if size > 0 else scale[0], min(t, 1.0))


def _mixed(a: str, b: str, t: float) -> str:
    parts = [round(int(a[i : i + 2], 16) * (1 - t) + int(b[i : i + 2], 16) * t) for i in (1, 3, 5)]
    return "#" + "".join(f"{part:02X}" for part in parts)


def _text(number: Number) -> str:
    if isinstance(number, str):
        return escape({"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}.get(number, number))
    if isinstance(number, bool):
        return str(number)
    return f"{number:.4g}"
