"""A trace as a Graphviz picture: tensors as cards with value and gradient, functions as pills, folded groups as boxes.

Of loops that train, or that are long, one turn is drawn. Its last pass is shown: its gradients stand under the values, and the edges
that they took have the colour of the flow and point backward. A leaf's `.grad` has a double line. Reference:
https://graphviz.org/doc/info/shapes.html#html
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Final

import graphviz

from gradflow.engine.picture.cells import Scale, cells, largest
from gradflow.engine.picture.folding import Folding, folded
from gradflow.engine.picture.groups import Group
from gradflow.engine.picture.palette import PALETTES, Palette
from gradflow.engine.picture.pass_state import PassState, state_of
from gradflow.engine.picture.turns import Alive, in_turn
from gradflow.engine.picture.view import WHOLE, View
from gradflow.engine.run import InvalidRequest
from gradflow.engine.trace import Edge, NodeRecord, Place, TensorRecord, Trace, Value

MAX_ROWS: Final = 8
MAX_COLUMNS: Final = 8
"""Rows and columns of a leaf; other tensors show fewer."""
FEWER: Final = 5
_FONT: Final = "Inter,Helvetica"
_FRAMED: Final = ("module", "call", "turn")


class NothingToDraw(InvalidRequest):
    """The program left nothing to draw; the message says why."""

    def __init__(self, trace: Trace) -> None:
        error = trace.error
        told = "the program makes no tensor"
        if error is not None:
            told = f"{error.type}: {error.message}" if error.message else error.type
        super().__init__(f"There is nothing to draw: {told}", "source")


def to_dot(trace: Trace, view: View = WHOLE, most: int | None = None) -> str:
    """Graphviz source of the picture, inputs on top. Text from the program is escaped.

    What is too much to be taken in at once folds, as on the page. most: how many tensors, functions and folded groups the
    picture may have.

    Raises `NothingToDraw` for a trace without a tensor, and InvalidRequest where there is no such turn or step, or too much to
    draw.
    """
    if not trace.tensors:
        raise NothingToDraw(trace)
    try:
        alive = in_turn(trace, view.turn)
    except ValueError as error:
        raise InvalidRequest(str(error), "turn") from None
    try:
        state = state_of(alive.backward, view.step, trace.nodes)
    except ValueError as error:
        raise InvalidRequest(str(error), "step") from None
    folding = folded(trace, alive)
    if most is not None and len(folding) > most:
        raise InvalidRequest(
            f"The picture has {len(folding)} tensors and functions; at most {most} are drawn.", "source"
        )
    return _Drawing(trace, alive, folding, state, PALETTES[view.theme]).source()


@dataclass
class _Wire:
    """A drawn connection; where an end is folded it stands for several. ``share``: the largest norm that took it."""

    edges: list[Edge]
    flows: bool = False
    share: float = 0.0


class _Drawing:
    def __init__(self, trace: Trace, alive: Alive, folding: Folding, state: PassState, palette: Palette) -> None:
        self.palette, self.alive, self.folding, self.state = palette, alive, folding, state
        self.tensors, self.nodes = folding.tensors, folding.nodes
        self.places = {place.id: place for place in trace.places}
        self.turns = Counter(place.parent for place in trace.places if place.kind == "turn")
        self.edges = [e for e in trace.edges if e.source in alive.ids and e.target in alive.ids]
        self.constants = {t.id for t in trace.tensors if not t.requires_grad}
        self.makers = {t.id: t.node for t in trace.tensors}
        self.gradients, self.buckets, self.shares = state.gradients, state.buckets, state.shares
        self.read = {
            tensor: version for node in trace.nodes if node.id in alive.ids for tensor, version in node.read.items()
        }
        self.values = {tensor.id: self.value(tensor) for tensor in self.tensors}
        shown = [self.gradients[each] for each in self.values if each in self.gradients]
        self.value_scale = Scale(palette.value, largest(self.values.values()), palette.ink)
        self.gradient_scale = Scale(palette.gradient, largest(shown), palette.ink)

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
                "fontname": _FONT,
                "ranksep": "0.45",
                "nodesep": "0.35",
            },
            node_attr={"fontname": _FONT, "fontsize": "11", "fontcolor": p.ink},
            edge_attr={
                "color": p.wire,
                "fontname": _FONT,
                "fontsize": "9",
                "fontcolor": p.backward,
                "arrowsize": "0.7",
            },
        )
        self._draw_elements(graph)
        self._draw_edges(graph)
        return str(graph.source)

    def _draw_elements(self, graph: graphviz.Digraph) -> None:
        """Cards, pills and boxes, those of modules, calls and the turn in frames."""
        inside: dict[str | None, dict[str, str]] = {}
        for tensor in self.tensors:
            frame = None if tensor.node is None else self._frame(tensor.place)
            inside.setdefault(frame, {})[tensor.id] = self.card(tensor)
        for node in self.nodes:
            inside.setdefault(self._frame(node.place), {})[node.id] = self.pill(node)
        for number, group in enumerate(self.folding.folded):
            inside.setdefault(self._frame(group.place), {})[f"g{number}"] = self.box(group)
        self._draw_frame(graph, None, inside)

    def _frame(self, place: str | None) -> str | None:
        """The innermost module, call or turn that a place is in."""
        while place is not None and self.places[place].kind not in _FRAMED:
            place = self.places[place].parent
        return place

    def _draw_frame(
        self,
        graph: graphviz.Digraph,
        frame: str | None,
        inside: Mapping[str | None, Mapping[str, str]],
    ) -> None:
        for name, label in inside.get(frame, {}).items():
            graph.node(name, label, shape="plain")
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
        if place.kind == "call":
            return f"{place.title}()"
        if place.kind == "module" or place.turn is None:
            return place.title
        told = f"turn {place.turn + 1} of {self.turns[place.parent]}"
        return f"{told}   {place.variable}" if place.variable else told

    def _wires(self) -> dict[tuple[str, ...], _Wire]:
        """The connections, those that a fold brings together as one."""
        wires: dict[tuple[str, ...], _Wire] = {}
        for edge in self.edges:
            source, target = self._element(edge.source), self._element(edge.target)
            own = target.startswith("g") and self._element(self.makers.get(edge.source) or "") == target
            if source == target or own:  # what a folded group has made and reads itself leaves it once
                continue
            bundled = source.startswith("g") or target.startswith("g")
            wire = wires.setdefault((source, target) if bundled else (source, target, edge.id), _Wire([]))
            wire.edges.append(edge)
            wire.flows |= edge.id in self.shares or (edge.input is None and edge.tensor in self.gradients)
            wire.share = max(wire.share, self.shares.get(edge.id, 0.0))
        return wires

    def _element(self, name: str) -> str:
        """What is drawn for a function or a tensor."""
        box = self.folding.inside.get(name)
        return name if box is None else f"g{box}"

    def _draw_edges(self, graph: graphviz.Digraph) -> None:
        """Where a gradient came the arrow points backward, as wide as its norm."""
        wires = self._wires()
        widest = max((wire.share for wire in wires.values()), default=0.0)
        for (source, target, *_), wire in wires.items():
            constant = all(edge.tensor in self.constants for edge in wire.edges)
            attributes = {"style": "dashed"} if constant else {}
            if wire.flows:
                width = 1.5 + 4.5 * math.sqrt(wire.share / widest) if widest and math.isfinite(wire.share) else 1.5
                attributes |= {"color": self.palette.flow, "dir": "back", "penwidth": f"{width:.2f}"}
            graph.edge(source, target, **attributes)

    # -- labels ---------------------------------------------------------------------------------------------------

    def card(self, tensor: TensorRecord) -> str:
        """Name and shape, the value, the gradient."""
        p = self.palette
        most = (MAX_ROWS, MAX_COLUMNS) if tensor.is_leaf and tensor.requires_grad else (FEWER, FEWER)
        name = escape(tensor.label if tensor.names else _shortened(tensor.label))
        shape = "×".join(map(str, tensor.shape)) or "scalar"
        rows = [
            f'<TR><TD ALIGN="LEFT"><B>{name}</B></TD><TD ALIGN="RIGHT"><FONT COLOR="{p.faint}">{shape}</FONT></TD></TR>',
            f'<TR><TD COLSPAN="2">{cells(self.values[tensor.id], self.value_scale, 0, most)}</TD></TR>',
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
            numbers = cells(gradient, self.gradient_scale, 3, most)
            if is_bucket:
                line = f'<TABLE BORDER="1" STYLE="ROUNDED" COLOR="{p.flow}" CELLBORDER="0" CELLSPACING="0" CELLPADDING="2"><TR><TD>'
                numbers = f"{line}{line}{numbers}</TD></TR></TABLE></TD></TR></TABLE>"
            rows.append(f'<TR><TD COLSPAN="2">{numbers}</TD></TR>')
        return rows

    def pill(self, node: NodeRecord) -> str:
        p = self.palette
        name = escape(node.grad_fn or "no gradient")
        return (
            f'<<TABLE {self._border(p.line, node)} BGCOLOR="{p.card}" CELLBORDER="0" CELLPADDING="4">'
            f"<TR><TD><B>{escape(node.symbol)}</B></TD><TD>{escape(node.op)}</TD>"
            f'<TD><FONT COLOR="{p.faint}">{name}</FONT></TD></TR></TABLE>>'
        )

    def _border(self, colour: str, *nodes: NodeRecord) -> str:
        """The function that has just run stands out."""
        if any(node.id == self.state.ran for node in nodes):
            return f'BORDER="2" STYLE="ROUNDED" COLOR="{self.palette.flow}"'
        return f'BORDER="1" STYLE="ROUNDED" COLOR="{colour}"'

    def box(self, group: Group) -> str:
        """A folded group: what it is, how many functions are in it."""
        p = self.palette
        count = f"{len(group.nodes)} function{'s' if len(group.nodes) > 1 else ''}"
        return (
            f'<<TABLE {self._border(p.faint, *group.nodes)} BGCOLOR="{p.paper}" CELLBORDER="0" CELLPADDING="5">'
            f'<TR><TD ALIGN="LEFT"><B>{escape(_shortened(_title_of(group)))}</B></TD>'
            f'<TD><FONT COLOR="{p.faint}">{count}</FONT></TD></TR></TABLE>>'
        )


def _title_of(group: Group) -> str:
    match group.kind:
        case "module":
            return group.caption
        case "call":
            return f"{group.title}()"
        case "turn" | "line":
            return f"{group.kind} {group.title}"
        case "paragraph":
            return f"lines {group.title}" if group.title[:1].isdigit() else group.title
        case "pass":
            return "backward pass"


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 24 else flat[:23] + "…"
