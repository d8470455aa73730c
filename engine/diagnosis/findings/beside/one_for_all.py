"""Something that there is once, such as the state of one step, joined to what there is for every step: it has to be repeated."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, is_simple
from gradflow.engine.diagnosis.finding import Finding, Reading
from gradflow.engine.diagnosis.findings.general.sources import shape_at
from gradflow.engine.diagnosis.findings.words import apply, code
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.trace import Text

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Once:
    """A tensor that has size 1 where another one has more, and agrees with it in all others but that of the join."""

    call: ast.Call
    node: ast.expr
    shape: Shape
    other: ast.expr
    wanted: Shape
    dim: int
    at: tuple[int, ...]


def once(case: Case) -> Once | None:
    """What a join of two tensors along a dimension that is said, and is not the first, has once alone."""
    call = case.find(ast.Call)
    listed = call.args[0] if call is not None and call.args else None
    given = argument_of(call, 1, "dim") if call is not None else None
    if call is None or given is None or not isinstance(listed, ast.List | ast.Tuple) or len(listed.elts) != 2:
        return None
    shapes = [shape_at(case, one) for one in listed.elts]
    dim = case.value(given)
    left, right = shapes
    if left is None or right is None or len(left) != len(right) or not isinstance(dim, int) or not left:
        return None
    dim %= len(left)
    at = tuple(k for k, (a, b) in enumerate(zip(left, right, strict=True)) if a != b and k != dim)
    if dim == 0 or not at:
        return None
    for node, other, shape, wanted in ((0, 1, left, right), (1, 0, right, left)):
        if all(shape[k] == 1 for k in at):
            return Once(call, listed.elts[node], shape, listed.elts[other], wanted, dim, at)
    return None


@finds(errors.CAT_SIZE)
def _repeated(case: Case) -> Finding | None:
    """``torch.cat((h, outputs), dim=2)`` of ``h`` for one step; or the step is put before the others, ``dim=1``."""
    found = once(case)
    if found is None or (0 in found.at and not _is_learned(case, found.node)):
        return None
    span = case.program.span_of(found.call)
    readings = [one for one in (_for_all(case, found), _one_more(case, found)) if one is not None and span is not None]
    return Finding(fixes=[one.fix for one in readings], guess=True, readings=readings, whole=True) if readings else None


def _is_learned(case: Case, node: ast.expr) -> bool:
    """Whether a tensor is a parameter, of which there is one for all samples; noise or data is for each of them."""
    return isinstance(Flow(case).tensor(node), Parameter)


def _for_all(case: Case, found: Once) -> Reading | None:
    other = case.text(found.other)
    sizes = [
        "-1" if k not in found.at else f"{other}.size({k})" if is_simple(found.other) else str(found.wanted[k])
        for k in range(len(found.shape))
    ]
    text = f"{case.operand(found.node)}.expand({', '.join(sizes)})"
    fix = apply(case, case.followed(found.node, f".expand({', '.join(sizes)})"), f"`{text}`", f"`{text}`")
    span = case.program.span_of(found.call)
    if fix is None or span is None:
        return None
    en, zh = _differing(case, found)
    says = Text(
        f"{en} To join it to every one of them, repeat it: `{text}`.", f"{zh}要把它接到每一个上，请重复它：`{text}`。"
    )
    return Reading(fix, says, span)


def _one_more(case: Case, found: Once) -> Reading | None:
    """Joined along the dimension in which there is one of the one and several of the other."""
    given = argument_of(found.call, 1, "dim")
    span = case.program.span_of(found.call)
    if given is None or span is None or len(found.at) != 1 or found.shape[found.dim] != found.wanted[found.dim]:
        return None
    (at,) = found.at
    fix = case.fix(case.replace(given, str(at)), found.call)
    if fix is None:
        return None
    node, other, count = code(case, found.node), code(case, found.other), found.wanted[at]
    says = Text(
        f"{node} has 1 in dimension {at} and {other} {count}, and here they are joined along dimension {found.dim}. To put them in a row, which makes"
        f" {count + 1}, join along dimension {at}: `dim={at}`.",
        f"{node} 的第 {at} 维是 1，{other} 是 {count}，而这里沿第 {found.dim} 维拼接。要把它们排成一列，共 {count + 1} 个，请沿第 {at} 维拼接：`dim={at}`。",
    )
    return Reading(fix, says, span)


def _differing(case: Case, found: Once) -> tuple[str, str]:
    node, other = code(case, found.node), code(case, found.other)
    where = " and ".join(map(str, found.at))
    many = " and ".join(str(found.wanted[k]) for k in found.at)
    dims, dims_zh = "dimensions" if len(found.at) > 1 else "dimension", where.replace(" and ", "、")
    return (
        f"{node} has the shape {list(found.shape)}, with 1 in {dims} {where}, where {other}, {list(found.wanted)}, has {many}; joined along dimension"
        f" {found.dim}, they must agree there.",
        f"{node} 的形状是 {list(found.shape)}，第 {dims_zh} 维是 1，而 {other} 的形状是 {list(found.wanted)}，那里是 {many.replace(' and ', '、')}；沿第"
        f" {found.dim} 维拼接时，那里必须一致。",
    )
