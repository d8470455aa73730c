"""Custom Functions whose ``backward`` gives the gradients back in another order than ``forward`` takes its inputs."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import returned

_NAMED: Final = re.compile(r"[Ff]unction (\w+)Backward")
_MOST: Final = 6
Shapes = Mapping[int, Sequence[int] | None]


@finds(errors.INVALID_GRADIENT, errors.FUNCTION_MISUSE)
def _other_order(case: Case) -> Finding | None:
    """``return gw, gx`` of ``forward(ctx, x, w)``, where the shapes fit in the other order."""
    gradients, inputs = case.details.get("gradients"), case.details.get("inputs")
    told = _NAMED.search(f"{case.details.get('message', '')} function {case.details.get('name', '')}")
    methods = _methods(case, told[1]) if told is not None else {}
    if not isinstance(gradients, dict) or not isinstance(inputs, dict) or not {"forward", "backward"} <= {*methods}:
        return None
    names = [one.arg for one in methods["forward"].args.args]
    names = names if "setup_context" in methods else names[1:]
    results = returned(methods["backward"])
    result = results[0] if len(results) == 1 else None
    if not isinstance(result, ast.Tuple) or len(result.elts) != len(names) or not 2 <= len(names) <= _MOST:
        return None
    parts = [case.text(one) for one in result.elts]
    order = _order(parts, names, gradients, inputs)
    wrong = next((at for at in range(len(names)) if order is not None and order[at] != at), None)
    if order is None or wrong is None:
        return None
    text = ", ".join(parts[at] for at in order)
    whole = f"({text})" if case.text(result).startswith("(") else text
    listed = [f"`{name}`" for name in names]
    shape, wanted = gradients.get(wrong), inputs.get(wrong)
    of_shape, of_shape_zh = (f", of shape {list(shape)},", f"（形状 {list(shape)}）") if shape is not None else ("", "")
    is_wanted, is_wanted_zh = (f", {list(wanted)},", f"（{list(wanted)}）") if wanted is not None else ("", "")
    given = code(case, result.elts[wrong])
    return finding(
        case,
        f"`backward` of `{told[1] if told else ''}` returns the gradients on line {line(result)} in another order than `forward` takes its inputs,"
        f" {joined(listed, 'en')}: {given}{of_shape} stands where that of `{names[wrong]}`{is_wanted} belongs. Return them in the order of the"
        f" inputs: `{text}`.",
        f"`{told[1] if told else ''}` 的 `backward` 在第 {line(result)} 行返回梯度的次序与 `forward` 输入的次序（{joined(listed, 'zh')}）不同："
        f"{given}{of_shape_zh}放在了 `{names[wrong]}`{is_wanted_zh} 的梯度的位置上。请按输入的次序返回：`{text}`。",
        case.fix(case.replace(result, whole), case.statement(result)),
        result,
    )


def _methods(case: Case, name: str) -> dict[str, ast.FunctionDef]:
    owners = [one for one in case.nodes(ast.ClassDef) if one.name == name]
    return {one.name: one for owner in owners[-1:] for one in owner.body if isinstance(one, ast.FunctionDef)}


def _order(parts: list[str], names: list[str], gradients: Shapes, inputs: Shapes) -> tuple[int, ...] | None:
    """The one order in which every gradient fits its input: the best by the names, where shapes alone do not decide."""
    fitting: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    for order in permutations(range(len(names))):
        if all(_fits(at, place, gradients, inputs) for place, at in enumerate(order)):
            alike = sum(_is_named(parts[at], names[place]) for place, at in enumerate(order))
            kept = sum(place == at for place, at in enumerate(order))
            fitting.setdefault((alike, kept), []).append(order)
    best = fitting[max(fitting)] if fitting else []
    return best[0] if len(best) == 1 else None


def _fits(at: int, place: int, gradients: Shapes, inputs: Shapes) -> bool:
    """Whether what is returned at one place can be the gradient of the input at another."""
    given = gradients.get(at)
    if place not in inputs:
        return given is None
    wanted = inputs[place]
    return wanted is None or (given is not None and tuple(given) == tuple(wanted))


def _is_named(part: str, name: str) -> bool:
    """``grad_weight``, ``dweight`` and ``weight_grad`` are named after ``weight``."""
    return part.isidentifier() and re.fullmatch(rf"(?:g|d|grad|dL?)_?{name}|{name}_?(?:grad|g|d)", part) is not None
