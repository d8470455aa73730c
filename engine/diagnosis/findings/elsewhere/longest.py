"""What an object keeps for the longest input, given whole to a shorter one: cut it by the name that the function has for the length."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow

_STEPS: Final = re.compile(r"(?i)(t|s|l|n|seq\w*|n?_?steps?|time\w*|len\w*|length|\w+_len)")


def length_named(case: Case, node: ast.AST, size: int, otherwise: str) -> str:
    """The variable that a function keeps a length of its input in, ``T`` of ``B, T, C = x.shape``; else what is given for it."""
    function = case.enclosing(node, ast.FunctionDef)
    if function is None:
        return otherwise
    names = [
        name for name in dict.fromkeys(_sizes_in(function, getattr(node, "lineno", 0))) if case.values.get(name) == size
    ]
    steps = [one for one in names if _STEPS.fullmatch(one)]
    return next((chosen[0] for chosen in (names, steps) if len(chosen) == 1), otherwise)


def _sizes_in(function: ast.FunctionDef, before: int) -> Iterator[str]:
    """The names that a function gives to sizes of its tensors."""
    for one in ast.walk(function):
        if not isinstance(one, ast.Assign) or one.lineno >= before or len(one.targets) != 1:
            continue
        target, value = one.targets[0], one.value
        if isinstance(target, ast.Tuple) and _is_shape(value):
            yield from (part.id for part in target.elts if isinstance(part, ast.Name))
        elif isinstance(target, ast.Name) and _is_size(value):
            yield target.id


def _is_shape(value: ast.expr) -> bool:
    match value:
        case ast.Attribute(attr="shape") | ast.Call(func=ast.Attribute(attr="size"), args=[]):
            return True
        case ast.Subscript(value=inner, slice=ast.Slice()):
            return _is_shape(inner)
    return False


def _is_size(value: ast.expr) -> bool:
    match value:
        case ast.Call(func=ast.Attribute(attr="size"), args=[_]) | ast.Call(func=ast.Name(id="len")):
            return True
        case ast.Subscript(value=inner):
            return _is_shape(inner)
    return False


@finds(errors.SHAPE_BROADCAST)
def _whole_mask(case: Case) -> Finding | None:
    """``scaled_dot_product_attention(q, k, v, attn_mask=self.causal)`` of a mask for the longest sequence."""
    call = case.find(ast.Call)
    if call is None or called(call) != "scaled_dot_product_attention" or len(call.args) < 2:
        return None
    given = next((one.value for one in call.keywords if one.arg == "attn_mask"), next(iter(call.args[3:4]), None))
    query, key = (shape_at(case, one) for one in call.args[:2])
    mask = shape_at(case, given) if given is not None else None
    if not isinstance(given, ast.Attribute) or not query or not key or not mask or len(query) < 2 or len(mask) < 2:
        return None
    wanted = query[-2], key[-2]
    if any(own < new for own, new in zip(mask[-2:], wanted, strict=True)) or tuple(mask[-2:]) == wanted:
        return None
    texts = [
        length_named(case, call, size, f"{case.operand(one)}.size(-2)")
        for one, size in zip(call.args[:2], wanted, strict=True)
    ]
    front = "..., " if len(mask) > 2 else ""
    text = f"{case.operand(given)}[{front}:{texts[0]}, :{texts[1]}]"
    return finding(
        case,
        f"The mask {code(case, given)} is {list(mask)}, made once for the longest sequence, and here {wanted[0]} steps look at {wanted[1]}. Cut it to these:"
        f" `{text}`.",
        f"掩码 {code(case, given)} 的形状是 {list(mask)}，是一次性按最长的序列创建的，而这里是 {wanted[0]} 步看 {wanted[1]} 步。请截取这一部分：`{text}`。",
        case.fix(case.replace(given, text), given) or (),
        given,
    )


@finds(errors.SHAPE_BROADCAST)
def _all_positions(case: Case) -> Finding | None:
    """``self.tok(ids) + self.pos(self.places)``, where the places are those of the longest sequence."""
    node = case.find(ast.BinOp)
    for kept, other in ((node.right, node.left), (node.left, node.right)) if node is not None else ():
        match kept:
            case ast.Call(args=[ast.Attribute(value=ast.Name(id="self")) as places]):
                pass
            case _:
                continue
        rows, size, steps = shape_at(case, kept), shape_at(case, places), shape_at(case, other)
        tensor = Flow(case).tensor(places)
        if (
            not rows
            or not size
            or not steps
            or len(rows) < 2
            or len(steps) < 2
            or tensor is None
            or tensor.requires_grad
        ):
            continue
        if size[-1] != rows[-2] or rows[-2] <= steps[-2] or rows[-1] != steps[-1]:
            continue
        length = length_named(case, kept, steps[-2], f"{case.operand(other)}.size(-2)")
        text = f"{case.operand(places)}[{'..., ' if len(size) > 1 else ''}:{length}]"
        made = definition(case, places)
        where, where_zh = (f" (line {line(made)})", f"（第 {line(made)} 行）") if made is not places else ("", "")
        return finding(
            case,
            f"{code(case, places)}{where} holds all {size[-1]} places of the longest sequence, and this one has {steps[-2]} steps. Take as many as there are:"
            f" `{text}`.",
            f"{code(case, places)}{where_zh} 装着最长序列的全部 {size[-1]} 个位置，而这个序列只有 {steps[-2]} 步。请只取这么多：`{text}`。",
            case.fix(case.replace(places, text), places) or (),
            places,
        )
    return None
