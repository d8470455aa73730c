"""A loss for each element where one number is needed: the ``reduction="none"`` or the function that gives the losses as they are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.elsewhere.reductions import not_chosen
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.nothing_differentiable import output_of
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

REDUCING: Final = frozenset(
    {"mean", "sum", "nanmean", "nansum", "max", "min", "amax", "amin", "median", "norm", "item"}
)
_LOSS: Final = re.compile(
    r"loss|cost|criterion|objective|penalty|entropy|focal|dice|hinge|\b(\w+_)?(error|err|mse|mae|bce|nll|crit)(_\w+)?\b",
    re.IGNORECASE,
)
_DEEPEST: Final = 24
_NUMBERS: Final = frozenset({*REDUCING, "detach", "backward", "requires_grad", "grad_fn", "cpu", "shape"})


@dataclass(frozen=True)
class Unreduced:
    """Losses that are kept apart: the argument that says so, what was given it, and the function of the program that gives them back.

    ``plain`` says that they are what the loss gave, with nothing computed from it; ``source`` is the call in the function
    where they are used.
    """

    keyword: ast.keyword | None = None
    owner: ast.Call | None = None
    plain: bool = True
    result: ast.expr | None = None
    function: ast.FunctionDef | None = None
    source: ast.expr | None = None


def unreduced(case: Case, node: ast.expr, depth: int = 0) -> Unreduced | None:
    """The ``reduction="none"`` behind a value, as far as no sum or mean stands between."""
    if depth > _DEEPEST:
        return None
    match node:
        case ast.Name() | ast.Attribute():
            return _of_first(case, _values(case, node), depth)
        case ast.BinOp(left=left, right=right):
            return _computed(_of_first(case, iter([left, right]), depth))
        case ast.UnaryOp(operand=inner) | ast.Subscript(value=inner):
            return _computed(unreduced(case, inner, depth + 1))
        case ast.IfExp(body=body, orelse=orelse):
            return _of_first(case, iter([body, orelse]), depth)
        case ast.Call():
            return _of_call(case, node, depth)
    return None


def _values(case: Case, node: ast.Name | ast.Attribute) -> Iterator[ast.expr]:
    if isinstance(node, ast.Name):
        yield from list(Flow(case).assigned(node, node.id))[:2]
    elif (made := definition(case, node)) is not node:
        yield made


def _of_first(case: Case, parts: Iterator[ast.expr], depth: int) -> Unreduced | None:
    return next((found for one in parts if (found := unreduced(case, one, depth + 1)) is not None), None)


def _computed(found: Unreduced | None) -> Unreduced | None:
    return replace(found, plain=False) if found is not None else None


def _of_call(case: Case, call: ast.Call, depth: int) -> Unreduced | None:
    made = definition(case, call.func) if isinstance(call.func, ast.Name | ast.Attribute) else call.func
    for owner in (call, made):
        for keyword in owner.keywords if isinstance(owner, ast.Call) else ():
            if keeps_apart(case, keyword):
                return Unreduced(keyword, owner if isinstance(owner, ast.Call) else None, source=call)
    for function in Flow(case).called(call):
        results = returned(function)
        found = _of_first(case, iter(results), depth)
        if found is None or not isinstance(function, ast.FunctionDef):
            return found
        found = replace(found, source=call)
        return replace(found, result=results[-1], function=function) if len(results) == 1 else found
    if called(call) in REDUCING:
        return None
    parts = [*([call.func.value] if isinstance(call.func, ast.Attribute) else []), *call.args]
    return _computed(_of_first(case, iter(parts), depth))


def keeps_apart(case: Case, keyword: ast.keyword) -> bool:
    """``reduction="none"``, and ``reduce=False`` as it was written before."""
    if keyword.arg == "reduction":
        return case.value(keyword.value) == "none"
    return keyword.arg == "reduce" and case.value(keyword.value) is False


def _given_by_function(case: Case, node: ast.expr) -> Unreduced | None:
    """A function of the program, named as a loss, that gives back what it computed for each element."""
    call = definition(case, node)
    if not isinstance(call, ast.Call):
        return None
    for function in Flow(case).called(call):
        results = returned(function)
        named = f"{case.text(node)} {case.text(call.func)} {type(case.value(call.func)).__name__}"
        if isinstance(function, ast.FunctionDef) and len(results) == 1 and _LOSS.search(named):
            held = Flow(case).tensor(results[0])
            several = held is not None and held.numel() > 1
            whole = isinstance(results[0], ast.BinOp | ast.UnaryOp | ast.Name | ast.Call) and several
            return Unreduced(result=results[0], function=function, plain=False) if whole else None
    return None


# -- what needs one number ---------------------------------------------------------------------------------------------


@finds(errors.FORMAT_TENSOR)
def _formatted(case: Case) -> Finding | None:
    """``f"{loss:.3f}"``, ``"{:.3f}".format(loss)``."""
    node = case.find(ast.JoinedStr) or case.find(ast.Call)
    shown: list[ast.expr] = []
    if isinstance(node, ast.JoinedStr):
        shown = [one.value for one in ast.walk(node) if isinstance(one, ast.FormattedValue) and one.format_spec]
    elif isinstance(node, ast.Call):
        shown = [*(node.args if called(node) == "format" else ()), *(one.value for one in node.keywords)]
    return _told_of(
        case, shown, "a format such as `:.3f` is for one number", "而 `:.3f` 这样的格式只用于一个数", is_last=False
    )


@finds(errors.ITEM_NOT_SCALAR, errors.NUMBER_NOT_SCALAR)
def _as_number(case: Case) -> Finding | None:
    """``loss.item()``, ``float(loss)``."""
    call = case.find(ast.Call)
    if call is None:
        node = case.find(ast.BinOp)
        shown = [node.right] if node is not None and isinstance(node.op, ast.Mod) else []
        each = [part for one in shown for part in (one.elts if isinstance(one, ast.Tuple) else [one])]
        return _told_of(case, each, "`%` puts in one number", "而 `%` 只能填入一个数", is_last=False)
    taker = f"{called(call)}()"
    given = [call.func.value] if called(call) == "item" and isinstance(call.func, ast.Attribute) else call.args[:1]
    return _told_of(case, given, f"`{taker}` gives one number", f"而 `{taker}` 只给出一个数", is_last=False)


@finds(errors.BOOL_AMBIGUOUS)
def _compared(case: Case) -> Finding | None:
    """``if loss < best``."""
    node = case.find(ast.Compare) or case.find(ast.Call)
    given = (
        [node.left, *node.comparators]
        if isinstance(node, ast.Compare)
        else node.args
        if isinstance(node, ast.Call) and called(node) in ("min", "max")
        else []
    )
    return _told_of(case, given, "a condition needs one answer", "而条件只需要一个答案", is_last=False)


@finds(errors.NONSCALAR_BACKWARD)
def _differentiated(case: Case) -> Finding | None:
    """``loss.backward()`` of what a function of the program gave back."""
    output = output_of(case)
    given = [] if output is None or isinstance(output, ast.List | ast.Tuple) else [output]
    return _told_of(case, given, "`backward` begins at one number", "而 `backward` 要从一个数开始", is_last=True)


@finds(errors.SHAPE_BROADCAST)
def _added_up(case: Case) -> Finding | None:
    """``total += crit(net(x), y)`` of batches of different sizes."""
    node = case.find(ast.AugAssign)
    if node is None or not isinstance(node.op, ast.Add):
        return None
    found, held = unreduced(case, node.value), Flow(case).tensor(node.value)
    if found is None or held is None or held.dim() != 1:
        return None
    total = code(case, node.target)
    need = f"{total} adds up one number for each batch: batches of other sizes give other shapes"
    need_zh = f"而 {total} 要为每个批次累加一个数：批次大小不同，形状也就不同"
    return _told(case, node.value, found, held, (need, need_zh))


def _told_of(case: Case, given: list[ast.expr], need: str, need_zh: str, *, is_last: bool) -> Finding | None:
    """The first of some expressions that holds losses kept apart; ``is_last`` where only those of functions are told."""
    for one in given:
        held = Flow(case).tensor(one)
        if not isinstance(held, Tensor) or held.numel() < 2:
            continue
        if (open_choice := not_chosen(case, one, held, (need, need_zh))) is not None:
            return open_choice
        found = unreduced(case, one) or _given_by_function(case, one)
        if found is None or (is_last and found.function is None):
            continue
        if found.keyword is None and not (_is_counted(case, one) or is_last):
            continue
        if found.function is None and _is_meant_apart(case, one, found):
            continue
        return _told(case, one, found, held, (need, need_zh))
    return None


def _is_counted(case: Case, node: ast.expr) -> bool:
    """Whether a value is a loss by its name."""
    return _LOSS.search(case.text(node)) is not None


def _is_meant_apart(case: Case, given: ast.expr, found: Unreduced) -> bool:
    """Whether the variable that the losses went through has its mean taken elsewhere, and what is given is another one."""
    match case.parents.get(found.source) if found.source is not None else None:
        case ast.Assign(targets=[ast.Name(id=name) as target]) if case.text(given) != name:
            return _has_mean(case, target)
    return False


def _told(case: Case, given: ast.expr, found: Unreduced, held: Tensor, need: tuple[str, str]) -> Finding:
    shape, count = list(held.shape), held.numel()
    keeps, keeps_zh = "", ""
    if found.keyword is not None:
        at = f"`{case.text(found.keyword)}`"
        keeps = f"{at} on line {line(found.keyword.value)} keeps one loss for each element, "
        keeps_zh = f"第 {line(found.keyword.value)} 行的 {at} 为每个元素保留一个损失，"
    if found.owner is not None and found.keyword is not None and called(found.owner) in ("kl_div", "KLDivLoss"):
        return _divergence(case, given, found.keyword, shape, need)
    fixes, text = _made_one(case, given, found)
    out, out_zh = "", ""
    if found.plain and found.keyword is not None and _leaving_out(case, given, found) is not None:
        out, out_zh = f", or leave `{case.text(found.keyword)}` out", f"，或者去掉 `{case.text(found.keyword)}`"
    if found.function is not None and found.result is not None and not _is_reduced_elsewhere(case, found.function):
        begin = f"{keeps}and `{found.function.name}`" if keeps else f"`{found.function.name}`"
        begin_zh = f"{keeps_zh}而 `{found.function.name}`" if keeps else f"`{found.function.name}`"
        return finding(
            case,
            f"{begin} gives back {code(case, found.result)} on line {line(found.result)} with one value for each element: {code(case, given)} has the"
            f" shape {shape}, {count} numbers, and {need[0]}. Make one number of them where they are given back: `{text}`{out}.",
            f"{begin_zh} 在第 {line(found.result)} 行返回的 {code(case, found.result)} 对每个元素各有一个值：{code(case, given)} 的形状是 {shape}，有 {count}"
            f" 个数，{need[1]}。请在返回处合成一个数：`{text}`{out_zh}。",
            fixes,
            found.result,
        )
    cause = found.keyword.value if found.keyword is not None else given
    return finding(
        case,
        f"{keeps}so {code(case, given)} has the shape {shape}, {count} numbers, and {need[0]}. Take their mean: `{text}`{out}.",
        f"{keeps_zh}所以 {code(case, given)} 的形状是 {shape}，有 {count} 个数，{need[1]}。请取平均：`{text}`{out_zh}。",
        fixes,
        cause,
    )


def _divergence(case: Case, given: ast.expr, keyword: ast.keyword, shape: list[int], need: tuple[str, str]) -> Finding:
    """The divergence of rows is a sum over the classes, and a mean over the samples."""
    meant = 'reduction="batchmean"'
    return finding(
        case,
        f"`{case.text(keyword)}` on line {line(keyword.value)} keeps one term for each element, so {code(case, given)} has the shape {shape}, and {need[0]}. A divergence is the sum"
        f" of a row, and the loss the mean over the rows: `{meant}`; `.mean()` would divide by the classes, too.",
        f"第 {line(keyword.value)} 行的 `{case.text(keyword)}` 为每个元素保留一项，所以 {code(case, given)} 的形状是 {shape}，{need[1]}。散度是一行各项之和，损失是各行的平均："
        f"`{meant}`；`.mean()` 还会除以类别数。",
        apply(case, case.replace(keyword.value, '"batchmean"'), f"`{meant}`", f"`{meant}`"),
        keyword.value,
    )


def _made_one(case: Case, given: ast.expr, found: Unreduced) -> tuple[list[Fix | None], str]:
    """The fixes, and what the first of them writes: where the losses are given back, or where they get their name."""
    away = _leaving_out(case, given, found)
    if found.function is not None and found.result is not None and not _is_reduced_elsewhere(case, found.function):
        place: ast.expr = found.result
    else:
        place = _named_at(case, given, found)
    text = f"{case.operand(place)}.mean()"
    mean = case.fix(case.followed(place, ".mean()"), case.statement(place))
    return [mean, away], " ".join(text.split())


def _named_at(case: Case, given: ast.expr, found: Unreduced) -> ast.expr:
    """Where the losses get the name under which they are used; what is given itself where they are used apart, too."""
    made = definition(case, given) if isinstance(given, ast.Name) else found.source
    parent = case.parents.get(made) if isinstance(made, ast.Call | ast.BinOp) else None
    match parent:
        case ast.Assign(targets=[ast.Name() as target]) if made is not None and not _is_read_apart(case, target):
            return made
        case ast.AugAssign() if made is not None:
            return made
    return given


def _leaving_out(case: Case, given: ast.expr, found: Unreduced) -> Fix | None:
    """Without the argument, where the losses are used as they are and nowhere apart."""
    if not found.plain or found.keyword is None or found.owner is None or _is_read_apart(case, given):
        return None
    if found.function is not None and _is_reduced_elsewhere(case, found.function):
        return None
    return case.fix(case.without_argument(found.owner, found.keyword), found.owner)


def _is_read_apart(case: Case, given: ast.expr) -> bool:
    """Whether the losses are chosen from or weighed somewhere: each of them is needed."""
    for one in _readers(case, given):
        match case.parents.get(one):
            case ast.Attribute(attr=attr) if attr not in _NUMBERS:
                return True
            case ast.Subscript() | ast.BinOp(op=ast.Mult()):
                return True
    return False


def _is_reduced_elsewhere(case: Case, function: ast.FunctionDef) -> bool:
    """Whether another call of the function has its losses made one, or chosen from: it gives them apart on purpose."""
    for call in case.nodes(ast.Call):
        if function not in Flow(case).called(call):
            continue
        match case.parents.get(call):
            case ast.Attribute(attr=attr) if attr != "backward" and attr != "item":
                return True
            case ast.Subscript():
                return True
            case ast.Call(func=func) if getattr(func, "attr", "") in REDUCING:
                return True
            case ast.Assign(targets=[ast.Name() as target]) if _is_read_apart(case, target) or _has_mean(case, target):
                return True
    return False


def _has_mean(case: Case, target: ast.Name) -> bool:
    around = [case.parents.get(one) for one in _readers(case, target)]
    return any(isinstance(one, ast.Attribute) and one.attr in ("mean", "sum") for one in around)


def _readers(case: Case, given: ast.expr) -> list[ast.Name]:
    """Where a variable is read, in its own function."""
    if not isinstance(given, ast.Name):
        return []
    flow = Flow(case)
    scope = flow.scope(given)
    alike = [one for one in case.nodes(ast.Name) if one.id == given.id and isinstance(one.ctx, ast.Load)]
    return [one for one in alike if flow.scope(one) is scope]
