"""Leaves without the flag: it was never set, is misspelt, or was switched off."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.derivatives.asked_inputs import without_flag
from gradflow.engine.diagnosis.findings.nothing_differentiable import output_of
from gradflow.engine.diagnosis.findings.operands.flags_of_inputs import asked_together
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.origins import is_maker
from gradflow.engine.diagnosis.traps.edits import line_after
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.recording.optimizer_steps import tensors_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Text


@finds(errors.NO_GRAD_FN)
def _too_late(case: Case) -> Finding | None:
    """The flag set after the output was computed."""
    for node in case.nodes(ast.AST):
        match node:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name() as owner, attr="requires_grad")], value=ast.Constant(value=True)
            ):
                pass
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name() as owner, attr="requires_grad_"),
                    args=[] | [ast.Constant(value=True)],
                )
            ):
                pass
            case _:
                continue
        made = case.assignment(owner.id)
        uses = [one for one in case.nodes(ast.Name) if one.id == owner.id and isinstance(one.ctx, ast.Load)]
        early = [one for one in uses if made is not None and made.lineno < one.lineno < line(node)]
        if not early or made is None or line(node) > case.span.line:
            continue
        fix = (
            case.fix(case.argument(made, "requires_grad=True"), made)
            if isinstance(made, ast.Call) and is_maker(made)
            else None
        )
        return finding(
            case,
            f"Line {line(node)} switches the gradient of `{owner.id}` on only after line {line(early[0])} has computed with it, so"
            f" that computation recorded no graph. Set the flag before: where `{owner.id}` is made.",
            f"第 {line(node)} 行才打开 `{owner.id}` 的梯度，而第 {line(early[0])} 行已经用它计算过，那次计算没有记录计算图。请提前设置：在创建"
            f" `{owner.id}` 时写上。",
            fix or (),
            node,
        )
    return None


@finds(errors.NO_GRAD_FN, errors.INPUT_NO_GRAD)
def _misspelt_flag(case: Case) -> Finding | None:
    """``w.require_grad = True`` makes an attribute that nobody reads."""
    for statement in case.nodes(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=owner, attr=attr) as target]) if (
                attr != "requires_grad" and attr.lower().replace("_", "") in _MISSPELT
            ):
                return finding(
                    case,
                    f"Line {line(statement)} sets `{attr}`, an attribute that PyTorch does not know, so {code(case, owner)}"
                    f" still needs no gradient. The flag is called `requires_grad`.",
                    f"第 {line(statement)} 行设置的 `{attr}` 是 PyTorch 不认识的属性，所以 {code(case, owner)} 仍然不需要梯度。"
                    f"正确的名字是 `requires_grad`。",
                    case.fix(case.rename_end(target, attr, "requires_grad"), statement),
                    target,
                )
    return None


_MISSPELT: Final = frozenset(
    {
        "requiregrad",
        "requiredgrad",
        "requiresgrad",
        "requiresgrads",
        "requiregrads",
        "requiregradient",
        "requiresgradient",
        "needsgrad",
        "reqiresgrad",
        "requiers_grad",
        "requiersgrad",
        "trainable",
        "requires",
    }
)


@finds(errors.NO_GRAD_FN)
def _frozen(case: Case) -> Finding | None:
    """Every parameter was frozen."""
    if _is_frozen_on_purpose(case):
        return None
    for node in case.nodes(ast.AST):
        match node:
            case ast.Assign(targets=[ast.Attribute(attr="requires_grad") as target], value=ast.Constant(value=False)):
                place, flag = target, node.value
            case ast.Call(
                func=ast.Attribute(attr="requires_grad_") as target, args=[ast.Constant(value=False) as flag]
            ):
                place = target
            case _:
                continue
        if (trained := part_trained(case, place)) is not None:
            return trained
        return finding(
            case,
            f"Line {line(place)} switches the gradient of the parameters off, and nothing else that the result was computed"
            f" from requires one. Freeze only a part, or leave the line out.",
            f"第 {line(place)} 行关掉了参数的梯度，而算出结果的其他张量也都不需要梯度。请只冻结一部分，或者去掉这一行。",
            case.fix(case.replace(flag, "True"), case.statement(flag)),
            place,
        )
    return None


def _is_frozen_on_purpose(case: Case) -> bool:
    """Whether what is frozen is not what was to be trained: something behind the output still requires a gradient, or all that an optimizer has."""
    call = case.find(ast.Call)
    if call is not None and called(call) == "grad" and without_flag(case, call):
        return True  # the gradient of an input alone is asked for
    if any(origin.requires_grad for origin in case.context.origins()):
        return True
    held = [one for one in case.values.values() if isinstance(one, Optimizer)]
    return bool(held) and all(
        parameter.requires_grad for one in held for group in one.param_groups for parameter in tensors_of(group)
    )


def part_trained(case: Case, place: ast.expr) -> Finding | None:
    """All parameters are frozen in a loop, and an optimizer is given those of a part of the model."""
    loop = case.enclosing(place, ast.For)
    whole = case.text(loop.iter) if loop is not None else ""
    given = [case.text(one.args[0]) for one in case.nodes(ast.Call) if one.args and isinstance(one.args[0], ast.Call)]
    model = whole.removesuffix(".parameters()")
    parts = [one for one in given if one.startswith(f"{model}.") and one.endswith(".parameters()") and one != whole]
    if loop is None or model == whole or len(set(parts)) != 1 or not isinstance(loop.target, ast.Name):
        return None
    part, name = parts[0], loop.target.id
    head = case.line(loop.lineno)[: loop.col_offset]
    lines = f"for {name} in {part}:\n{head}    {name}.requires_grad = True"
    title = f"`{name}.requires_grad = True` for `{part}`", f"对 `{part}` 写 `{name}.requires_grad = True`"
    return finding(
        case,
        f"Line {line(place)} switches the gradient of all of `{whole}` off, those of `{part}` as well, which the optimizer shall train, so nothing"
        f" requires one any more. Switch these on again behind the loop: `{name}.requires_grad = True` for each of them.",
        f"第 {line(place)} 行关掉了 `{whole}` 中所有参数的梯度，连优化器要训练的 `{part}` 也关掉了，于是没有什么需要梯度。请在循环之后重新打开它们：对其中每一个写"
        f" `{name}.requires_grad = True`。",
        [apply(case, line_after(case, loop, lines), *title)],
        place,
    )


@finds(errors.NO_GRAD_FN)
def _plain_weight(case: Case) -> Finding | None:
    """``self.w = torch.randn(3)`` in a module: no parameter."""
    for origin in case.context.origins():
        call = (
            case.find(ast.Call, origin.span) if origin.span and not origin.requires_grad and origin.floating else None
        )
        statement = case.statement(call) if call is not None else None
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self")) as target], value=value) if (
                call is not None
            ):
                nn = "nn" if "nn" in case.values else f"{case.module_alias('torch') or 'torch'}.nn"
                return finding(
                    case,
                    f"`{case.text(target)}` on line {line(statement)} is a plain tensor, so it requires no gradient and the module"
                    f" does not know it as a parameter. Wrap it: `{nn}.Parameter(...)`.",
                    f"第 {line(statement)} 行的 `{case.text(target)}` 是普通张量，不需要梯度，模块也不把它当作参数。请包起来："
                    f"`{nn}.Parameter(...)`。",
                    case.fix(case.wrapped(value, f"{nn}.Parameter(", ")"), statement),
                    statement,
                )
    return None


@finds(errors.NO_GRAD_FN, errors.INPUT_NO_GRAD)
def _no_flag(case: Case) -> Finding | None:
    """The leaf whose gradient the program asks for was made without the flag."""
    output = output_of(case)
    wanted = _asked_for(case)
    makers: dict[ast.Call, str] = {}
    for origin in case.context.origins():
        call = case.find(ast.Call, origin.span) if origin.span and not origin.requires_grad else None
        if call is not None and is_maker(call) and (name := _given_name(case, call)):
            makers[call] = name
    chosen = {call: name for call, name in makers.items() if name in wanted} or _written_into(case, wanted)
    if (several := asked_together(case, chosen)) is not None:
        return several
    if not chosen or output is None:
        return None
    edits = [edit for call in chosen for edit in case.argument(call, "requires_grad=True")]
    names = [f"`{name}`" for name in chosen.values()]
    first = next(iter(chosen))
    lines = ", ".join(str(line(call)) for call in chosen)
    words = Text(f"`requires_grad=True` for {', '.join(names)}", f"给 {'、'.join(names)} 加上 `requires_grad=True`")
    return finding(
        case,
        f"{' and '.join(names)} (line {lines}) {'was' if len(names) == 1 else 'were'} made without `requires_grad=True`, and"
        f" nothing else that {code(case, output)} was computed from requires a gradient, so no graph was recorded. Give"
        f" {' and '.join(names)} the flag where it is made.",
        f"{'、'.join(names)}（第 {lines} 行）创建时没有写 `requires_grad=True`，而算出 {code(case, output)} 的其他张量也都不需要"
        f"梯度，所以没有记录计算图。请在创建 {'、'.join(names)} 时写上它。",
        case.fix(edits, first, words if len(chosen) > 1 else None),
        first,
    )


def _written_into(case: Case, wanted: set[str]) -> dict[ast.Call, str]:
    """The makers of the leaves that are asked for, where the output was filled with what was computed from them."""
    found: dict[ast.Call, str] = {}
    for name in sorted(wanted):
        held, made = case.values.get(name), case.assignment(name)
        plain = isinstance(held, Tensor) and not held.requires_grad and held.dtype.is_floating_point
        if plain and isinstance(made, ast.Call) and is_maker(made) and _given_name(case, made) == name:
            found[made] = name
    return found


def _given_name(case: Case, call: ast.Call) -> str | None:
    """The variable or attribute that a call's value is assigned to, itself or through methods: not what is computed with it."""
    match case.statement(call):
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_chained(value, call):
            return name
        case ast.Assign(targets=[ast.Attribute() as target], value=value) if _is_chained(value, call):
            return case.text(target)
    return None


def _is_chained(value: ast.expr, call: ast.Call) -> bool:
    """Whether a value is what a call gives, or what methods of that give: ``torch.rand(6).unsqueeze(1)``."""
    node: ast.AST = value
    while node is not call and isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node is call


def _asked_for(case: Case) -> set[str]:
    """The variables whose gradient the program reads, asks for, or lets an optimizer use."""
    found: set[str] = set()
    for node in case.nodes(ast.AST):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr="grad"):
                found.add(name)
            case ast.Call(func=ast.Attribute(attr="grad") | ast.Name(id="grad"), args=[_, wanted, *_]):
                found |= {one.id for one in ast.walk(wanted) if isinstance(one, ast.Name)}
            case ast.Call(func=ast.Attribute(attr=attr), args=[ast.List(elts=parts), *_]) if attr[:1].isupper():
                found |= {one.id for one in parts if isinstance(one, ast.Name)}
    return {name for name in found if case.values.get(name, UNKNOWN) is not UNKNOWN or name}
