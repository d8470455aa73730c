"""A shape that is unpacked into one name more than it has dimensions: which dimension is missing, and where it is to be added."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding, Reading
from gradflow.engine.diagnosis.findings.general.sources import place, shape_at
from gradflow.engine.diagnosis.findings.words import code, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.language import mistakes
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Text

_BATCH: Final = ("the samples", "样本")
_CHANNELS: Final = ("the channels", "通道")
_STEPS: Final = ("the steps", "时间步")
_FEATURES: Final = ("the features", "特征")
_PIXELS: Final = ("the pixels", "像素")
_FIRST: Final = frozenset(["b", "n", "bs", "bsz", "batch", "batch_size", "nb"])
_ROLES: Final = {
    **dict.fromkeys(["c", "ch", "chans", "channels", "in_ch", "n_channels"], _CHANNELS),
    **dict.fromkeys(["t", "l", "s", "n", "seq", "seq_len", "length", "steps", "time", "n_steps"], _STEPS),
    **dict.fromkeys(["d", "e", "f", "dim", "feat", "feats", "features", "hidden", "emb"], _FEATURES),
}
_MOST_CALLS: Final = 4
_MOST_FUNCTIONS: Final = 5

Role = tuple[str, str]


def shape_owner(source: ast.expr) -> ast.expr | None:
    """The tensor of ``x.shape`` and ``x.size()``."""
    match source:
        case ast.Attribute(value=owner, attr="shape"):
            return owner
        case ast.Call(func=ast.Attribute(value=owner, attr="size"), args=[], keywords=[]):
            return owner
    return None


def all_are_read(case: Case, target: ast.Tuple | ast.List) -> bool:
    """Whether every name of an unpacking is read in its function, so that none can be left out."""
    scope = Flow(case).scope(target)
    read = {one.id for one in ast.walk(scope) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
    return all(isinstance(one, ast.Name) and one.id in read for one in target.elts)


@finds(mistakes.NOT_ENOUGH_VALUES)
def _lacks_dimension(case: Case) -> Finding | None:
    """``b, c, h, w = x.shape`` of gray images without a dimension of channels: what runs with it added is told."""
    node = case.find(ast.AST)
    match case.statement(node) if node is not None else None:
        case ast.Assign(targets=[ast.Tuple() | ast.List() as target], value=source):
            owner = shape_owner(source)
        case _:
            return None
    shape = shape_at(case, owner) if isinstance(owner, ast.Name) else None
    if not isinstance(owner, ast.Name) or shape is None or len(target.elts) != len(shape) + 1:
        return None
    if not all_are_read(case, target):
        return None
    names = [case.text(one) for one in target.elts]
    roles, given = _roles(names), _handed_over(case, owner)
    if roles is None or not given:
        return None
    missing = [at for at, role in enumerate(roles) if role is not _PIXELS]
    told = [_reading(case, owner, given, (names, shape), (at, roles[at])) for at in missing]
    readings = [one for one in told if one is not None]
    fixes = [one.fix for one in readings]
    return Finding(fixes=fixes, guess=True, readings=readings, whole=True) if readings else None


def _roles(names: list[str]) -> list[Role] | None:
    """What each dimension holds, by the name that it is given; None where a name does not tell."""
    low = [one.lower() for one in names]
    image = {"h", "w"} <= set(low) or {"height", "width"} <= set(low)
    found: list[Role] = []
    for at, name in enumerate(low):
        role = _ROLES.get(name)
        if at == 0 and name in _FIRST:
            role = _BATCH
        elif image and name in ("h", "w", "height", "width"):
            role = _PIXELS
        elif name == "h" and at == len(low) - 1:
            role = _FEATURES
        if role is None:
            return None
        found.append(role)
    return found if len(set(low)) == len(low) else None


def _handed_over(case: Case, owner: ast.Name) -> list[ast.expr]:
    """Where the tensor gets into the function that unpacks its shape, however many functions hand it on."""
    flow, name = Flow(case), owner
    for _ in range(_MOST_FUNCTIONS):
        scope = flow.scope(name)
        before = [one for one in flow.assigned(name, name.id) if flow.scope(one) is scope and one.lineno < name.lineno]
        if before:
            source = _same_dimensions(case, before[0], shape_at(case, owner) or ())
            if source is None:
                return (
                    before[:1] if name is owner and _is_made(case, before[0]) else [name] if name is not owner else []
                )
            name = source
            continue
        if not isinstance(scope, ast.FunctionDef):
            break
        given = list(_arguments(case, scope, name.id))
        if len(given) != 1 or not isinstance(given[0], ast.Name):
            return given if len(given) <= _MOST_CALLS else []
        name = given[0]
    return [] if name is owner else [name]


def _is_made(case: Case, node: ast.expr) -> bool:
    """Whether an expression makes a tensor of none: ``torch.rand(9, 9)``."""
    inside = [one for one in ast.walk(node) if isinstance(one, ast.expr) and one is not node]
    return isinstance(node, ast.Call) and not any(isinstance(case.value(one), Tensor) for one in inside)


def _same_dimensions(case: Case, made: ast.expr, shape: tuple[int, ...]) -> ast.Name | None:
    """``x`` of ``self.conv(x)``, where it has as many dimensions as what the layer makes of it."""
    given = made.args[0] if isinstance(made, ast.Call) and len(made.args) == 1 else None
    if (
        not isinstance(made, ast.Call)
        or not isinstance(given, ast.Name)
        or not isinstance(case.value(made.func), Layer)
    ):
        return None
    return given if len(shape_at(case, given) or ()) == len(shape) else None


def _arguments(case: Case, function: ast.FunctionDef, name: str) -> Iterator[ast.expr]:
    """What the calls of a function, or of an object whose ``forward`` it is, give for one of its parameters."""
    flow, owner = Flow(case), case.parents.get(function)
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    at = names.index(name) - (names[:1] == ["self"]) if name in names else -1
    for call in case.nodes(ast.Call) if at >= 0 else ():
        forward = isinstance(owner, ast.ClassDef) and function.name == "forward" and _is_object(flow, call.func, owner)
        if forward or function in flow.called(call):
            given = argument_of(call, at, name)
            if given is not None:
                yield given


def _is_object(flow: Flow, node: ast.expr, owner: ast.ClassDef) -> bool:
    """Whether an expression is, by what it is given in the program, an object of a class."""
    match node:
        case ast.Call(func=ast.Name(id=made)):
            return made == owner.name
        case ast.Name(id=name):
            known = next(iter(flow.assigned(node, name)), None)
        case ast.Attribute():
            known = next(iter(flow.kept(node)), None)
        case _:
            return False
    return isinstance(known, ast.Call) and isinstance(known.func, ast.Name) and known.func.id == owner.name


def _made(case: Case, given: ast.expr) -> Role:
    """Where what is handed over comes from: the function of the program that returns it, or the line that makes it."""
    functions = Flow(case).called(given) if isinstance(given, ast.Call) else []
    results = returned(functions[0]) if functions else []
    if len(results) == 1:
        at = line(results[0])
        return f", which line {at} returns", f"（由第 {at} 行返回）"
    where, where_zh = place(case, given)
    return where, where_zh


def _reading(
    case: Case,
    owner: ast.Name,
    given: list[ast.expr],
    unpacked: tuple[list[str], tuple[int, ...]],
    missing: tuple[int, Role],
) -> Reading | None:
    """The program with one of the dimensions added where the tensor is handed over."""
    (names, shape), (at, role) = unpacked, missing
    edits = [edit for one in given for edit in case.followed(one, f".unsqueeze({at})")]
    fix, cause = case.fix(edits, given[0]), case.program.span_of(given[0])
    if fix is None or cause is None:
        return None
    rest = ", ".join(names[:at] + names[at + 1 :])
    text = f"{' '.join(case.operand(given[0]).split())}.unsqueeze({at})"
    more, more_zh = _made(case, given[0])
    own = Flow(case).scope(given[0]) is Flow(case).scope(owner)
    came = f"Line {line(given[0])} {'makes' if own else 'hands over'} {code(case, given[0])}{more}."
    came_zh = f"它由第 {line(given[0])} 行的 {code(case, given[0])}{more_zh or ' '}{'得到' if own else '传入'}。"
    return Reading(
        fix,
        Text(
            f"`{owner.id}` has the shape {list(shape)}: `{rest}`, without a dimension for {role[0]}, and line {line(owner)} unpacks it into"
            f" `{', '.join(names)}`. {came} Add dimension {at}: `{text}`.",
            f"`{owner.id}` 的形状是 {list(shape)}，即 `{rest}`，缺少{role[1]}这一维，而第 {line(owner)} 行要解包成 `{', '.join(names)}`。{came_zh}"
            f"请加上第 {at} 维：`{text}`。",
        ),
        cause,
    )
