"""What is gone through, unpacked, counted or looked up, and is another thing: modules, dictionaries, single numbers,"
" texts."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, gone_through
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, place
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.tensor import Tensor


@finds(mistakes.NOT_ITERABLE, mistakes.NO_LENGTH, mistakes.NOT_SUBSCRIPTABLE)
def _module_as_list(case: Case) -> Finding | None:
    """``for layer in net``, ``len(net)``, ``net[0]`` of a module that is no row of layers."""
    match case.find(ast.Call) or case.find(ast.Subscript):
        case ast.Call(func=ast.Name(id="len" | "list" | "enumerate" | "reversed"), args=[held, *_]):
            pass
        case ast.Subscript(value=held):
            pass
        case _:
            through = gone_through(case)
            if through is None:
                return None
            held = through
    model = case.value(held)
    if not isinstance(model, Layer) or hasattr(type(model), "__len__"):
        return None
    parts = [(name, type(part).__name__) for name, part in model.named_children()]
    name = case.text(held)
    listed = ", ".join(f"`{name}.{part}` ({kind})" for part, kind in parts[:4]) or "none"
    rows = [part for part, kind in parts if kind in ("Sequential", "ModuleList", "ModuleDict")]
    node = case.find(ast.Subscript)
    counted = (
        isinstance(case.find(ast.Call), ast.Call)
        and str(case.details.get("type"))
        and "len(" in case.text(case.find(ast.Call) or held)
    )
    text = (
        f"{name}.{rows[0]}"
        if len(rows) == 1
        else f"list({name}.children())"
        if node is not None or counted
        else f"{name}.children()"
    )
    shown = f"{text}[{case.text(node.slice)}]" if node is not None else f"len({text})" if counted else text
    simple = isinstance(held, ast.Name | ast.Attribute)
    return finding(
        case,
        f"{code(case, held)} is a module of the class `{type(model).__name__}`, which has its layers as attributes, {listed}, and"
        " neither a length nor numbers. Go to the layers themselves:"
        f" `{shown}`.",
        f"{code(case, held)} 是类 `{type(model).__name__}` 的模块，它的层是属性 {listed.replace(', ', '、')}，既没有长度也没有编号。"
        f"请直接使用这些层：`{shown}`。",
        write(case, held, text, node) if simple else (),
        held,
    )


@finds(mistakes.TOO_MANY_VALUES, mistakes.NOT_ENOUGH_VALUES)
def _keys_for_pairs(case: Case) -> Finding | None:
    """``for name, value in losses`` of a dictionary."""
    node = case.find(ast.AST)
    loops = [one for one in case.nodes(ast.For) if node in (one, one.iter, one.target)]
    held = loops[0].iter if loops else None
    if (
        held is None
        or not loops
        or not isinstance(case.value(held), dict)
        or not isinstance(loops[0].target, ast.Tuple)
    ):
        return None
    value = case.value(held)
    where, where_zh = place(case, held)
    keys = ", ".join(f"`{key!r}`" for key in list(value)[:3]) if isinstance(value, dict) else ""
    text = f"{case.operand(held)}.items()"
    return finding(
        case,
        f"{code(case, held)}{where} is a dictionary, and a loop goes through its keys alone ({keys}), which cannot be taken apart"
        f" as `{case.text(loops[0].target)}`. For keys and values write"
        f" `{text}`.",
        f"{code(case, held)}{where_zh} 是字典，循环只会遍历它的键（{keys.replace(', ', '、')}），无法拆成"
        f" `{case.text(loops[0].target)}`。要键和值请写 `{text}`。",
        write(case, held, text, held),
        held,
    )


@finds(errors.ITERATE_SCALAR, mistakes.NOT_ITERABLE)
def _one_result_for_two(case: Case) -> Finding | None:
    """``loss, acc = evaluate(...)`` of a function that returns one thing."""
    node = case.find(ast.AST)
    statement = case.statement(node) if node is not None else None
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=names) as target], value=ast.Call() as call):
            pass
        case _:
            return None
    functions = Flow(case).called(call)
    results = returned(functions[0]) if functions else []
    single = [one for one in results if not isinstance(one, ast.Tuple)]
    if not single:
        return None
    name = getattr(functions[0], "name", "the function")
    wanted = ", ".join(case.text(one) for one in names)
    return finding(
        case,
        f"`{name}` returns one thing on line {line(single[0])}, {code(case, single[0])}, and line {line(statement)} takes"
        f" {len(names)} of it: `{wanted}`. Return them all there,"
        f" `return {wanted}`, or take one here: `{case.text(names[0])} = ...`.",
        f"`{name}` 在第 {line(single[0])} 行只返回一样东西 {code(case, single[0])}，而第 {line(statement)} 行要拆成 {len(names)}"
        f" 个：`{wanted}`。请在那里全部返回 `return {wanted}`，或者在这里只接一个："
        f"`{case.text(names[0])} = ...`。",
        case.fix(case.replace(target, case.text(names[0])), statement) if not _used(case, names[1:], statement) else (),
        single[0],
    )


def _used(case: Case, names: list[ast.expr], statement: ast.stmt) -> bool:
    """Whether some of the names are used further down."""
    wanted = {one.id for one in names if isinstance(one, ast.Name)}
    return any(
        one.id in wanted and isinstance(one.ctx, ast.Load) and line(one) > line(statement)
        for one in case.nodes(ast.Name)
    )


@finds(mistakes.NOT_CALLABLE)
def _pair_of_enumerate(case: Case) -> Finding | None:
    """``for layer in enumerate(layers): layer(x)``."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Name) or str(case.details.get("type")) != "tuple":
        return None
    name = call.func.id
    for loop in case.nodes(ast.For):
        match loop:
            case ast.For(target=ast.Name(id=bound) as target, iter=ast.Call(func=func) as source) if bound == name:
                word = case.text(func).rpartition(".")[2]
            case _:
                continue
        known = {
            "enumerate": ("the number of the turn and the element", "轮次编号和元素", "i"),
            "named_children": ("the name and the module", "名字和模块", "name"),
            "named_modules": ("the name and the module", "名字和模块", "name"),
            "named_parameters": ("the name and the parameter", "名字和参数", "name"),
            "items": ("the key and the value", "键和值", "key"),
        }.get(word)
        if known is None:
            continue
        what, what_zh, first = known
        text = f"{first}, {name}"
        return finding(
            case,
            f"{code(case, source)} on line {line(loop)} gives pairs, {what}, so `{name}` is a `tuple` of both. Take them apart: `for"
            f" {text} in ...`.",
            f"第 {line(loop)} 行的 {code(case, source)} 给出的是一对：{what_zh}，所以 `{name}` 是两者组成的 `tuple`。请拆开：`for"
            f" {text} in ...`。",
            case.fix(case.replace(target, text), target),
            target,
        )
    return None


