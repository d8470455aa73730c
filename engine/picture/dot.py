"""A trace as a Graphviz picture: tensors as cards with value and gradient, functions as pills, folded groups as boxes.

Of loops that train, or that are long, one turn is drawn. Its last pass is shown: its gradients stand under the values, and the edges
that they took have the colour of the flow and point backward. A leaf's `.grad` has a double line. Reference:
https://graphviz.org/doc/info/shapes.html#html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

import graphviz

from gradflow.engine.collector import CollectorOff
from gradflow.engine.picture.cells import cells
from gradflow.engine.picture.contents import Contents, contents_of, shortened, title_of
from gradflow.engine.picture.formulas.mathematics import Run
from gradflow.engine.picture.formulas.rules import formulas_of
from gradflow.engine.picture.groups import Group
from gradflow.engine.picture.view import WHOLE, View
from gradflow.engine.trace import NodeRecord, TensorRecord, Trace, Value

_FONT: Final = "Inter,Helvetica"


def to_dot(trace: Trace, view: View = WHOLE, most: int | None = None) -> str:
    """Graphviz source of the picture, inputs on top. Text from the program is escaped. most, and what is raised, are those of
    `contents_of`."""
    with CollectorOff():
        return _Drawing(contents_of(trace, view, most)).source()


class _Drawing:
    def __init__(self, contents: Contents) -> None:
        self.contents, self.palette = contents, contents.palette
        self.formulas = formulas_of(contents)

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
        contents = self.contents
        inside: dict[str | None, dict[str, str]] = {}
        pills = {
            node.id: self.pill(node) for node in contents.nodes
        }  # before the cards, which show the letters of formulas
        for tensor in contents.tensors:
            frame = None if tensor.node is None else contents.frame(tensor.place)
            inside.setdefault(frame, {})[tensor.id] = self.card(tensor)
        for node in contents.nodes:
            inside.setdefault(contents.frame(node.place), {})[node.id] = pills[node.id]
        for number, group in enumerate(contents.folding.folded):
            inside.setdefault(contents.frame(group.place), {})[f"g{number}"] = self.box(group)
        self._draw_frame(graph, None, inside)

    def _draw_frame(
        self,
        graph: graphviz.Digraph,
        frame: str | None,
        inside: Mapping[str | None, Mapping[str, str]],
    ) -> None:
        contents = self.contents
        for name, label in inside.get(frame, {}).items():
            graph.node(name, label, shape="plain")
        used = {each for each in inside if each is not None}
        framed = {above for each in used for above in contents.frames_around(each)} | used
        for below in sorted(framed, key=lambda each: int(each[1:])):
            if contents.frame(contents.places[below].parent) != frame:
                continue
            with graph.subgraph(name=f"cluster_{below}") as cluster:
                cluster.attr(
                    label=contents.title(contents.places[below]),
                    labeljust="l",
                    style="rounded",
                    color=self.palette.line,
                    fontcolor=self.palette.faint,
                    fontsize="10",
                )
                self._draw_frame(cluster, below, inside)

    def _draw_edges(self, graph: graphviz.Digraph) -> None:
        """Where a gradient came the arrow points backward, as wide as its norm."""
        wires = self.contents.wires()
        for wire in wires:
            attributes = {"style": "dashed"} if wire.constant else {}
            if wire.flows:
                attributes |= {"color": self.palette.flow, "dir": "back", "penwidth": f"{wire.width:.2f}"}
            graph.edge(wire.source, wire.target, **attributes)

    # -- labels ---------------------------------------------------------------------------------------------------

    def card(self, tensor: TensorRecord) -> str:
        """Name and shape, the value, the gradient."""
        p, contents = self.palette, self.contents
        most = contents.most(tensor)
        name = escape(tensor.label if tensor.names else shortened(tensor.label))
        letter = self.formulas.letter_beside(tensor, tensor.label) if self.formulas is not None else []
        beside = ""
        if letter:
            beside = f' <FONT COLOR="{p.faint}">{_set(letter)}</FONT>'
        shape = "×".join(map(str, tensor.shape)) or "scalar"
        rows = [
            f'<TR><TD ALIGN="LEFT"><B>{name}</B>{beside}</TD><TD ALIGN="RIGHT"><FONT COLOR="{p.faint}">{shape}</FONT></TD></TR>',
            f'<TR><TD COLSPAN="2">{cells(contents.values[tensor.id], contents.value_scale, 0, most)}</TD></TR>',
        ]
        gradient = contents.gradients.get(tensor.id)
        if contents.has_bucket(tensor):
            rows += self.gradient_rows(".grad", contents.kept(tensor), most, is_bucket=True)
        elif gradient is not None:
            rows += self.gradient_rows("gradient", gradient, most)
        style = "ROUNDED,DASHED" if not tensor.requires_grad else "ROUNDED"
        inner = "".join(rows)
        return (
            f'<<TABLE BORDER="1" STYLE="{style}" COLOR="{p.line}" BGCOLOR="{p.card}" CELLBORDER="0" CELLSPACING="2"'
            f' CELLPADDING="3">{inner}</TABLE>>'
        )

    def gradient_rows(
        self, title: str, gradient: Value | None, most: tuple[int, int], *, is_bucket: bool = False
    ) -> list[str]:
        """The gradient; a double line around it tells that it is kept."""
        p = self.palette
        told = "" if gradient is not None else f' <FONT COLOR="{p.faint}">None</FONT>'
        rows = [f'<TR><TD ALIGN="LEFT" COLSPAN="2"><FONT COLOR="{p.backward}">{title}</FONT>{told}</TD></TR>']
        if gradient is not None:
            numbers = cells(gradient, self.contents.gradient_scale, 3, most)
            if is_bucket:
                line = f'<TABLE BORDER="1" STYLE="ROUNDED" COLOR="{p.flow}" CELLBORDER="0" CELLSPACING="0" CELLPADDING="2"><TR><TD>'
                numbers = f"{line}{line}{numbers}</TD></TR></TABLE></TD></TR></TABLE>"
            rows.append(f'<TR><TD COLSPAN="2">{numbers}</TD></TR>')
        return rows

    def pill(self, node: NodeRecord) -> str:
        p = self.palette
        name = escape(node.grad_fn or "no gradient")
        lines = "".join(
            f'<TR><TD COLSPAN="3"><FONT COLOR="{p.backward}">{_set(runs)}</FONT></TD></TR>'
            for runs in (
                self.formulas.that_fit(node, is_chosen=node.id == self.contents.state.ran)
                if self.formulas is not None
                else ()
            )
        )
        return (
            f'<<TABLE {self._border(p.line, node)} BGCOLOR="{p.card}" CELLBORDER="0" CELLPADDING="4">'
            f"<TR><TD><B>{escape(node.symbol)}</B></TD><TD>{escape(node.op)}</TD>"
            f'<TD><FONT COLOR="{p.faint}">{name}</FONT></TD></TR>{lines}</TABLE>>'
        )

    def _border(self, colour: str, *nodes: NodeRecord) -> str:
        """The function that has just run stands out."""
        if any(node.id == self.contents.state.ran for node in nodes):
            return f'BORDER="2" STYLE="ROUNDED" COLOR="{self.palette.flow}"'
        return f'BORDER="1" STYLE="ROUNDED" COLOR="{colour}"'

    def box(self, group: Group) -> str:
        """A folded group: what it is, how many functions are in it."""
        p = self.palette
        count = f"{len(group.nodes)} function{'s' if len(group.nodes) > 1 else ''}"
        return (
            f'<<TABLE {self._border(p.faint, *group.nodes)} BGCOLOR="{p.paper}" CELLBORDER="0" CELLPADDING="5">'
            f'<TR><TD ALIGN="LEFT"><B>{escape(shortened(title_of(group)))}</B></TD>'
            f'<TD><FONT COLOR="{p.faint}">{count}</FONT></TD></TR></TABLE>>'
        )


def _set(runs: Sequence[Run]) -> str:
    """A formula as Graphviz sets text."""
    told = ""
    for run in runs:
        text = escape(run.text)
        marks = [("I", run.italic), ("B", run.bold), ("O", run.over), ("SUP", run.level > 0), ("SUB", run.level < 0)]
        for mark in (name for name, is_on in marks if is_on):
            text = f"<{mark}>{text}</{mark}>"
        told += text
    return told
