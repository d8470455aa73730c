"""What was computed step by step along a later dimension and gathered in a list: it is stacked along that dimension again."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, on_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor

_TURNING: Final = frozenset({"transpose", "permute", "swapaxes", "movedim", "unbind", "t"})
_REDUCING: Final = frozenset(
    {"sum", "mean", "max", "min", "amax", "amin", "cumsum", "select", "flip", "size", "narrow"}
)


@dataclass(frozen=True)
class Steps:
    """The tensor whose steps were gone through, and the dimension of the steps."""

    source: ast.expr
    dim: int


def gathered_steps(case: Case, listed: ast.expr) -> Steps | None:
    """The steps along a later dimension that a list has one tensor of each of; None where another order may be meant."""
    held = elements(case, listed)
    if not held:
        return None
    found = {(ast.unparse(one.source), one.dim): one for one in _cut(case, listed)}
    if len(found) != 1:
        return None
    (steps,) = found.values()
    whole = Flow(case).tensor(steps.source)
    if whole is None or whole.dim() <= steps.dim:
        return None
    if not isinstance(listed, ast.ListComp) and int(whole.shape[steps.dim]) != len(held):
        return None
    kept = tuple(map(int, whole.shape[: steps.dim]))
    alike = all(tuple(map(int, one.shape[: steps.dim])) == kept for one in held)
    return steps if alike and not _by_steps_first(case, listed) else None


def elements(case: Case, listed: ast.expr) -> list[Tensor]:
    """The tensors that a list holds; of a comprehension, whose list has no name, the last alone. Of anything else none."""
    held = [Flow(case).tensor(listed.elt)] if isinstance(listed, ast.ListComp) else case.value(listed)
    if not isinstance(held, list) or not all(isinstance(one, Tensor) for one in held):
        return []
    return held


def _cut(case: Case, listed: ast.expr) -> Iterator[Steps]:
    """The cuts ``x[:, t]`` that the elements of a list were computed from, of the loop that gathers them."""
    for element, loop in _gathering(case, listed):
        names = {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
        within = set(ast.walk(loop)) if isinstance(loop, ast.For) else set(ast.walk(element))
        for one in Flow(case).behind(element):
            if one not in within:
                continue
            match one:
                case ast.Subscript(value=source, slice=ast.Tuple(elts=parts)):
                    at = _place_of_step(parts, names)
                    if at > 0:
                        yield Steps(source, at)
        yield from _unbound(case, loop)


def _gathering(case: Case, listed: ast.expr) -> Iterator[tuple[ast.expr, ast.For | ast.comprehension]]:
    """What is put into a list, with the loop that does so."""
    if isinstance(listed, ast.ListComp):
        yield from ((listed.elt, one) for one in listed.generators[:1] if len(listed.generators) == 1)
        return
    if not isinstance(listed, ast.Name):
        return
    scope = Flow(case).scope(listed)
    for node in ast.walk(scope):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.ListComp() as made) if name == listed.id:
                yield from _gathering(case, made)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[element]) if (
                name == listed.id
            ):
                loop = case.enclosing(node, ast.For)
                if loop is not None:
                    yield element, loop


def _place_of_step(parts: Sequence[ast.expr], names: set[str]) -> int:
    """Where the variable of the loop stands behind whole dimensions; 0 of any other index."""
    for at, part in enumerate(parts):
        if isinstance(part, ast.Name) and part.id in names:
            return at
        if not isinstance(part, ast.Slice) or part.lower is not None or part.upper is not None:
            return 0
    return 0


def _unbound(case: Case, loop: ast.For | ast.comprehension) -> Iterator[Steps]:
    """``for step in x.unbind(1)``, with ``enumerate`` around it or without."""
    for one in ast.walk(loop.iter):
        if not isinstance(one, ast.Call) or called(one) != "unbind" or not isinstance(one.func, ast.Attribute):
            continue
        method = isinstance(case.value(one.func.value), Tensor)
        dim = argument_of(one, 0 if method else 1, "dim")
        at = case.value(dim) if dim is not None else None
        if isinstance(at, int) and at > 0 and (method or one.args):
            yield Steps(one.func.value if method else one.args[0], at)


def _by_steps_first(case: Case, listed: ast.expr) -> bool:
    """Whether what is made of the list is used as if its first dimension were that of the steps."""
    call = case.parents.get(listed)
    made: list[ast.expr] = [call] if isinstance(call, ast.Call) else []
    statement = case.statement(listed)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        name = statement.targets[0]
        scope = Flow(case).scope(listed)
        if isinstance(name, ast.Name):
            made += [one for one in ast.walk(scope) if isinstance(one, ast.Name) and one.id == name.id]
    return any(_takes_steps_first(case, one) for one in made)


def _takes_steps_first(case: Case, made: ast.expr) -> bool:
    """Whether the place of an expression turns its dimensions, takes one step, or reads it with the steps first."""
    around = case.parents.get(made)
    outer = case.parents.get(around) if around is not None else None
    match around:
        case ast.Attribute(attr=attr) if attr in _TURNING:
            return True
        case ast.Attribute(attr=attr) if attr in _REDUCING and isinstance(outer, ast.Call):
            dim = argument_of(outer, 0, "dim")
            return dim is not None and case.value(dim) == 0
        case ast.Subscript(value=value, slice=index) if value is made:
            first = index.elts[0] if isinstance(index, ast.Tuple) and index.elts else index
            return not isinstance(first, ast.Slice) or first.lower is not None or first.upper is not None
        case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
            return iterated is made
        case ast.Call(func=func, args=args) if made in args:
            if called(around) in _TURNING | {"zip", "enumerate", "list"}:
                return True
            layer = case.value(func)
            return isinstance(layer, Layer) and getattr(layer, "batch_first", None) is False
    return False


def stacked_text(case: Case, listed: ast.expr) -> str:
    """``torch.stack(outs)``, or with the dimension that the steps were taken from."""
    torch, steps = case.module_alias("torch") or "torch", gathered_steps(case, listed)
    return f"{torch}.stack({case.text(listed)}{f', dim={steps.dim}' if steps is not None else ''})"


@finds(errors.TENSORS_AS_NUMBERS)
def _steps_as_numbers(case: Case) -> Finding | None:
    """``torch.tensor(outputs)`` of what was computed from ``x[:, t]`` for every ``t``."""
    call = case.find(ast.Call)
    listed = call.args[0] if call is not None and len(call.args) == 1 and not call.keywords else None
    steps = gathered_steps(case, listed) if listed is not None else None
    held = elements(case, listed) if listed is not None else []
    if call is None or listed is None or steps is None:
        return None
    if len({tuple(one.shape) for one in held}) != 1:
        return None
    shape = list(map(int, held[0].shape))
    source = Flow(case).tensor(steps.source)
    count = int(source.shape[steps.dim]) if source is not None else len(held)
    text, whole = stacked_text(case, listed), [*shape[: steps.dim], count, *shape[steps.dim :]]
    where, where_zh = on_line(steps.source)
    return finding(
        case,
        f"{code(case, listed)} is a list of {count} tensors of shape {shape}, one for each step along dimension {steps.dim} of"
        f" {code(case, steps.source)}{where}, and {code(case, call.func)} makes a tensor of plain numbers. Stack them along that dimension: `{text}`, of the"
        f" shape {whole}; gradients flow through it, too.",
        f"{code(case, listed)} 是由 {count} 个形状为 {shape} 的张量组成的列表，{code(case, steps.source)}{where_zh}的第 {steps.dim} 维上每一步一个，"
        f"而 {code(case, call.func)} 只用普通的数创建张量。请沿这一维把它们叠起来：`{text}`，形状是 {whole}；梯度也能通过它。",
        case.fix(case.replace(call, text), call),
        call,
    )
