"""Where a number comes from that was handed on in lists of pairs, through loops and unpacking."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final, Literal

from gradflow.engine.diagnosis.bindings import bindings
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.flow import Flow, returned

Step = int | Literal["each"]
"""A part of a collection: the one at a position, or each that a loop goes through."""
Place = tuple[ast.expr, tuple[Step, ...]]
"""An expression, and the steps from it to the number, the first one first."""
_MOST: Final = 25
_KEEPING: Final = frozenset({"list", "tuple", "reversed", "copy", "deepcopy"})
_COMPREHENSIONS: Final = (ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp)


def followed(case: Case, node: ast.expr) -> list[Place]:
    """A number and what it was taken out of, nearest first, up to where it was computed or written."""
    found: list[Place] = [(node, ())]
    while len(found) < _MOST:
        before = _before(case, *found[-1])
        if before is None or before in found:
            break
        found.append(before)
    return found


def _before(case: Case, node: ast.expr, path: tuple[Step, ...]) -> Place | None:
    match node, path:
        case ast.Name(), _:
            return next(_bound(case, node, path), None)
        case ast.Attribute(attr=attr), _:
            given = list(Flow(case)._attributes(node, attr))
            return (given[0], path) if len(given) == 1 else None
        case ast.List(elts=elts) | ast.Tuple(elts=elts), (int() as at, *rest):
            return (elts[at], tuple(rest)) if at < len(elts) else None
        case ast.ListComp(elt=elt) | ast.GeneratorExp(elt=elt), (_, *rest):
            return elt, tuple(rest)
        case ast.DictComp(value=value), (_, *rest):
            return value, tuple(rest)
        case ast.Subscript(value=value, slice=ast.Constant(value=str() as key)), _:
            return _entry(case, value, key, path)
        case ast.Subscript(value=value, slice=index), _:
            number = index.value if isinstance(index, ast.Constant) else None
            return value, (number if isinstance(number, int) else "each", *path)
        case ast.Call(), _:
            return _of_call(case, node, path)
    return None


def _entry(case: Case, table: ast.expr, key: str, path: tuple[Step, ...]) -> Place | None:
    """What a dictionary that the program writes has under a key."""
    match followed(case, table)[-1]:
        case (ast.Dict(keys=keys, values=values), ()):
            held = [one for name, one in zip(keys, values, strict=True) if getattr(name, "value", None) == key]
            return (held[-1], path) if held else None
        case (ast.DictComp(value=value), ()):
            return value, path
    return None


def _of_call(case: Case, call: ast.Call, path: tuple[Step, ...]) -> Place | None:
    match call, path:
        case ast.Call(func=ast.Attribute(value=owner, attr="items")), (_, 1, *rest):
            return owner, ("each", *rest)
        case ast.Call(func=ast.Attribute(value=owner, attr="values")), _ if path:
            return owner, path
        case ast.Call(func=ast.Name(id="zip"), args=args), (first, int() as at, *rest) if at < len(args):
            return args[at], (first, *rest)
        case ast.Call(func=ast.Name(id="enumerate"), args=[source, *_]), (first, 1, *rest):
            return source, (first, *rest)
        case ast.Call(args=[source]), _ if path and called(call) in _KEEPING:
            return source, path
    results = [one for function in Flow(case).called(call) for one in returned(function)]
    return (results[0], path) if len(results) == 1 else None


def _bound(case: Case, name: ast.Name, path: tuple[Step, ...]) -> Iterator[Place]:
    """What binds a name: the comprehension or the loop that it stands in, an assignment before, what calls give."""
    flow = Flow(case)
    inner = case.parents.get(name)
    while inner is not None and not isinstance(inner, ast.FunctionDef | ast.Module):
        targets = (
            inner.generators if isinstance(inner, _COMPREHENSIONS) else [inner] if isinstance(inner, ast.For) else []
        )
        for one in targets:
            steps = _steps_to(one.target, name.id)
            if steps is not None:
                yield one.iter, ("each", *steps, *path)
        inner = case.parents.get(inner)
    scope = flow.scope(name)
    while True:
        held = sorted(bindings(case.program.tree).of(scope, name.id), key=lambda one: getattr(one, "lineno", 0))[::-1]
        yield from (place for one in held for place in _given(one, name, path))
        if isinstance(scope, ast.FunctionDef):
            yield from ((one, path) for one in flow._arguments(scope, name.id))
        if held or isinstance(scope, ast.Module):
            return
        scope = flow.scope(scope)


def _given(binding: ast.AST, name: ast.Name, path: tuple[Step, ...]) -> Iterator[Place]:
    match binding:
        case ast.Assign(targets=[target], value=ast.List(elts=[])) if isinstance(target, ast.Name) and path:
            return
        case ast.Assign(targets=[target], value=value) if binding.lineno <= name.lineno or path:
            steps = _steps_to(target, name.id)
            if steps is not None:
                yield value, (*steps, *path)
        case ast.Call(func=ast.Attribute(attr="append"), args=[given]) if path:
            yield given, path[1:]


def _steps_to(target: ast.expr, name: str) -> tuple[Step, ...] | None:
    """The steps from what is unpacked into a target to the name in it."""
    match target:
        case ast.Name(id=bound):
            return () if bound == name else None
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            if any(isinstance(one, ast.Starred) for one in parts):
                return None
            found = [(at, steps) for at, one in enumerate(parts) if (steps := _steps_to(one, name)) is not None]
            return (found[0][0], *found[0][1]) if found else None
    return None
