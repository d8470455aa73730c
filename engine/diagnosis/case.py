"""What a fix looks at: the failed program, the place of the error, and how to write changes of the source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from gradflow.engine.diagnosis.context import UNKNOWN as UNKNOWN
from gradflow.engine.diagnosis.context import Context as Context
from gradflow.engine.diagnosis.context import Origin as Origin
from gradflow.engine.diagnosis.known import computed, known_attribute, known_element, length
from gradflow.engine.recording.entries import CodePosition
from gradflow.engine.sandbox.program import Program
from gradflow.engine.sandbox.source import lines_of
from gradflow.engine.trace import Edit, Fix, Frame, Span, Text

Node = TypeVar("Node", bound=ast.AST)
_LONGEST_TITLE: Final = 72
_CLOSED: Final = (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.List, ast.ListComp, ast.Dict)


@dataclass(frozen=True)
class Case:
    """An error of a program, with the span it was raised at, and the variables there."""

    program: Program
    details: Mapping[str, object]
    context: Context
    span: Span
    values: Mapping[str, object] = field(default_factory=dict)
    frames: Sequence[Frame] = ()
    parents: Mapping[ast.AST, ast.AST] = field(init=False)
    _operations: dict[ast.AugAssign, ast.BinOp] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parents", self.program.parents)
        object.__setattr__(self, "_operations", {})

    # ---- finding

    def find(self, cls: type[Node], span: Span | None = None) -> Node | None:
        """The outermost node of a type that stands exactly at a span, by default at that of the error."""
        wanted = span or self.span
        found = next((node for node in self.program.nodes_at(wanted) if isinstance(node, cls)), None)
        if found is None and cls is ast.BinOp and (statement := self.find(ast.AugAssign, wanted)) is not None:
            return self._operation(statement)  # type: ignore[return-value]  # a BinOp, as asked for
        return found

    def at(self, cls: type[Node], place: CodePosition | None) -> Node | None:
        """The outermost node of a type that stands exactly at a place of the run: what made a tensor."""
        span = self.context.span_at(place)
        return self.find(cls, span) if span is not None else None

    def _operation(self, statement: ast.AugAssign) -> ast.BinOp:
        """The operation of ``y += x``, as of ``y + x``."""
        made = self._operations.get(statement)
        if made is None:
            made = ast.copy_location(ast.BinOp(statement.target, statement.op, statement.value), statement)
            self._operations[statement] = made
            object.__setattr__(self, "parents", {**self.parents, made: statement})
        return made

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The statement that a node stands in."""
        return node if isinstance(node, ast.stmt) else self.enclosing(node, ast.stmt)

    def enclosing(self, node: ast.AST, cls: type[Node]) -> Node | None:
        """The nearest node of a type around a node."""
        current = self.parents.get(node)
        while current is not None and not isinstance(current, cls):
            current = self.parents.get(current)
        return current

    def nodes(self, cls: type[Node]) -> list[Node]:
        """All nodes of a type, in the order in which they begin."""
        return list(self.program.nodes_of(cls))  # type: ignore[arg-type]  # of that type

    def value(self, node: ast.AST | None) -> object:
        """What an expression gave, as far as that can be told without computing it; else `UNKNOWN`."""
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self.values.get(name, UNKNOWN)
            case ast.Attribute(value=owner, attr=name):
                return known_attribute(self.value(owner), name, self._made(node))
            case ast.Subscript(value=owner, slice=ast.Constant(value=key)):
                return known_element(self.value(owner), key, self._made(node))
            case ast.Subscript(value=owner, slice=ast.expr() as index) if self._made(node) is UNKNOWN:
                return known_element(self.value(owner), self.value(index), UNKNOWN)
            case ast.BinOp(left=left, op=op, right=right) if self._made(node) is UNKNOWN:
                return computed(op, self.value(left), self.value(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand) if self._made(node) is UNKNOWN:
                return computed(ast.Sub(), 0, self.value(operand))
            case ast.Call(func=ast.Name(id="len"), args=[held]) if "len" not in self.values:
                return length(self.value(held))
        return UNKNOWN if node is None else self._made(node)

    def _made(self, node: ast.AST) -> object:
        span = self.program.span_of(node)
        return self.context.made_at(span) if span else UNKNOWN

    def text(self, node: ast.AST) -> str:
        """The source of a node."""
        span = self.program.span_of(node)
        return self.program.text_at(span) if span else ""

    def assignment(self, name: str, *, unpacked: bool = False) -> ast.expr | None:
        """The last value assigned to a name before the error; with ``unpacked`` also one that it is an element of."""
        values = [
            node.value
            for node in self.program.nodes
            if isinstance(node, ast.Assign) and node.lineno <= self.span.line and name in _targets(node, unpacked)
        ]
        return max(values, key=lambda value: (value.lineno, value.col_offset), default=None)

    def module_alias(self, module: str) -> str | None:
        """What the program calls a module: ``t`` after ``import torch as t``."""
        for node in self.program.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name == module and (alias.asname or "." not in module):
                        return alias.asname or alias.name
        return None

    # ---- writing

    def replace(self, node: ast.AST, text: str) -> list[Edit]:
        """Put a text in the place of a node; in that of the operation of ``y += x`` an assignment."""
        span = self.program.span_of(node)
        if node in self._operations.values() and isinstance(node, ast.BinOp):
            text = f"{self.text(node.left)} = {text}"
        return [Edit(span, text)] if span else []

    def before(self, node: ast.AST, text: str) -> list[Edit]:
        """Insert in front of a node."""
        span = self.program.span_of(node)
        return [insertion(span.line, span.column, text)] if span else []

    def after(self, node: ast.AST, text: str) -> list[Edit]:
        """Insert behind a node."""
        span = self.program.span_of(node)
        return [insertion(span.end_line, span.end_column, text)] if span else []

    def operand(self, node: ast.expr) -> str:
        """The text of an expression, in brackets where what is written behind it would take a part of it alone."""
        text = self.text(node)
        return text if isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Subscript) else f"({text})"

    def followed(self, node: ast.expr, text: str) -> list[Edit]:
        """Write something like ``.sum()`` behind an expression, which gets brackets where it needs them."""
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            return []  # what is assigned to
        if isinstance(node, _CLOSED):
            return self.after(node, text)
        span = self.program.span_of(node)
        if span is None:
            return []
        parent = self.parents.get(node)
        inside = isinstance(parent, ast.Attribute | ast.Subscript) and parent.value is node
        if isinstance(node, ast.Tuple) and self.text(node).startswith("("):
            return self.after(node, text)
        closing = re.match(r" *\)", self.line(span.end_line)[span.end_column :])
        if inside and closing and self.line(span.line)[: span.column].rstrip().endswith("("):
            return [insertion(span.end_line, span.end_column + closing.end(), text)]
        return self.wrapped(node, "(", f"){text}")

    def followed_by_more(self, node: ast.expr, text: str) -> list[Edit]:
        """Write behind an expression that ends its line, and behind the brackets that it stands in."""
        span = self.program.span_of(node)
        if span is None:
            return []
        rest = re.match(r"[ )]*", self.line(span.end_line)[span.end_column :])
        behind = self.line(span.end_line)[span.end_column + (rest.end() if rest else 0) :]
        if behind.strip() and not behind.startswith(("#", ";")):
            return []
        end = span.end_column + len(rest.group().rstrip() if rest else "")
        return [insertion(span.end_line, end, text)]

    def rebinds(self, node: ast.AST, name: str) -> bool:
        """Whether an assignment at a node gives the name a new value for all that use it: not a global's in a function."""
        function = self.enclosing(node, ast.FunctionDef)
        if function is None or self.enclosing(node, ast.Lambda) is not None:
            return function is None
        arguments = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
        return name in arguments or any(
            isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Store)
            for part in ast.walk(function)
        )

    def line(self, number: int) -> str:
        """A line of the pasted text."""
        lines = lines_of(self.program.source)
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def without_tail(self, call: ast.Call) -> list[Edit]:
        """Take ``.name(...)`` off the end of a method call."""
        span = self.program.span_of(call)
        if span is None or not isinstance(call.func, ast.Attribute):
            return []
        dot = self.dot_of(call.func)
        return [Edit(Span(dot.line, dot.column, span.end_line, span.end_column), "")] if dot else []

    def cut(self, span: Span) -> Edit:
        """Take out what stands at a span."""
        return Edit(span, "")

    def dot_of(self, node: ast.Attribute) -> Span | None:
        """The dot and the name of ``a.b``, where they stand together."""
        span = self.program.span_of(node)
        if span is None:
            return None
        start = span.end_column - len(node.attr) - 1
        if start < 0 or self.line(span.end_line)[start : span.end_column] != f".{node.attr}":
            return None
        return Span(span.end_line, start, span.end_line, span.end_column)

    def line_before(self, statement: ast.stmt, text: str) -> list[Edit]:
        """A line of its own in front of a statement that begins its line; no edits where there is no room."""
        span = self.program.span_of(statement)
        if span is None:
            return []
        before = self.line(span.line)[: span.column]  # white space, behind the prompt of a session
        alone = not before[self.program.shift(span.line) :].strip()
        return [insertion(span.line, span.column, f"{text}\n{before}")] if alone else []

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
        if isinstance(last, ast.GeneratorExp) and self.text(last).startswith("("):
            return []  # its brackets are those of the call
        if last is not None:
            return self._argument_after(call, last, text)
        span = self.program.span_of(call)
        return [insertion(span.end_line, span.end_column - 1, text)] if span else []

    def _argument_after(self, call: ast.Call, last: ast.AST, text: str) -> list[Edit]:
        """Behind the last argument and the brackets that it may stand in."""
        end, whole = self.program.span_of(last), self.program.span_of(call)
        if end is None or whole is None:
            return []
        between = self.program.text_at(Span(end.end_line, end.end_column, whole.end_line, whole.end_column - 1))
        if ")" not in between:
            return self.after(last, f", {text}")
        if "#" in between or "\n" in between:
            return []
        comma = "" if between.rstrip().endswith(",") else ", "
        return [insertion(whole.end_line, whole.end_column - 1, f"{comma}{text}")]

    def without_argument(self, call: ast.Call, given: ast.expr | ast.keyword) -> list[Edit]:
        """Take an argument out of a call, with the comma before it or, for the first one, behind it."""
        arguments: list[ast.expr | ast.keyword] = sorted([*call.args, *call.keywords], key=start_of)
        at = arguments.index(given)
        span = self.program.span_of(given)
        if span is None:
            return []
        if at > 0 and (before := self.program.span_of(arguments[at - 1])):
            return [Edit(Span(before.end_line, before.end_column, span.end_line, span.end_column), "")]
        if at + 1 < len(arguments) and (after := self.program.span_of(arguments[at + 1])):
            return [Edit(Span(span.line, span.column, after.line, after.column), "")]
        return [Edit(span, "")]

    def import_line(self, line: str) -> list[Edit]:
        """Add imports at the beginning, behind a docstring and ``from __future__``."""
        body = self.program.tree.body
        first = next((node for node in body if not _must_stay_first(node)), None)
        return [edit for one in line.split("\n") for edit in self.line_before(first, one)] if first is not None else []

    def with_torch(self, edits: Sequence[Edit] = ()) -> tuple[str, list[Edit]]:
        """The program's name for torch, and the edits with an import of it where it has none."""
        alias = self.module_alias("torch")
        return alias or "torch", [*edits, *([] if alias else self.import_line("import torch"))]

    def between(self, first: Span, last: Span) -> Span:
        """From the end of one span to the end of another."""
        return Span(first.end_line, first.end_column, last.end_line, last.end_column)

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
        for code in (whole, *(" ".join(edit.text.split()).strip(", ") for edit in inline)):
            if 0 < len(code) <= _LONGEST_TITLE:
                return Text(f"`{code}`", f"`{code}`")
        return Text("Apply the change", "应用修改")