@finds(mistakes.NOT_INTEGER)
def _text_for_count(case: Case) -> Finding | None:
    """``range(cfg["layers"])`` of a text."""
    call = case.find(ast.Call)
    for node in call.args if call is not None else ():
        value = case.value(node)
        if not isinstance(value, str):
            continue
        made = definition(case, node.value) if isinstance(node, ast.Subscript) else definition(case, node)
        text = f"int({case.text(node)})"
        where = f" (line {line(made)})" if line(made) != line(node) else ""
        where_zh = f"（第 {line(made)} 行）" if where else ""
        return finding(
            case,
            f"{code(case, node)}{where} is the text `{value!r}`, and {code(case, call.func) if call is not None else ''} counts with"
            " whole numbers. Write it without quotation marks there, or"
            f" convert it: `{text}`.",
            f"{code(case, node)}{where_zh} 是字符串 `{value!r}`，而 {code(case, call.func) if call is not None else ''} 要用整数计数。"
            f"请在那里去掉引号，或者转换：`{text}`。",
            write(case, node, text, call) if value.strip().isdigit() else (),
            made,
        )
    return None


_SETTINGS: Final = {
    "learning_rate": "lr",
    "learningrate": "lr",
    "rate": "lr",
    "decay": "weight_decay",
    "wd": "weight_decay",
    "parameters": "params",
    "param": "params",
}


@finds(python.KEY)
def _setting_of_group(case: Case) -> Finding | None:
    """``group["learning_rate"] *= 0.5``: a group of an optimizer has it under ``lr``."""
    node = case.find(ast.Subscript)
    if node is None:
        augmented = case.find(ast.AugAssign)
        node = augmented.target if augmented is not None and isinstance(augmented.target, ast.Subscript) else None
    held = case.value(node.value) if node is not None else None
    if node is None or not isinstance(held, dict) or "params" not in held or not isinstance(node.slice, ast.Constant):
        return None
    meant = _SETTINGS.get(str(node.slice.value))
    keys = [key for key in held if key != "params"]
    listed = ", ".join(f"`{key!r}`" for key in keys[:6])
    if meant not in held:
        return None
    text = repr(meant)
    return finding(
        case,
        f"A group of an optimizer has its settings under {listed}, and {code(case, node.slice)} is none of them: that setting is"
        f" called `{text}`. Write"
        f" `{case.operand(node.value)}[{text}]`.",
        f"优化器的每一组把设置放在 {listed.replace(', ', '、')} 下，其中没有 {code(case, node.slice)}：这项设置叫 `{text}`。请写"
        f" `{case.operand(node.value)}[{text}]`。",
        case.fix(case.replace(node.slice, text), node),
        node,
    )


