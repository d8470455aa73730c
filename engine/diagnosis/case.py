"""What a fix looks at: the failed program, the place of the error, and how to write changes of the source."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from engine.program import Program
from engine.trace import Edit, Fix, Span, Text

Node = TypeVar("Node", bound=ast.AST)
_LONGEST_TITLE: Final = 60


@dataclass(frozen=True)
class Context:
    """What the run knows of an error beyond the exception. Everything is optional.

    ``name``, ``shape`` and ``tensor`` (its id in the trace) belong to the tensor that the error is about. ``span`` is
    the place of the error, by default the innermost expression of the program. ``related`` is another place that
    matters: the first backward call for a second one, the in-place write for a saved variable.
    """

    span: Span | None = None
    name: str | None = None
    shape: Sequence[int] | None = None
    tensor: str | None = None
    related: Span | None = None


@dataclass(frozen=True)
class Case:
    """An error of a program, with the span it was raised at."""

    program: Program
    details: Mapping[str, object]
    context: Context
    span: Span
    parents: Mapping[ast.AST, ast.AST] = field(init=False)

    def __post_init__(self) -> None:
        links = {child: node for node in ast.walk(self.program.tree) for child in ast.iter_child_nodes(node)}
        object.__setattr__(self, "parents", links)

    # ---- finding

    def find(self, kind: type[Node], span: Span | None = None) -> Node | None:
        """The outermost node of a type that stands exactly at a span, by default at that of the error."""
        wanted = span or self.span
        nodes = (node for node in ast.walk(self.program.tree) if isinstance(node, kind))
        return next((node for node in nodes if self.program.span_of(node) == wanted), None)

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The statement that a node stands in."""
        current: ast.AST | None = node
        while current is not None and not isinstance(current, ast.stmt):
            current = self.parents.get(current)
        return current

    def text(self, node: ast.AST) -> str:
        """The source of a node."""
        span = self.program.span_of(node)
        return self.program.text_at(span) if span else ""

    def assignment(self, name: str) -> ast.expr | None:
        """The last value assigned to a name before the error."""
        values = [
            node.value
            for node in ast.walk(self.program.tree)
            if isinstance(node, ast.Assign)
            and node.lineno <= self.span.line
            and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
        ]
        return max(values, key=lambda value: (value.lineno, value.col_offset), default=None)

    def module_alias(self, module: str) -> str | None:
        """What the program calls a module: ``t`` after ``import torch as t``."""
        for node in ast.walk(self.program.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name == module and (alias.asname or "." not in module):
                        return alias.asname or alias.name
        return None

    # ---- writing

    def replace(self, node: ast.AST, text: str) -> list[Edit]:
        """Put a text in the place of a node."""
        span = self.program.span_of(node)
        return [Edit(span, text)] if span else []

    def before(self, node: ast.AST, text: str) -> list[Edit]:
        """Insert in front of a node."""
        span = self.program.span_of(node)
        return [insertion(span.line, span.column, text)] if span else []

    def after(self, node: ast.AST, text: str) -> list[Edit]:
        """Insert behind a node."""
        span = self.program.span_of(node)
        return [insertion(span.end_line, span.end_column, text)] if span else []

    def rename_end(self, node: ast.AST, old: str, new: str) -> list[Edit]:
        """Change the last word of a node: the attribute in ``a.b``."""
        span = self.program.span_of(node)
        if span is None or not self.text(node).endswith(old):
            return []
        return [Edit(Span(span.end_line, span.end_column - len(old), span.end_line, span.end_column), new)]

    def wrapped(self, node: ast.AST, opening: str, closing: str) -> list[Edit]:
        """Put brackets or the like around a node."""
        return [*self.before(node, opening), *self.after(node, closing)]

    def argument(self, call: ast.Call, text: str) -> list[Edit]:
        """Add an argument at the end of a call."""
        given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        last = max(given, key=start_of, default=None)
        if last is not None:
            return self.after(last, f", {text}")
        span = self.program.span_of(call)
        return [insertion(span.end_line, span.end_column - 1, text)] if span else []

    def import_line(self, line: str) -> list[Edit]:
        """Add an import at the beginning, behind a docstring and ``from __future__``."""
        body = self.program.tree.body
        first = next((node for node in body if not _must_stay_first(node)), None)
        return self.before(first, f"{line}\n") if first is not None and self.is_plain(first.lineno) else []

    def with_torch(self, edits: Sequence[Edit] = ()) -> tuple[str, list[Edit]]:
        """The program's name for torch, and the edits with an import of it where it has none."""
        alias = self.module_alias("torch")
        return alias or "torch", [*edits, *([] if alias else self.import_line("import torch"))]

    def is_plain(self, line: int) -> bool:
        """Whether lines can be added at this line: not where it stands behind a prompt or is indented."""
        return self.program.shift(line) == 0

    # ---- the result

    def fix(self, edits: Sequence[Edit], shown: ast.AST | None = None, words: Text | None = None) -> Fix | None:
        """A fix, titled by the words, or by the new source of the node that is shown."""
        if not edits:
            return None
        return Fix(words or self._title(edits, shown), list(edits))

    def _title(self, edits: Sequence[Edit], shown: ast.AST | None) -> Text:
        inline = [edit for edit in edits if not edit.text.endswith("\n")]
        span = self.program.span_of(shown) if shown else None
        whole = " ".join(apply_edits(self.program.source, inline, span).split()) if span else ""
        for code in (whole, *(edit.text for edit in inline)):
            if 0 < len(code) <= _LONGEST_TITLE:
                return Text(f"`{code}`", f"`{code}`")
        return Text("Apply the change", "应用修改")


def _must_stay_first(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Constant(value=str())) | ast.ImportFrom(module="__future__"):
            return True
    return False


def is_simple(node: ast.AST) -> bool:
    """Whether an expression can be written twice without being computed twice."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and is_simple(node.value))


def start_of(node: ast.expr | ast.keyword) -> tuple[int, int]:
    """Where a node begins, for comparisons."""
    return node.lineno, node.col_offset


def insertion(line: int, column: int, text: str) -> Edit:
    """An edit that only inserts."""
    return Edit(Span(line, column, line, column), text)


def apply_edits(source: str, edits: Iterable[Edit], within: Span | None = None) -> str:
    """The source after the edits, or what then stands where ``within`` was."""
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)

    def offset(line: int, column: int) -> int:
        return starts[line - 1] + column

    text = "\n".join(lines)
    left, right = 0, len(text)
    if within is not None:
        left, right = offset(within.line, within.column), offset(within.end_line, within.end_column)
    for edit in sorted(edits, key=lambda edit: (edit.span.line, edit.span.column), reverse=True):
        start, end = offset(edit.span.line, edit.span.column), offset(edit.span.end_line, edit.span.end_column)
        text = text[:start] + edit.text + text[end:]
        if start >= left and end <= right:
            right += len(edit.text) - (end - start)
    return text[left:right]
