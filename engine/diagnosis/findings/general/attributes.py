"""Attributes that an object has not: what it is, where it was made, and which object nearby has it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, names_of, place
from gradflow.engine.diagnosis.findings.language.renamed import renamed
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, lines_of_all
from gradflow.engine.diagnosis.fixers import finally_finds, finds
from gradflow.engine.diagnosis.fixes.attributes import import_taken
from gradflow.engine.errors.language import python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

_ATTRIBUTE = (errors.NO_ATTRIBUTE, python.ATTRIBUTE)
_OF_TENSORS: Final = frozenset(
    {"grad", "grad_fn", "shape", "dtype", "device", "size", "backward", "item", "detach", "requires_grad", "is_leaf"}
)
_RATES: Final = frozenset({"lr", "learning_rate", "get_lr"})


@finally_finds(*_ATTRIBUTE)
def _of_layer(case: Case) -> Finding | None:
    """What a layer has not: its parameters have it, or its parts, or other layers of the loop."""
    node, value = case.find(ast.Attribute), case.details.get("value")
    if node is None or not isinstance(value, Layer):
        return None
    owner, name = case.text(node.value), node.attr
    own = [one for one, _ in value.named_parameters()][:4]
    if name in _OF_TENSORS and own:
        text = f"{owner}.{own[0]}.{name}"
        if name in ("grad", "requires_grad", "is_leaf", "device", "dtype"):
            listed = names_of([f"{owner}.{one}" for one in own])
            return finding(
                case,
                f"`{owner}` is a module, and modules have no `{name}`; the parameters in it have: {listed[0]}. Ask one of them: `{text}`.",
                f"`{owner}` 是模块，模块没有 `{name}`，其中的参数才有：{listed[1]}。请取其中一个：`{text}`。",
                case.fix(case.replace(node, text), node),
            )
        return finding(
            case,
            f"`{owner}` is a module, and `{name}` belongs to tensors. Call the module first, with its input, and take `{name}` of what it gives:"
            f" `{owner}(...).{name}`.",
            f"`{owner}` 是模块，而 `{name}` 属于张量。请先用输入调用模块，再取结果的 `{name}`：`{owner}(...).{name}`。",
            (),
        )
    loop = case.enclosing(node, ast.For)
    if (
        isinstance(loop, ast.For)
        and isinstance(loop.target, ast.Name)
        and loop.target.id == owner
        and name in ("weight", "bias")
    ):
        return _in_loop(case, node, loop, value)
    if type(value).__name__ in ("Sequential", "ModuleList"):
        return _numbered(case, node, value)
    inside = [
        (path, part)
        for path, part in value.named_modules()
        if path and (name in vars(part)["_parameters"] or name in vars(part)["_modules"])
    ]
    if inside:
        text = f"{owner}.{inside[0][0]}.{name}"
        return finding(
            case,
            f"`{owner}` has no `{name}` of its own; the module `{inside[0][0]}` in it has. Write `{text}`.",
            f"`{owner}` 自己没有 `{name}`，它里面的模块 `{inside[0][0]}` 才有。请写 `{text}`。",
            case.fix(case.replace(node, text), node),
        )
    return None


def _in_loop(case: Case, node: ast.Attribute, loop: ast.For, value: Layer) -> Finding:
    owner = case.text(node.value)
    text = f'if hasattr({owner}, "{node.attr}"):'
    statement = case.statement(node)
    fix: Fix | None = None
    span = case.program.span_of(statement) if statement is not None else None
    if statement is not None and span is not None and span.line == span.end_line and statement in loop.body:
        indent = case.line(span.line)[: span.column]
        edits = [*case.before(statement, f"{text}\n{indent}    ")]
        fix = apply(case, edits, f"`{text}`", f"`{text}`")
    return finding(
        case,
        f"The loop on line {line(loop)} goes through all layers, and `{owner}` is a `{type(value).__name__}` by now, which has no"
        f" `{node.attr}`: there is nothing in it to learn. Leave such layers out: `{text}`.",
        f"第 {line(loop)} 行的循环会走过所有的层，这时 `{owner}` 是 `{type(value).__name__}`，它没有 `{node.attr}`：里面没有可学习的东西。请跳过这样的层："
        f"`{text}`。",
        fix or (),
        loop.target,
    )


def _numbered(case: Case, node: ast.Attribute, value: Layer) -> Finding | None:
    """``net.fc1`` of a row of layers that have numbers."""
    owner = case.text(node.value)
    children = list(value._modules.items())
    if not children or not all(name.isdigit() for name, _ in children):
        return None
    listed = ", ".join(f"`{owner}[{name}]` `{type(part).__name__}`" for name, part in children[:6])
    digits = "".join(one for one in node.attr if one.isdigit())
    layers = [name for name, part in children if part is not None and part._parameters]
    meant = (
        layers[int(digits) - 1] if digits and 0 < int(digits) <= len(layers) else layers[0] if len(layers) == 1 else ""
    )
    text = f"{owner}[{meant}]"
    where, where_zh = place(case, node.value)
    return finding(
        case,
        f"The layers of `{owner}`{where} have numbers and no names: {listed}. "
        + (f"Write `{text}`." if meant else f"Write `{owner}[0]` for the first."),
        f"`{owner}`{where_zh} 里的层只有编号，没有名字：{listed.replace(', ', '、')}。"
        + (f"请写 `{text}`。" if meant else f"第一层写作 `{owner}[0]`。"),
        case.fix(case.replace(node, text), node) if meant else (),
        definition(case, node.value),
    )


@finally_finds(*_ATTRIBUTE)
def _learning_rate(case: Case) -> Finding | None:
    """``optimizer.lr``."""
    node, value = case.find(ast.Attribute), case.details.get("value")
    if node is None or node.attr not in _RATES or value is None:
        return None
    owner = case.text(node.value)
    if isinstance(value, Optimizer):
        text = f'{owner}.param_groups[0]["lr"]'
    elif hasattr(value, "get_last_lr"):
        text = f"{owner}.get_last_lr()[0]"
    else:
        return None
    return finding(
        case,
        f"`{owner}` is `{type(value).__name__}`, and it keeps a learning rate for each group of parameters, not one in `{node.attr}`. Write"
        f" `{text}`.",
        f"`{owner}` 是 `{type(value).__name__}`，它为每个参数组各保存一个学习率，而不是放在 `{node.attr}` 里。请写 `{text}`。",
        case.fix(case.replace(node, text), node),
    )


@finds(*_ATTRIBUTE)
def _import_taken(case: Case) -> Finding | None:
    """``F = -k * q`` where ``F`` was ``torch.nn.functional``."""
    node = case.find(ast.Attribute)
    taken = None if node is None else import_taken(case, node)
    if node is None or taken is None:
        return None
    (statement, module, at), name = taken, case.text(node.value)
    value, loop = case.details.get("value"), case.parents.get(at)
    looped = isinstance(loop, ast.For)
    what, what_zh = ("the loop of ", "的循环") if looped else ("", "")
    kind = f", here `{type(value).__name__}`," if value is not None else ","
    kind_zh = f"（这里是 `{type(value).__name__}`）" if value is not None else ""
    other = renamed(case, at, value) if value is not None else None
    rows = lines_of_all([line(one) for one in other[1]] if other is not None else [line(at)])
    action, action_zh = (
        (f"Call it `{other[0]}` on {rows[0].lower()}", f"请在{rows[1]}把它改名为 `{other[0]}`")
        if other is not None
        else (
            f"Choose another name on line {line(at)}, and wherever that is meant",
            f"请在{rows[1]}以及用到它的地方换一个名字",
        )
    )
    return finding(
        case,
        f"`{name}` is `{module}`, imported on line {line(statement)}, until {what}line {line(at)} gives this name to something else{kind} which has"
        f" no `{node.attr}`. {action}.",
        f"`{name}` 是第 {line(statement)} 行导入的 `{module}`，但第 {line(at)} 行{what_zh}把这个名字给了别的东西{kind_zh}，它没有 `{node.attr}`。{action_zh}。",
        [apply(case, other[2], f"`{other[0]}` for `{name}`", f"把 `{name}` 改名为 `{other[0]}`")]
        if other is not None
        else (),
        at,
    )


@finds(*_ATTRIBUTE)
def _made_not_applied(case: Case) -> Finding | None:
    """``h = nn.ReLU(h)``: a layer, with the tensor for a setting."""
    value: Any = case.details.get("value")
    if not isinstance(value, Layer):
        return None
    setting = next((key for key, held in vars(value).items() if isinstance(held, Tensor)), None)
    kind = type(value).__name__
    calls = [
        one
        for one in case.nodes(ast.Call)
        if case.text(one.func).split(".")[-1] == kind and one.args and not isinstance(one.args[0], ast.Constant)
    ]
    if setting is None or len(calls) != 1:
        return None
    call = calls[0]
    text = f"{case.text(call.func)}()({case.text(call.args[0])})"
    return finding(
        case,
        f"{code(case, call)} on line {line(call)} makes a layer and applies it to nothing: {code(case, call.args[0])} is taken for its setting"
        f" `{setting}`. Make it first, then call it: `{text}`.",
        f"第 {line(call)} 行的 {code(case, call)} 只是创建了一个层，并没有把它用在数据上：{code(case, call.args[0])} 被当成了参数 `{setting}`。"
        f"请先创建，再调用：`{text}`。",
        case.fix(case.replace(call, text), call),
        call,
    )


@finally_finds(*_ATTRIBUTE)
def _elsewhere(case: Case) -> Finding | None:
    """Any other object: what it is and where it was made, and what it has of a similar name."""
    node, value = case.find(ast.Attribute), case.details.get("value")
    if node is None or value is None:
        return None
    owner, kind, name = case.text(node.value), type(value).__name__, node.attr
    made = definition(case, node.value)
    what, what_zh = _what(case, node.value, made, value)
    if isinstance(value, list | tuple) and value and hasattr(value[0], name):
        first, tensors = f"{owner}[0].{name}", all(isinstance(one, Tensor) for one in value)
        return finding(
            case,
            f"{what}; its {len(value)} elements have `{name}`, the `{kind}` has not. Take one of them, `{first}`"
            + (
                f", or make one tensor of them first: `torch.stack({owner})`."
                if tensors
                else ", or go through them in a loop."
            ),
            f"{what_zh}；它的 {len(value)} 个元素才有 `{name}`，`{kind}` 本身没有。请取其中一个 `{first}`"
            + (f"，或者先合成一个张量：`torch.stack({owner})`。" if tensors else "，或者用循环逐个处理。"),
            (),
            made,
        )
    if isinstance(value, dict) and name in value:
        text = f'{owner}["{name}"]'
        return finding(
            case,
            f"{what}, and what stands in a dictionary is reached by its key. Write `{text}`.",
            f"{what_zh}，字典里的东西要用键来取。请写 `{text}`。",
            case.fix(case.replace(node, text), node),
            made,
        )
    if isinstance(value, int | float) and name in _OF_TENSORS:
        return finding(
            case,
            f"{what.rstrip(',')}, a plain number, and `{name}` belongs to tensors. Leave `.{name}` out, or keep the tensor where the number was made.",
            f"{what_zh}，是普通的数，而 `{name}` 属于张量。请去掉 `.{name}`，或者在得到这个数的地方保留张量。",
            (),
            made,
        )
    if callable(value) and not isinstance(value, Layer | type):
        return finding(
            case,
            f"{what.rstrip(',')}. It computes when it is called, and what it gives has `{name}`. Call it first: `{owner}(...).{name}`.",
            f"{what_zh}，要调用之后才会计算，它的结果才有 `{name}`。请先调用：`{owner}(...).{name}`。",
            (),
            made,
        )
    if name in _names(value):
        return None  # what fails is inside of it
    near = get_close_matches(name, [one for one in _names(value) if not one.startswith("_")], 3, 0.55)
    also = f"; it has {names_of(near)[0]}" if near else ""
    also_zh = f"；它有 {names_of(near)[1]}" if near else ""
    other = next(_having(case, name), "")
    action = (
        f"Write `{other}.{name}`, for `{other}` has it"
        if other
        else "Take one of these"
        if near
        else "Look there whether something else was meant"
    )
    action_zh = (
        f"请写 `{other}.{name}`，因为 `{other}` 有它"
        if other
        else "请使用其中之一"
        if near
        else "请检查那里是否本来要的是别的东西"
    )
    return finding(
        case,
        f"{what} and has no `{name}`{also}. {action}.",
        f"{what_zh}，没有 `{name}`{also_zh}。{action_zh}。",
        case.fix(case.replace(node, f"{other}.{name}"), node) if other else (),
        made if made is not node.value else None,
    )


def _what(case: Case, node: ast.expr, made: ast.expr, value: object) -> tuple[str, str]:
    """What an object is, and where it was made."""
    kind = type(value).__name__
    if made is node or not line(made):
        return f"{code(case, node)} is a `{kind}`", f"{code(case, node)} 是 `{kind}`"
    return (
        f"{code(case, node)} is a `{kind}`, made by {code(case, made)} on line {line(made)},",
        f"{code(case, node)} 是 `{kind}`（由第 {line(made)} 行的 {code(case, made)} 得到）",
    )


def _names(value: object) -> list[str]:
    """The public names of an object, as far as its class and its own dictionary tell."""
    return [*getattr(value, "__dict__", {}), *(name for cls in type(value).__mro__ for name in vars(cls))]


def _having(case: Case, name: str) -> Iterator[str]:
    """The variables whose class has an attribute of this name, where it is only one."""
    found = [
        key
        for key, value in case.values.items()
        if not key.startswith("_")
        and isinstance(value, Layer | Optimizer)
        and (name in _names(value) or name in value.__dict__.get("_modules", {}))
    ]
    yield from found if len(found) == 1 else ()