@finds(python.KEY)
def _state_before_step(case: Case) -> Finding | None:
    """``opt.state[p]["exp_avg"]`` before the first step."""
    node = case.find(ast.Subscript)
    owner = (
        next((one for one in ast.walk(node) if isinstance(one, ast.Attribute) and one.attr == "state"), None)
        if node is not None
        else None
    )
    held = case.value(owner.value) if owner is not None else None
    if node is None or owner is None or not isinstance(held, Optimizer):
        return None
    steps = [one for one in case.nodes(ast.Call) if case.text(one.func) == f"{case.operand(owner.value)}.step"]
    before = [one for one in steps if line(one) < line(node)]
    if before:
        return None
    name = case.text(owner.value)
    return finding(
        case,
        f"`{name}` makes the state of a parameter in its first step, and `{name}.step()` has not run before line {line(node)}, so"
        f" `{case.text(owner)}` is still empty. Read it after a backward pass and"
        f" `{name}.step()`.",
        f"`{name}` 在第一次更新时才建立参数的状态，而在第 {line(node)} 行之前 `{name}.step()` 还没有运行，所以"
        f" `{case.text(owner)}` 还是空的。请在反向传播和 `{name}.step()` 之后再读取。",
        (),
        node,
    )


@finds(errors.INDEX_NOT_SCALAR)
def _list_by_tensor(case: Case) -> Finding | None:
    """``names[indices]`` of a list and a tensor of several numbers."""
    node = case.find(ast.Subscript)
    held = case.value(node.value) if node is not None else None
    index = Flow(case).tensor(node.slice) if node is not None else None
    if node is None or not isinstance(held, list | tuple) or not isinstance(index, Tensor) or index.numel() < 2:
        return None
    text = f"[{case.operand(node.value)}[i] for i in {case.operand(node.slice)}.tolist()]"
    where, where_zh = place(case, node.value)
    return finding(
        case,
        f"{code(case, node.value)}{where} is a `{type(held).__name__}` of Python, which takes one number at a time, and"
        f" {code(case, node.slice)} holds {index.numel()} of them. Go through them:"
        f" `{text}`.",
        f"{code(case, node.value)}{where_zh} 是 Python 的 `{type(held).__name__}`，一次只能用一个编号，而 {code(case, node.slice)}"
        f" 里有 {index.numel()} 个。请逐个取：`{text}`。",
        write(case, node, text),
        node,
    )


@finds(mistakes.FORMAT_COUNT)
def _places(case: Case) -> Finding | None:
    """``"loss %d" % (loss, 3)``."""
    node = case.find(ast.BinOp)
    if node is None or not isinstance(node.left, ast.Constant) or not isinstance(node.left.value, str):
        return None
    found = [one for one in re.findall(r"%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z%]", node.left.value) if not one.endswith("%")]
    given = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
    if len(found) == len(given):
        return None
    listed = ", ".join(f"`{one}`" for one in found) or "none"
    values = ", ".join(code(case, one) for one in given)
    action = (
        "Write one more of the places for each value that is left"
        if len(found) < len(given)
        else "Give one more value for each place that is left"
    )
    action_zh = "请为多出来的每个值再写一个位置" if len(found) < len(given) else "请为多出来的每个位置再给一个值"
    return finding(
        case,
        f"The text has {len(found)} place{'s' * (len(found) != 1)} for values ({listed}), and {len(given)}"
        f" {'are' if len(given) != 1 else 'is'} given: {values}. {action}, or use an f-string, in which each value stands"
        f" where it is shown.",
        f"字符串里有 {len(found)} 个位置（{listed.replace('none', '没有').replace(', ', '、')}），却给了 {len(given)} 个值："
        f"{values.replace(', ', '、')}。{action_zh}，或者用 f-string，把值写在显示它的地方。",
        (),
        node,
    )
