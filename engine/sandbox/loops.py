"""Counts the turns of a program's loops: each loop keeps, in the frame that runs it, the number of its turn.

Before a ``for`` or ``while`` statement stands ``<turn 3> = [-1]``, and its body begins with ``<turn 3>[0] += 1``; a clause
of a comprehension goes through ``enumerate``, which gives ``<turn 3>`` its numbers. Nothing of it calls a function of
Python, so depth, tracebacks and the iterators themselves stay what they are, and what a frame keeps is right by itself for
recursion, for exceptions and for generators that are suspended and resumed elsewhere. The names cannot be spelled.

Loops directly in the body of a class are not counted: each name bound there would become an attribute.
"""

from __future__ import annotations

import ast
import dis
from collections.abc import Iterator, Mapping
from types import CodeType
from typing import Final, TypeAlias, TypeVar

ENUMERATE: Final = "<enumerate>"

_Position: TypeAlias = tuple[int, int]
_Instruction: TypeAlias = tuple[int | None, int | None, int | None, int | None]
_Region: TypeAlias = tuple[_Position, _Position]
_Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Node = TypeVar("Node", bound=ast.AST)

_COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS: Final = (ast.For, ast.While)
_SCOPES: Final = (ast.ClassDef, ast.FunctionDef, ast.Lambda)
_STATEMENTS: Final = ("body", "orelse", "finalbody")
_SIGNS: Final = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
_MARKS: Final = frozenset({str, int, type(None), *(sign for kind in _SIGNS for sign in kind.__subclasses__())})
_LEAVES: Final = _MARKS | {ast.Constant, ast.Name}
"""Classes of what stands in the fields of a node and has nothing below it."""


class Loop:
    """A loop of the program. ``name`` holds its turn; ``targets`` are the names that an iterator's element is bound to
    for all of a turn, ``names`` those that it is bound to at first. ``statement`` is the whole, ``head`` ends where the text that introduces the loop ends."""

    def __init__(self, number: int, statement: ast.AST, first: ast.AST, head: ast.expr) -> None:
        self.name = f"<turn {number}>"
        self.statement, self.first, self.head = statement, first, head
        self.targets: list[str] = []
        self.names: list[str] = []
        self.turns: list[_Region] = []
        self.test: _Region | None = None

    def holds(self, region: _Region) -> bool:
        """Whether an expression there belongs to a turn."""
        return any(_within(region, turn) for turn in self.turns) or self.tests(region)

    def tests(self, region: _Region) -> bool:
        """Whether an expression there belongs to the test before a turn."""
        return self.test is not None and _within(region, self.test)


Around: TypeAlias = tuple[tuple[Loop, bool], ...]
"""The loops around an instruction, outermost first, and whether it belongs to the test before the turn."""