def _targets(node: ast.Assign, unpacked: bool) -> set[str]:
    """The names that an assignment gives a value, and with ``unpacked`` those that it gives an element of one."""
    parts = [part for target in node.targets for part in (getattr(target, "elts", [target]) if unpacked else [target])]
    return {part.id for part in parts if isinstance(part, ast.Name)}


def _must_stay_first(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Constant(value=str())) | ast.ImportFrom(module="__future__"):
            return True
    return False


def gone_through(case: Case) -> ast.expr | None:
    """The expression at the error; where that is a whole loop, what the loop goes through."""
    loop = case.find(ast.For)
    return loop.iter if loop is not None else case.find(ast.expr)


def called(call: ast.Call) -> str:
    """The last word of what is called: ``linear`` of ``F.linear(x, w)``."""
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))


def is_in_place(name: str) -> bool:
    """Whether a method of this name writes into its tensor: ``add_``."""
    return name.endswith("_") and not name.endswith("__")


def iterated(loop: ast.For) -> ast.expr:
    """What a loop goes through, without the ``enumerate`` around it."""
    match loop.iter:
        case ast.Call(func=ast.Name(id="enumerate"), args=[source, *_]):
            return source
    return loop.iter


def is_simple(node: ast.AST) -> bool:
    """Whether an expression can be written twice without being computed twice."""
    match node:
        case ast.Name():
            return True
        case ast.Attribute(value=value):
            return is_simple(value)
        case ast.Subscript(value=value, slice=index):
            return is_simple(value) and (is_simple(index) or isinstance(index, ast.Constant))
    return False


def _beginning(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def start_of(node: ast.expr | ast.keyword) -> tuple[int, int]:
    """Where a node begins, for comparisons."""
    return node.lineno, node.col_offset


def insertion(line: int, column: int, text: str) -> Edit:
    """An edit that only inserts."""
    return Edit(Span(line, column, line, column), text)


def apply_edits(source: str, edits: Iterable[Edit], within: Span | None = None) -> str:
    """The source after the edits, or what then stands where ``within`` was."""
    lines = lines_of(source)
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
        grown = len(edit.text) - (end - start)
        if start >= left and end <= right:
            right += grown
        elif end <= left:
            left, right = left + grown, right + grown
    return text[left:right]
