"""Parameters of distributions that come in by ``*`` or ``**``: found where a function gives them back; and several of them out of their range at once."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import birthplace
from gradflow.engine.diagnosis.findings.kindred.raw_scales import (
    PLACES,
    POSITIVE,
    is_cut_from_layer,
    parameter_given,
    positive,
    raw_layer,
)
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finally_finds, finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.tensor import Tensor

_TOLD: Final = re.compile(
    r"Expected parameter (\w+) .*?of distribution (\w+)\((.*?)\) to satisfy the constraint (.+?), but found", re.DOTALL
)
_OF_BETA: Final = ("concentration1", "concentration0")
_MOST: Final = 12
_STEPS: Final = 6


@finds(errors.MODULE_ARGUMENT)
def _unpacked(case: Case) -> Finding | None:
    """``Normal(*self.actor(state))``, ``Normal(**stats)``."""
    call, message = case.find(ast.Call), str(case.details.get("message", ""))
    told = _TOLD.search(message)
    if call is None or told is None or not told[4].startswith("GreaterThan(lower_bound=0") or "nan" in message:
        return None
    name = told[1]
    node = _handed(case, call, name) if name in POSITIVE else None
    made = _made(case, node) if node is not None else None
    layer = _raw(case, made) if made is not None else None
    if node is None or made is None or layer is None:
        return None
    text = positive(case, made, name, [case.text(node), case.text(layer.func)])
    held = Flow(case).tensor(made)
    least = float(held._a.min()) if isinstance(held, Tensor) and held.numel() else 1.0
    here, here_zh = (f", here {least:.4g}", f"，这里是 {least:.4g}") if least <= 0 else ("", "")
    torch, imports = case.with_torch()
    text = text.format(torch=torch)
    what = f"is {code(case, made)} (line {line(made)}), " if node is not made else ""
    what_zh = f"就是 {code(case, made)}（第 {line(made)} 行），" if node is not made else ""
    edits = case.replace(made, text)
    return finding(
        case,
        f"The `{name}` that {code(case, call)} gets is {code(case, node)} of line {line(node)}: it {what}comes out of {code(case, layer.func)} as it is and can be any"
        f" number{here}, and the `{name}` of `{told[2]}` has to be greater than 0. Make it positive there: `{text}`.",
        f"{code(case, call)} 得到的 `{name}` 是第 {line(node)} 行的 {code(case, node)}：它{what_zh}是 {code(case, layer.func)} 的原始输出，可以是任何数{here_zh}，而 `{told[2]}` 的"
        f" `{name}` 必须大于 0。请在那里变为正数：`{text}`。",
        case.fix([*edits, *imports], made),
        made,
    )


def _handed(case: Case, call: ast.Call, name: str) -> ast.expr | None:
    """What is given for a parameter by unpacking, as it is written where it is put beside the others."""
    wanted = PLACES.get(name, 0)
    for at, one in enumerate(call.args):
        if isinstance(one, ast.Starred):
            return _element(case, one.value, wanted - at, 0) if at <= wanted else None
    for keyword in call.keywords:
        if keyword.arg is None:
            return _element(case, keyword.value, name, 0)
    return None


def _element(case: Case, node: ast.expr, key: int | str, depth: int) -> ast.expr | None:
    """One part of a tuple or of a dictionary that an expression gives."""
    if depth > _STEPS:
        return None
    match node:
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            return elts[key] if isinstance(key, int) and key < len(elts) else None
        case ast.Dict(keys=keys, values=values):
            found = [value for one, value in zip(keys, values, strict=True) if getattr(one, "value", None) == key]
            return found[0] if len(found) == 1 else None
        case ast.Call(func=ast.Name(id="dict"), args=[]):
            return next((one.value for one in node.keywords if one.arg == key), None)
    flow = Flow(case)
    sources: list[ast.expr] = []
    if isinstance(node, ast.Name):
        sources = list(flow.assigned(node, node.id))
    elif isinstance(node, ast.Call):
        sources = [result for function in flow.called(node) for result in returned(function)]
    return _element(case, sources[0], key, depth + 1) if len(sources) == 1 else None


def _made(case: Case, node: ast.expr) -> ast.expr | None:
    """What a name was given, if that is for this use alone; of all else the expression itself."""
    if not isinstance(node, ast.Name):
        return node
    flow = Flow(case)
    given = list(flow.assigned(node, node.id))
    uses = [
        one
        for one in case.nodes(ast.Name)
        if one.id == node.id and isinstance(one.ctx, ast.Load) and flow.scope(one) is flow.scope(node)
    ]
    match case.parents.get(given[0]) if len(given) == 1 else None:
        case ast.Assign(targets=[ast.Name()]) if len(uses) == 1:
            return given[0]
    return node


def _raw(case: Case, made: ast.expr) -> ast.Call | None:
    """The call of the layer that an expression is, or is a part or a multiple of; None where something bounds it on the way."""
    node: ast.expr | None = made
    for _ in range(_MOST):
        match node:
            case ast.Call() if raw_layer(case, node) is not None:
                return node
            case ast.Subscript(value=inner) | ast.BinOp(left=inner, right=ast.Constant()):
                node = inner
            case ast.Call(
                func=ast.Attribute(value=inner, attr="squeeze" | "flatten" | "view" | "chunk" | "unbind" | "split")
            ):
                node = inner
            case ast.Name():
                given = [one for one in Flow(case).assigned(node, node.id) if one is not node]
                node = given[0] if len(given) == 1 else None
            case _:
                return None
    return None


@finds(errors.MODULE_ARGUMENT)
def _several(case: Case) -> Finding | None:
    """``Gamma(concentration, rate)`` of what one layer gave for both."""
    call, told = case.find(ast.Call), _TOLD.search(str(case.details.get("message", "")))
    if call is None or told is None or "GreaterThan(lower_bound=0" not in told[4]:
        return None
    torch, imports = case.with_torch()
    names = _OF_BETA if called(call) == "Beta" else re.findall(r"(\w+): ", told[3])
    given, lowest = _unbounded(case, call, [one for one in names if one in POSITIVE])
    if len(given) < 2:
        return None
    made = birthplace(case, given[0][1])[2]
    texts = [f"{torch}.nn.functional.softplus({case.text(node)})" for _, node in given]
    edits = [edit for (_, node), text in zip(given, texts, strict=True) for edit in case.replace(node, text)]
    pieces = [code(case, node) for _, node in given]
    settings, numbers = [f"`{name}`" for name, _ in given], [f"{one:.4g}" for one in lowest]
    shown = [f"`{one}`" for one in texts]
    place = f" (line {line(made)})" if made is not None else ""
    place_zh = f"（第 {line(made)} 行）" if made is not None else ""
    return finding(
        case,
        f"{joined(pieces, 'en')}{place} can be any number, here down to {joined(numbers, 'en')}, and the {joined(settings, 'en')} of {code(case, call.func)} have to be greater"
        f" than 0. Make each of them positive: {joined(shown, 'en')}.",
        f"{joined(pieces, 'zh')}{place_zh}可以是任何数，这里最小为 {joined(numbers, 'zh')}，而 {code(case, call.func)} 的 {joined(settings, 'zh')} 必须大于 0。请把它们都变为正数："
        f"{joined(shown, 'zh')}。",
        apply(case, [*edits, *imports], joined(shown, "en"), joined(shown, "zh")),
        made,
    )


def _unbounded(case: Case, call: ast.Call, names: list[str]) -> tuple[list[tuple[str, ast.expr]], list[float]]:
    """The parameters that are not greater than 0, and those of the same source, with the least number of each."""
    known = []
    for name in names:
        node = parameter_given(call, name)
        held = Flow(case).tensor(node) if node is not None else None
        if node is None or held is None or not held.numel():
            continue
        if held.requires_grad or is_cut_from_layer(case, node):
            known.append((name, node, float(held._a.min()), birthplace(case, node)[2]))
    wrong = {id(made) for _, _, least, made in known if least <= 0 and made is not None}
    kept = [one for one in known if one[2] <= 0 or id(one[3]) in wrong]
    return [(name, node) for name, node, _, _ in kept], [least for _, _, least, _ in kept]


@finally_finds(errors.MODULE_ARGUMENT)
def _of_distribution(case: Case) -> Finding | None:
    """What a distribution asks of a parameter, where nothing is known of what was given."""
    told = _TOLD.search(str(case.details.get("message", "")))
    if told is None:
        return None
    name, owner, constraint = told[1], told[2], told[4]
    nan = "nan" in str(case.details.get("message", ""))
    also = " At least one of them is `nan`: look for where that comes from." if nan else ""
    also_zh = "其中至少有一个是 `nan`：请找出它从哪里来。" if nan else ""
    return finding(
        case,
        f"Some of the numbers that `{owner}` is given for `{name}` are none that it can have: they must satisfy `{constraint}`.{also} Change what is given for"
        f" `{name}`, where it is computed.",
        f"给 `{owner}` 的 `{name}` 的数中，有一些不在允许的范围内：它们必须满足 `{constraint}`。{also_zh}请在计算 `{name}` 的地方改正。",
        (),
    )