class Loops:
    """The loops of a program by the instructions that they hold."""

    def __init__(self, loops: Mapping[str, Loop]) -> None:
        self._loops = loops
        self._known: dict[Around, Around] = {}
        self._codes: dict[int, tuple[CodeType, list[Loop], list[_Instruction]]] = {}

    def of(self, code: CodeType) -> list[Loop]:
        """The loops that this code runs, outer ones first."""
        names = dict.fromkeys((*code.co_varnames, *code.co_cellvars, *code.co_names))
        return [loop for name, loop in self._loops.items() if name in names]

    def at(self, code: CodeType, lasti: int) -> Around:
        """The loops in a turn of which the instruction at ``lasti`` of a code object stands; equal ones are identical."""
        known = self._codes.get(id(code))
        if known is None:
            own = self.of(code)
            known = self._codes[id(code)] = code, own, list(code.co_positions()) if own else []
        _, own, positions = known
        if not own:
            return ()
        line, end_line, column, end_column = positions[lasti // 2]
        if line is None or end_line is None or column is None or end_column is None:
            return ()
        region = (line, column), (end_line, end_column)
        around = tuple((loop, loop.tests(region)) for loop in own if loop.holds(region))
        return self._known.setdefault(around, around)


def count_loops(tree: ast.Module) -> Loops:
    """Rewrite a module, so that its loops are counted, in place."""
    found: dict[str, Loop] = {}
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, in_class = waiting.pop()
        if isinstance(node, _SCOPES):
            in_class = isinstance(node, ast.ClassDef)
        below = [(child, in_class) for child in children(node)]
        if isinstance(node, _COMPREHENSIONS):
            for clause in node.generators:
                _enter(found, _count_clause(len(found), node, clause))
        elif not in_class and not isinstance(node, ast.expr):
            for field in _STATEMENTS:
                if isinstance(statements := getattr(node, field, None), list):
                    statements[:] = [each for one in statements for each in _counted(found, one)]
        waiting += reversed(below)
    return Loops(found)


def is_literal(node: ast.AST) -> bool:
    """Whether a node is a negative number as it is written, of which tables are full: two nodes with nothing below them."""
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant)


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly below one, without names, numbers and the like, which have nothing below them.

    In the order of `ast.iter_child_nodes`, in a sixth of the time.
    """
    found: list[ast.AST] = []
    for field in node._fields:
        value = getattr(node, field, None)
        if value.__class__ is list:
            found += [
                each
                for each in value
                if each.__class__ not in _LEAVES and isinstance(each, ast.AST) and not is_literal(each)
            ]
        elif value.__class__ not in _LEAVES and isinstance(value, ast.AST):
            found.append(value)
    return found


def _enter(found: dict[str, Loop], loop: Loop) -> None:
    found[loop.name] = loop


def _counted(found: dict[str, Loop], statement: ast.stmt) -> Iterator[ast.stmt]:
    if isinstance(statement, _LOOPS):
        count = _count_for if isinstance(statement, ast.For) else _count_while
        loop = count(len(found), statement)  # type: ignore[arg-type]  # the one that takes it
        _enter(found, loop)
        head = loop.head
        start = ast.List([ast.UnaryOp(ast.USub(), ast.Constant(1))], ast.Load())
        yield _placed(ast.Assign([ast.Name(loop.name, ast.Store())], start), head)
        turn = ast.Subscript(ast.Name(loop.name, ast.Load()), ast.Constant(0), ast.Store())
        statement.body.insert(0, _placed(ast.AugAssign(turn, ast.Add(), ast.Constant(1)), head))
    yield statement


def _count_for(number: int, statement: ast.For) -> Loop:
    loop = Loop(number, statement, statement, statement.iter)
    loop.turns = [(_end(statement.iter), _end(statement.body[-1]))]
    stored = {name for part in statement.body for name in _stored(part)}
    loop.names = list(_stored(statement.target))
    loop.targets = [name for name in loop.names if name not in stored]
    return loop


def _count_while(number: int, statement: ast.While) -> Loop:
    loop = Loop(number, statement, statement, statement.test)
    loop.turns = [(_end(statement.test), _end(statement.body[-1]))]
    loop.test = _start(statement.test), _end(statement.test)
    return loop


def _count_clause(number: int, comprehension: _Comprehension, clause: ast.comprehension) -> Loop:
    loop = Loop(number, comprehension, clause.target, clause.iter)
    first, last = _results(comprehension)
    loop.turns = [(_start(first), _end(last)), (_end(clause.iter), _end(comprehension))]
    loop.names = loop.targets = list(_stored(clause.target))
    name = _placed(ast.Name(loop.name, ast.Store()), clause.target)
    clause.target = _placed(ast.Tuple([name, clause.target], ast.Store()), clause.target)
    at = clause.iter if _ITERATED_AT_ITERABLE else comprehension
    function = _placed(ast.Name(ENUMERATE, ast.Load()), at)
    clause.iter = ast.copy_location(ast.Call(function, [clause.iter], []), at)
    return loop


def _results(comprehension: _Comprehension) -> tuple[ast.expr, ast.expr]:
    """The first and the last expression that a comprehension computes for its results."""
    if isinstance(comprehension, ast.DictComp):
        return comprehension.key, comprehension.value
    return comprehension.elt, comprehension.elt


def _stored(node: ast.AST) -> Iterator[str]:
    """The names that a part of a program binds."""
    for part in _walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id


def _placed(node: Node, at: ast.AST) -> Node:
    for part in _walk(node):
        if not hasattr(part, "lineno"):
            ast.copy_location(part, at)
    return node


def _walk(node: ast.AST) -> list[ast.AST]:
    """`ast.walk`, without contexts and operators, in a fraction of the time."""
    found = [node]
    for each in found:
        for field in each._fields:
            value = getattr(each, field, None)
            if value.__class__ is list:
                found += [one for one in value if isinstance(one, ast.AST)]
            elif value.__class__ not in _MARKS and isinstance(value, ast.AST):
                found.append(value)
    return found


def _start(node: ast.AST) -> _Position:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]  # expressions and statements have them


def _end(node: ast.AST) -> _Position:
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]  # the same


def _within(inner: _Region, outer: _Region) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _iterated_at_iterable() -> bool:
    """Whether this Python's tables say that ``y`` in ``[x for x in y]`` is what fails when it cannot be iterated,
    rather than the comprehension."""
    instructions = dis.get_instructions(compile("[x for x in y]", "", "eval"))
    found = [one.positions for one in instructions if one.opname == "GET_ITER"]
    return any(position is not None and position.col_offset != 0 for position in found)


_ITERATED_AT_ITERABLE: Final = _iterated_at_iterable()
