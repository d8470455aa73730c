"""A trace as a Graphviz picture: tensors as cards with value and gradient, functions as pills.

The last pass is shown: its gradients stand under the values, and the edges that they took have the colour of the flow. Reference:
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
from gradflow.engine.trace import NodeRecord, Number, Pass, TensorRecord, Trace, Value

Theme = Literal["light", "dark"]
MAX_ROWS: Final = 8
MAX_COLUMNS: Final = 8


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


def to_dot(trace: Trace, theme: Theme = "light") -> str:
    """Graphviz source of the picture, inputs on top. Text from the program is escaped.

    Raises `NothingToDraw` for a trace without a tensor.
    """
    if not trace.tensors:
        raise NothingToDraw(trace)
    return _Drawing(trace, PALETTES[theme]).source()


class _Drawing:
    def __init__(self, trace: Trace, palette: Palette) -> None:
        self.palette = palette
        shown = set(trace.shown)
        self.tensors = [t for t in trace.tensors if t.id in shown]
        self.nodes = [n for n in trace.nodes if n.id in shown]
        self.last: Pass | None = trace.passes[-1] if trace.passes else None
        self.edges = trace.edges
        self.gradients: dict[str, Value] = dict(self.last.gradients) if self.last else {}
        self.top_value = _largest(t.value for t in self.tensors)
        self.top_gradient = _largest(self.gradients.values())
        self.grad_inputs = {
            grad_input.edge: grad_input.value
            for step in (self.last.steps if self.last else [])
            for grad_input in step.grad_inputs
        }

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
        for tensor in self.tensors:
            graph.node(tensor.id, self.card(tensor), shape="plain")
        for node in self.nodes:
            graph.node(node.id, self.pill(node), shape="plain")
        self._draw_edges(graph)
        return str(graph.source)

    def _draw_edges(self, graph: graphviz.Digraph) -> None:
        shown = {t.id for t in self.tensors} | {n.id for n in self.nodes}
        constant = {t.id for t in self.tensors if not t.requires_grad}
        for edge in self.edges:
            if edge.source not in shown or edge.target not in shown:
                continue
            attributes = {"style": "dashed"} if edge.tensor in constant else {}
            if edge.id in self.grad_inputs or edge.tensor in self.gradients:
                attributes["color"] = self.palette.flow
            graph.edge(edge.source, edge.target, **attributes)

    # -- labels ---------------------------------------------------------------------------------------------------

    def card(self, tensor: TensorRecord) -> str:
        """Name and shape, the value, the gradient."""
        p = self.palette
        border = p.line
        name = escape(tensor.label if tensor.names else _shortened(tensor.label))
        shape = "×".join(map(str, tensor.shape)) or "scalar"
        rows = [
            f'<TR><TD ALIGN="LEFT"><B>{name}</B></TD><TD ALIGN="RIGHT"><FONT COLOR="{p.faint}">{shape}</FONT></TD></TR>',
            f'<TR><TD COLSPAN="2">{self.cells(tensor.value, p.value, self.top_value, 0)}</TD></TR>',
        ]
        gradient = self.gradients.get(tensor.id)
        if tensor.is_leaf and tensor.requires_grad:
            rows += self.gradient_rows(".grad", tensor.grad)
        elif gradient is not None:
            rows += self.gradient_rows("gradient", gradient)
        style = "ROUNDED,DASHED" if not tensor.requires_grad else "ROUNDED"
        inner = "".join(rows)
        return (
            f'<<TABLE BORDER="1" STYLE="{style}" COLOR="{border}" BGCOLOR="{p.card}" CELLBORDER="0" CELLSPACING="2"'
            f' CELLPADDING="3">{inner}</TABLE>>'
        )

    def gradient_rows(self, title: str, gradient: Value | None) -> list[str]:
        p = self.palette
        told = "" if gradient is not None else f' <FONT COLOR="{p.faint}">None</FONT>'
        rows = [f'<TR><TD ALIGN="LEFT" COLSPAN="2"><FONT COLOR="{p.backward}">{title}</FONT>{told}</TD></TR>']
        if gradient is not None:
            rows.append(f'<TR><TD COLSPAN="2">{self.cells(gradient, p.gradient, self.top_gradient, 3)}</TD></TR>')
        return rows

    def cells(self, value: Value, scale: tuple[str, str, str], top: float, gap: int) -> str:
        """The numbers on their colours; values touch, gradients stand apart."""
        data, shape = _matrix(value)
        rows, columns = shape
        body = ""
        for i in range(min(rows, MAX_ROWS)):
            line = data[i * columns : (i + 1) * columns][:MAX_COLUMNS]
            body += (
                "<TR>"
                + "".join(
                    f'<TD BGCOLOR="{_heat(v, scale, top)}"><FONT COLOR="{self.palette.ink}">{_text(v)}</FONT></TD>'
                    for v in line
                )
                + ("<TD>…</TD>" if columns > MAX_COLUMNS or value.summary else "")
                + "</TR>"
            )
        if rows > MAX_ROWS or value.summary is not None:
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
