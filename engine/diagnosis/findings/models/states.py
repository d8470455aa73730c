"""States of recurrent layers that do not fit: of which dimension, and what decides its size."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, text_with
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.trace import Fix

_TOLD: Final = re.compile(r"Expected hidden(?:\[\d\])? size \((\d+), (\d+), (\d+)\), got \[(\d+), (\d+), (\d+)\]")


@finds(errors.MODULE_RUNTIME)
def _kept_over_batches(case: Case) -> Finding | None:
    """The state of one batch for the next one, which has fewer samples."""
    told = _TOLD.search(str(case.details.get("message", "")))
    call = case.find(ast.Call)
    if told is None or call is None or len(call.args) < 2:
        return None
    wanted, got = tuple(map(int, told.groups()[:3])), tuple(map(int, told.groups()[3:]))
    loop = case.enclosing(call, ast.For) or _loop_around(case)
    if (wanted[0], wanted[2]) != (got[0], got[2]) or wanted[1] >= got[1] or loop is None:
        return None
    state = call.args[1]
    name = _carried(case, state)
    made_anew = any(
        case.text(one.targets[0]) == name
        and isinstance(one.value, ast.Call)
        and str(getattr(one.value.func, "attr", "")).startswith(("zeros", "new_zeros", "randn"))
        for one in ast.walk(loop)
        if isinstance(one, ast.Assign)
    )
    if made_anew or name is None or _given_anew(case, state, loop):
        return None
    rows, batch = got[1], wanted[1]
    first = case.text(call.args[0])
    loader = any(
        type(case.value(one)).__name__ == "DataLoader" for one in ast.walk(loop.iter) if isinstance(one, ast.Name)
    )
    layer = case.value(call.func)
    dim = 0 if getattr(layer, "batch_first", False) else 1
    text = f"{name}[:, :{first}.size({dim})]"
    contiguous = f"{text}.contiguous()"
    drop = "leave it out by `drop_last=True` in the loader" if loader else "leave the incomplete batch out"
    drop_zh = "在加载器里写 `drop_last=True` 丢弃它" if loader else "跳过不满的批次"
    parts = [one for one in ast.walk(state) if isinstance(one, ast.Name | ast.Attribute) and case.text(one) == name]
    edits = (
        case.replace(parts[0], contiguous)
        if len(parts) == 1 and not isinstance(state, ast.Tuple) and shape_at(case, parts[0]) is not None
        else []
    )
    return finding(
        case,
        f"`{name}` is carried over from the batch before, of {rows} samples, and this batch, the last one, has only {batch}"
        f" (`{first}` is {list(shape_at(case, call.args[0]) or ())})."
        f" The state has one entry for each sample. Begin with a new state of {batch} there, {drop}, or take as many of it as"
        f" there are samples: `{text}`.",
        f"`{name}` 是从上一个批次带过来的，那一批有 {rows} 个样本，而这一批（最后一批）只有 {batch} 个（`{first}` 的形状是"
        f" {list(shape_at(case, call.args[0]) or ())}）。状态对每个样本各有一项。"
        f"请在那里用大小为 {batch} 的新状态开始，或者{drop_zh}，或者只取与样本同样多的部分：`{text}`。",
        apply(case, edits, f"`{contiguous}`", f"`{contiguous}`") or (),
        state,
    )


def _given_anew(case: Case, state: ast.expr, loop: ast.For) -> bool:
    """Whether a function of the program makes the state that another is given, in every turn: ``net(x, net.begin(8))``."""
    if not isinstance(state, ast.Name):
        return False
    flow, inside = Flow(case), list(ast.walk(loop))
    made = [one for one in flow.assigned(state, state.id) if any(one is part for part in inside)]
    return any(
        "zeros" in case.text(result)
        for one in made
        if isinstance(one, ast.Call)
        for function in flow.called(one)
        for result in returned(function)
    )


def _loop_around(case: Case) -> ast.For | None:
    """The loop of the program that the failing call was reached from."""
    for frame in reversed(case.frames):
        node = case.find(ast.AST, frame.span) if frame.span is not None else None
        loop = case.enclosing(node, ast.For) if node is not None else None
        if loop is not None:
            return loop
    return None


def _carried(case: Case, state: ast.expr) -> str | None:
    """The name or the attribute that a state is kept under from call to call: it is given what a call gave."""
    for one in ast.walk(state):
        if not isinstance(one, ast.Name | ast.Attribute):
            continue
        text = case.text(one)
        if isinstance(case.value(one), Layer) or text == "self":
            continue
        for statement in case.nodes(ast.Assign):
            given = {
                case.text(part)
                for target in statement.targets
                for part in ast.walk(target)
                if isinstance(part, ast.expr)
            }
            called = any(
                isinstance(part, ast.Call) and isinstance(case.value(part.func), Layer)
                for part in ast.walk(statement.value)
            )
            if text in given and (called or case.text(state) in case.text(statement.value)):
                return text
    return None


@finds(errors.MODULE_RUNTIME)
def _one_for_each_layer(case: Case) -> Finding | None:
    """``torch.zeros(1, batch, hidden)`` for an LSTM of two layers, or of two directions."""
    told = _TOLD.search(str(case.details.get("message", "")))
    call = case.find(ast.Call)
    layer = case.value(call.func) if call is not None else None
    if told is None or call is None or len(call.args) < 2 or not isinstance(layer, Layer):
        return None
    wanted, got = tuple(map(int, told.groups()[:3])), tuple(map(int, told.groups()[3:]))
    if wanted[1:] != got[1:] or wanted[0] == got[0]:
        return None
    made, owner = maker_of(case, layer), case.text(call.func)
    layers, both = int(layer.num_layers), bool(layer.bidirectional)
    why = f"{layers} layer{'s' * (layers != 1)}{' in 2 directions' if both else ''}"
    why_zh = f"{layers} 层{'、2 个方向' if both else ''}"
    factor = f"{owner}.num_layers{' * 2' if both else ''}"
    zeros = [one for one in _makers(case, call.args[1]) if len(one.args) == 3]
    edits = [edit for one in zeros for edit in case.replace(one.args[0], factor)]
    place = f" (line {line(zeros[0])})" if zeros else ""
    place_zh = f"（第 {line(zeros[0])} 行）" if zeros else ""
    where = f"{code(case, made)} on line {line(made)}" if made is not None else f"`{owner}`"
    where_zh = f"第 {line(made)} 行的 {code(case, made)}" if made is not None else f"`{owner}`"
    return finding(
        case,
        f"The state{place} has the shape {list(got)}, and its first size says for how many layers it is: {where} has {why}, so it"
        f" is {wanted[0]}, not {got[0]}."
        f" Write `{factor}` there: {list(wanted)}.",
        f"状态{place_zh}的形状是 {list(got)}，其中第一个数是层数：{where_zh} 有 {why_zh}，所以应是 {wanted[0]} 而不是 {got[0]}。"
        f"请在那里写 `{factor}`：{list(wanted)}。",
        apply(case, edits, f"`{factor}`", f"`{factor}`") or (),
        zeros[0] if zeros else call.args[1],
    )


def _makers(case: Case, state: ast.expr) -> list[ast.Call]:
    """The calls that made the tensors of a state."""
    parts = state.elts if isinstance(state, ast.Tuple) else [state]
    found: list[ast.Call] = []
    for part in parts:
        made = definition(case, part)
        inner = made.elts if isinstance(made, ast.Tuple) else [made]
        found += [
            one
            for one in inner
            if isinstance(one, ast.Call) and str(getattr(one.func, "attr", "")) in ("zeros", "randn", "ones", "rand")
        ]
    return list(dict.fromkeys(found))


@finds(errors.MODULE_RUNTIME)
def _numbers_without_features(case: Case) -> Finding | None:
    """``rnn(series)`` of rows of numbers, for ``input_size=1``: the dimension of the features is missing."""
    told = re.search(r"input_size\. Expected 1, got (\d+)", str(case.details.get("message", "")))
    call = case.find(ast.Call)
    given = call.args[0] if call is not None and call.args else None
    shape = shape_at(case, given) if given is not None else None
    if told is None or call is None or given is None or shape is None or len(shape) != 2:
        return None
    layer = case.value(call.func)
    made = maker_of(case, layer) if isinstance(layer, Layer) else None
    first = getattr(layer, "batch_first", False)
    moved = ".unsqueeze(-1)" if first else ".t().unsqueeze(-1)"
    text = f"{case.operand(given)}.unsqueeze(-1)"
    where = f"{code(case, made)} on line {line(made)}" if made is not None else code(case, call.func)
    where_zh = f"第 {line(made)} 行的 {code(case, made)}" if made is not None else code(case, call.func)
    return finding(
        case,
        f"{code(case, given)} has the shape {list(shape)}, one number for each step, and the dimension for the features is"
        f" missing: {where} takes (batch, steps, features),"
        f" with 1 feature. Add it behind the others: `{text}`."
        + ("" if first else " Without `batch_first=True` the steps come first."),
        f"{code(case, given)} 的形状是 {list(shape)}，每一步一个数，缺少特征这一维：{where_zh} 要的是（批量，步数，特征），"
        f"特征数为 1。请在最后补上：`{text}`。" + ("" if first else "没有 `batch_first=True` 时步数在最前。"),
        case.fix(case.followed(given, moved), call) if first or Flow(case).tensor(given) is not None else (),
        given,
    )


def _asked_for(case: Case, begun: ast.Call, batch: ast.expr, sizes: tuple[int, int], dim: int) -> Finding | None:
    """``net.begin(8)`` of a function that is told for how many samples."""
    counts = [one for one in begun.args if case.value(one) == sizes[0] and isinstance(one, ast.Constant | ast.Name)]
    flow, given = Flow(case), batch
    if isinstance(batch, ast.Name) and flow.scope(batch) is not flow.scope(begun):
        own = [one for one in flow.assigned(batch, batch.id) if flow.scope(one) is flow.scope(begun)]
        given = own[0] if own else batch
    shape = shape_at(case, batch)
    if len(counts) != 1 or shape is None or dim >= len(shape) or shape[dim] != sizes[1]:
        return None
    if given is batch and flow.scope(batch) is not flow.scope(begun):
        return None
    count = f"{case.operand(given)}.size({dim})"
    text = text_with(case, begun, counts[0], count)
    return finding(
        case,
        f"{code(case, begun)} on line {line(begun)} asks for a state for {sizes[0]} samples, and this batch, the last one, has only {sizes[1]}. Let it be as many"
        f" as the batch at hand has: `{text}`.",
        f"第 {line(begun)} 行的 {code(case, begun)} 要的是 {sizes[0]} 个样本的状态，而这一批（最后一批）只有 {sizes[1]} 个。请让它与这一批的个数相同：`{text}`。",
        case.fix(case.replace(counts[0], count), begun) or (),
        begun,
    )


@finds(errors.MODULE_RUNTIME)
def _made_for_full_batches(case: Case) -> Finding | None:
    """``model.init_hidden()``, which always makes a state for a whole batch."""
    told = _TOLD.search(str(case.details.get("message", "")))
    call, flow = case.find(ast.Call), Flow(case)
    if told is None or call is None or len(call.args) < 2:
        return None
    wanted, got = tuple(map(int, told.groups()[:3])), tuple(map(int, told.groups()[3:]))
    if (wanted[0], wanted[2]) != (got[0], got[2]) or wanted[1] >= got[1]:
        return None
    begun = [
        (node, one)
        for node in flow.behind(call.args[1])
        if isinstance(node, ast.Call)
        for one in flow.called(node)
        if isinstance(one, ast.FunctionDef)
    ]
    states = [one for _, function in begun for one in returned(function)]
    if len(states) == 1 and "zeros" in case.text(states[0]):
        dim = 0 if getattr(case.value(call.func), "batch_first", False) else 1
        asked = _asked_for(case, begun[0][0], call.args[0], (got[1], wanted[1]), dim)
        if asked is not None:
            return asked
    states = [part for one in states for part in _parts(flow, one)]
    functions = {id(function) for _, function in begun}
    if len(functions) != 1 or not states or not all(_sizes(case, one, got[1]) for one in states):
        return None
    name, at = begun[0][1].name, code(case, states[0])
    batch = f"{case.operand(call.args[0])}.size({0 if getattr(case.value(call.func), 'batch_first', False) else 1})"
    return finding(
        case,
        f"{at} on line {line(states[0])} always makes a state for {got[1]} samples, and this batch, the last one, has only {wanted[1]}. Let `{name}` be given how many there"
        f" are: `{batch}`.",
        f"第 {line(states[0])} 行的 {at} 总是为 {got[1]} 个样本创建状态，而这一批（最后一批）只有 {wanted[1]} 个。请把样本个数传给 `{name}`：`{batch}`。",
        _given_count(case, begun[0], states, got[1], batch) or (),
        states[0],
    )


def _parts(flow: Flow, result: ast.expr) -> list[ast.expr]:
    """Hidden state and cell of an LSTM, where a function gives both, and what their names were given."""
    parts = result.elts if isinstance(result, ast.Tuple) else [result]
    return [next(flow.assigned(one, one.id), one) if isinstance(one, ast.Name) else one for one in parts]


def _given_count(
    case: Case, begun: tuple[ast.Call, ast.FunctionDef], states: list[ast.expr], size: int, batch: str
) -> Fix | None:
    """The function with a parameter for the number of samples, which its only call gives it."""
    call, function = begun
    calls = [one for one in case.nodes(ast.Call) if called(one) == function.name]
    given = _input_beside(case, call)
    if (
        len(calls) != 1
        or call.args
        or call.keywords
        or not function.args.args
        or function.args.defaults
        or given is None
    ):
        return None
    edits = [edit for state in states for one in _sizes(case, state, size) for edit in case.replace(one, "count")]
    edits += case.after(function.args.args[-1], ", count")
    text = f"{given}.size({batch[-2]})"
    edits += case.argument(call, text)
    return apply(case, edits, f"`{function.name}({text})`", f"`{function.name}({text})`")


def _input_beside(case: Case, state: ast.Call) -> str | None:
    """What is given to the model together with a state."""
    statement = case.statement(state)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    names = {one.id for one in ast.walk(target) if isinstance(one, ast.Name)} if target is not None else set[str]()
    for call in case.nodes(ast.Call):
        rest = [part for one in call.args[1:] for part in ast.walk(one)]
        fits = any(part is state or (isinstance(part, ast.Name) and part.id in names) for part in rest)
        if fits and case.enclosing(call, ast.FunctionDef) is case.enclosing(state, ast.FunctionDef):
            return case.operand(call.args[0])
    return None


def _sizes(case: Case, made: ast.expr, size: int) -> list[ast.expr]:
    """Where a size is written in an expression that makes tensors, also by a name of the whole program."""
    calls = (part for part in ast.walk(made) if isinstance(part, ast.Call))
    given = (one for part in calls for one in part.args if isinstance(one, ast.Constant | ast.Name))
    return [one for one in given if case.value(one) == size]
