"""Where things stand in a program: spans of running code, and what the tree says of the expression at a span."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from types import CodeType
from typing import TypeAlias

from gradflow.engine.sandbox.source import Source
from gradflow.engine.trace import Span

_Place: TypeAlias = tuple[int | None, int | None, int | None, int | None]
"""Line, last line, column and last column, as the compiler has them."""


class Positions:
    """Translates positions of the compiled program into spans of the pasted text."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines = source.text.split("\n")
        self._of_code: dict[int, tuple[CodeType, list[_Place]]] = {}

    def span_of_code(self, code: CodeType, instruction: int) -> Span | None:
        """The span of the expression that the instruction at this byte offset belongs to."""
        known = self._of_code.get(id(code))  # the hash of a code object is that of all its text
        if known is None:
            known = self._of_code[id(code)] = code, list(code.co_positions())
        places, index = known[1], instruction // 2
        return self._span(*places[index]) if 0 <= index < len(places) else None

    def span_of_node(self, node: ast.AST) -> Span | None:
        """The span of a node of the tree."""
        return self._span(
            getattr(node, "lineno", None),
            getattr(node, "end_lineno", None),
            getattr(node, "col_offset", None),
            getattr(node, "end_col_offset", None),
        )

    def _span(self, line: int | None, end_line: int | None, column: int | None, end_column: int | None) -> Span | None:
        if not line or end_line is None or column is None or end_column is None:
            return None
        return Span(line, self._column(line, column), end_line, self._column(end_line, end_column))

    def _column(self, line: int, offset: int) -> int:
        """Code points for a column in UTF-8 bytes, in the pasted text."""
        text = self._lines[line - 1] if 0 < line <= len(self._lines) else ""
        column = offset if text.isascii() else len(text.encode()[:offset].decode(errors="ignore"))
        return self._source.column(line, column)

    def shift(self, line: int) -> int:
        """How many code points were taken off the front of a line."""
        return self._source.column(line, 0)

    def span_of_error(self, error: SyntaxError) -> Span | None:
        """The span of a syntax error, whose columns Python counts from 1 in code points."""
        if error.lineno is None:
            return None
        line = min(max(error.lineno, 1), len(self._lines))
        width = len(self._lines[line - 1])
        start = min(max((error.offset or 1) - 1, 0), width)
        end_line, end = error.end_lineno or line, (error.end_offset or 0) - 1
        if end_line > len(self._lines) or (end_line, end) <= (line, start):
            end_line, end = line, min(start + 1, max(width, 1))
        return Span(line, self._source.column(line, start), end_line, self._source.column(end_line, end))


_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Delete, ast.Return)


class Names:
    """What the program calls the values of its expressions."""

    def __init__(self, nodes: Iterable[ast.AST], positions: Positions) -> None:
        self._positions = positions
        self._single: dict[Span, list[str]] = {}
        self._unpacked: dict[Span, list[str]] = {}
        self._made: dict[Span, Span] = {}  # by what methods are called on one after the other, the whole
        self._same: dict[
            Span, Span
        ] = {}  # by what `requires_grad_` is called on, the call, which gives the same tensor
        self._returned: set[Span] = set()
        self._calls: dict[Span, ast.Call] = {}
        self._imported: dict[str, str] = {}
        self._statements: list[Span] = []
        self.statement = cache(self._statement)
        for node in nodes:
            self._enter(node)

    def _enter(self, node: ast.AST) -> None:
        if isinstance(node, _SIMPLE) and (span := self._positions.span_of_node(node)):
            self._statements.append(span)
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._bind(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                self._bind(target, value)
            case ast.AugAssign(target=target):
                self._bind(target, node)
            case ast.Import(names=names):
                self._imported |= {alias.asname: alias.name for alias in names if alias.asname}
            case ast.ImportFrom(module=module, names=names):
                self._imported |= {alias.asname or alias.name: f"{module}.{alias.name}" for alias in names}
            case ast.Call(func=func):
                if span := self._positions.span_of_node(node):
                    self._calls[span] = node
                    if isinstance(func, ast.Attribute) and (of := self._positions.span_of_node(func.value)):
                        self._made[of] = span
                        if func.attr == "requires_grad_":
                            self._same[of] = span
            case ast.Return(value=ast.expr() as value):
                if span := self._positions.span_of_node(value):
                    self._returned.add(span)

    def _bind(self, target: ast.expr, value: ast.AST) -> None:
        span = self._positions.span_of_node(value)
        if span is None:
            return
        if isinstance(target, ast.Tuple | ast.List):
            self._bind_elements(target.elts, value, span)
        elif name := dotted_name(target):
            self._single.setdefault(span, []).append(name)

    def _bind_elements(self, targets: list[ast.expr], value: ast.AST, span: Span) -> None:
        if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(targets):
            for target, element in zip(targets, value.elts, strict=True):
                self._bind(target, element)
        elif not any(isinstance(target, ast.Starred) for target in targets):
            self._unpacked.setdefault(span, []).extend(dotted_name(target) or "" for target in targets)

    def assigned(self, span: Span) -> list[str]:
        """The names that the value of the expression at ``span`` is assigned to."""
        return self._single.get(span) or self._single.get(self._same.get(span, span), [])

    def _whole(self, span: Span) -> Span:
        while span in self._made:
            span = self._made[span]
        return span

    def made(self, span: Span) -> list[str]:
        """`assigned`, of the value on which methods may be called before."""
        return self.assigned(self._whole(span))

    def is_returned(self, span: Span) -> bool:
        """Whether the value is what a function returns, methods called on it before included."""
        return self._whole(span) in self._returned

    def _statement(self, span: Span) -> Span:
        """The simple statement around a span: there is no other within it."""
        begin, end = (span.line, span.column), (span.end_line, span.end_column)
        for one in self._statements:
            if (one.line, one.column) <= begin and end <= (one.end_line, one.end_column):
                return one
        return span

    def unpacked(self, span: Span) -> list[str]:
        """The names that the elements of the value at ``span`` are unpacked into, in order; "" for one without."""
        return self._unpacked.get(span, [])

    def call(self, span: Span) -> ast.Call | None:
        """The call whose text is that at ``span``."""
        return self._calls.get(span)

    def full_name(self, function: ast.expr) -> str:
        """``torch.autograd.grad``, by whatever name it was imported; "" of what is no dotted name."""
        first, dot, rest = (dotted_name(function) or "").partition(".")
        return self._imported.get(first, first) + dot + rest


def argument_of(call: ast.Call, position: int, keyword: str) -> ast.expr | None:
    """An argument of a call, by its position or its name."""
    for given in call.keywords:
        if given.arg == keyword:
            return given.value
    before = call.args[: position + 1]
    if len(before) > position and not any(isinstance(argument, ast.Starred) for argument in before):
        return before[position]
    return None


def dotted_name(node: ast.expr) -> str | None:
    """``x``, ``self.w``: a name and attributes of it."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attribute):
            owner = dotted_name(value)
            return owner and f"{owner}.{attribute}"
    return None


def module_assignments(tree: ast.Module) -> Iterator[str]:
    """The names assigned outside of functions and classes, last first."""
    for statement in reversed(tree.body):
        names = [node for node in _same_scope(statement) if isinstance(node, ast.Name | ast.ImportFrom)]
        stored = [node for node in names if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
        for node in sorted(stored, key=lambda node: (node.lineno, node.col_offset), reverse=True):
            yield node.id


def _same_scope(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda | ast.GeneratorExp | ast.ListComp):
        for child in ast.iter_child_nodes(node):
            yield from _same_scope(child)
