"""Nothing where something was expected: loaders without batches, buffers that are too small, streams that are read at their end."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import python
from gradflow.engine.sandbox.program import PROGRAM_FILE


def length_of(value: object) -> int | None:
    """How many elements a thing has, without running anything of the program's."""
    method = getattr(type(value), "__len__", None)
    place = getattr(method, "__code__", None)
    if method is None or (place is not None and place.co_filename == PROGRAM_FILE):
        return None
    return int(method(value))


@finds(python.ZERO_DIVISION)
def _divided_by_nothing(case: Case) -> Finding | None:
    """``total / len(loader)`` of a loader that has no batch, ``total / count`` of a count that never grew."""
    node = case.find(ast.BinOp)
    if node is None or not isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod):
        return None
    divisor = node.right
    match divisor:
        case ast.Call(func=ast.Name(id="len"), args=[held]):
            return _of_length(case, held)
    made = list(Flow(case).assigned(divisor, divisor.id)) if isinstance(divisor, ast.Name) else []
    for one in made:
        match one:
            case ast.Call(func=ast.Name(id="len"), args=[held]):
                return _of_length(case, held)
    begun = next((one for one in made if isinstance(one, ast.Constant) and one.value == 0), None)
    grown = [
        one
        for one in case.nodes(ast.AugAssign)
        if isinstance(divisor, ast.Name) and case.text(one.target) == divisor.id
    ]
    if begun is None or not isinstance(divisor, ast.Name):
        return None
    outer = case.enclosing(grown[0], ast.For) if grown else None
    loop = f" in the loop of line {line(outer)}, which had no turn" if outer is not None else " nowhere before"
    loop_zh = f"只在第 {line(outer)} 行的循环里增加，而循环一次也没有运行" if outer is not None else "之后没有增加过"
    return finding(
        case,
        f"`{divisor.id}` begins at 0 on line {line(begun)} and grows{loop}, so it is still 0 here. Let the loop go through something, or divide only"
        f" where it is not 0: `max({divisor.id}, 1)`.",
        f"`{divisor.id}` 在第 {line(begun)} 行从 0 开始，{loop_zh}，所以这里仍是 0。请让循环真正运行，或者只在不为 0 时相除：`max({divisor.id}, 1)`。",
        (),
        outer.iter if outer is not None else begun,
    )


def _of_length(case: Case, held: ast.expr) -> Finding | None:
    value, made = case.value(held), definition(case, held)
    name = case.text(held)
    size, data = getattr(value, "batch_size", None), getattr(value, "dataset", None)
    flag = next((one for one in made.keywords if one.arg == "drop_last"), None) if isinstance(made, ast.Call) else None
    count = length_of(data)
    if isinstance(size, int) and flag is not None and isinstance(made, ast.Call) and count is not None and count < size:
        return finding(
            case,
            f"`{name}` (line {line(made)}) has no batch at all: there are {count} samples, fewer than the batch size of {size}, and"
            f" `drop_last=True` drops a batch that is not full. Leave `drop_last=True` out, or take smaller batches.",
            f"`{name}`（第 {line(made)} 行）一个批次也没有：样本只有 {count} 个，少于批量大小 {size}，而 `drop_last=True` 会丢弃不满的批次。请去掉"
            f" `drop_last=True`，或者用更小的批量。",
            case.fix(case.without_argument(made, flag), made),
            made,
        )
    if value is UNKNOWN or length_of(value) != 0:
        return None
    return finding(
        case,
        f"`{name}` (line {line(made)}) is empty, so `len({name})` is 0. Put something in before, or look why nothing came in; divide only where there"
        f" is something.",
        f"`{name}`（第 {line(made)} 行）是空的，所以 `len({name})` 是 0。请先放入内容，或检查为什么什么也没有放进去；只在有内容时才相除。",
        (),
        made,
    )


@finds(python.VALUE, python.UNCLASSIFIED)
def _sample_of_few(case: Case) -> Finding | None:
    """``random.sample(buffer, 32)`` of a buffer that has one entry."""
    call = case.find(ast.Call)
    if (
        call is None
        or "Sample larger than population" not in str(case.details.get("message", ""))
        or len(call.args) < 2
    ):
        return None
    held, wanted = case.value(call.args[0]), case.value(call.args[1])
    count = length_of(held)
    outer = case.frames[-2].span if len(case.frames) > 1 else None
    caller = case.find(ast.Call, outer) if outer is not None else None
    place = caller or call
    number = (
        f" it is asked for {wanted} on line {line(place)}"
        if isinstance(wanted, int)
        else f" more are asked for on line {line(place)}"
    )
    number_zh = (
        f"第 {line(place)} 行却要取 {wanted} 个" if isinstance(wanted, int) else f"第 {line(place)} 行却要取更多"
    )
    text = f"if len({case.text(call.args[0])}) >= {case.text(call.args[1])}:"
    return finding(
        case,
        f"{code(case, call.args[0])} has {count if count is not None else 'few'} entries so far, and{number}. Take a sample only when there are"
        f" enough: `{text}`.",
        f"{code(case, call.args[0])} 目前只有 {count if count is not None else '少数'} 个元素，而{number_zh}。请等到足够时再取样：`{text}`。",
        (),
        place,
    )


@finds(python.UNCLASSIFIED)
def _read_at_end(case: Case) -> Finding | None:
    """``torch.load(buffer)`` behind ``torch.save(..., buffer)``."""
    call = case.find(ast.Call)
    name = called(call) if call is not None else ""
    if call is None or name != "load" or not call.args or type(case.value(call.args[0])).__name__ != "BytesIO":
        return None
    if case.details.get("message"):
        return None  # the end of a stream is told without a word
    buffer = case.text(call.args[0])
    written = [
        one for one in case.nodes(ast.Call) if getattr(one.func, "attr", "") == "save" and line(one) < line(call)
    ]
    statement = case.statement(call)
    text = f"{buffer}.seek(0)"
    where = f" (line {line(written[-1])})" if written else ""
    where_zh = f"（第 {line(written[-1])} 行）" if written else ""
    return finding(
        case,
        f"`{buffer}` stands at its end, where writing{where} has left it, so there is nothing to read. Go back to its beginning first: `{text}`.",
        f"`{buffer}` 停在末尾，也就是写入{where_zh}结束的地方，所以读不到任何内容。请先回到开头：`{text}`。",
        apply(case, case.line_before(statement, text), f"`{text}`", f"`{text}`") if statement is not None else (),
        call,
    )


@finds(errors.SEQUENCE_ELEMENT, errors.ELEMENT_TYPE, errors.SAMPLER_TYPE)
def _sample_missing(case: Case) -> Finding | None:
    """A data set whose ``__getitem__`` returns None for what cannot be read."""
    told = f"{case.details.get('actual', '')} {case.details.get('message', '')}"
    if "NoneType" not in told:
        return None
    for function in case.nodes(ast.FunctionDef):
        if function.name != "__getitem__":
            continue
        for one in ast.walk(function):
            if isinstance(one, ast.Return) and isinstance(one.value, ast.Constant) and one.value.value is None:
                return finding(
                    case,
                    f"`__getitem__` returns `None` on line {line(one)} for some samples, and a loader cannot lay `None` into a batch. Leave such samples"
                    f" out of the data set before, drop them in a `collate_fn`, or return another sample in their place.",
                    f"`__getitem__` 在第 {line(one)} 行对某些样本返回 `None`，而加载器无法把 `None` 组成批次。请事先从数据集中去掉这些样本，或在 `collate_fn` 里丢弃，或者返回"
                    f"另一个样本代替。",
                    (),
                    one,
                )
    return None


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE, errors.ARGUMENT_TYPE, errors.INVALID_COMBINATION)
def _keys_unpacked(case: Case) -> Finding | None:
    """``for ids, label in loader`` of a data set that gives dictionaries."""
    failed = case.find(ast.expr)
    for node in ast.walk(failed) if failed is not None else ():
        if not isinstance(node, ast.Name) or not isinstance(case.value(node), str):
            continue
        for loop in case.nodes(ast.For):
            names = [one.id for one in getattr(loop.target, "elts", []) if isinstance(one, ast.Name)]
            keys = [held for name in names if isinstance(held := case.values.get(name), str)]
            loader = type(case.value(loop.iter)).__name__ == "DataLoader"
            if not loader or node.id not in names or len(set(keys)) != len(names):
                continue
            parts = ", ".join(f"batch[{key!r}]" for key in keys)
            text = f"{', '.join(names)} = {parts}"
            first = loop.body[0]
            edits = [*case.replace(loop.target, "batch"), *case.line_before(first, text)]
            return finding(
                case,
                f"{code(case, loop.iter)} gives dictionaries, and `{', '.join(names)}` on line {line(loop)} unpacks their keys, the texts"
                f" {', '.join(f'`{key!r}`' for key in keys)}, not their values. Take these by their keys: `{text}`.",
                f"{code(case, loop.iter)} 给出的是字典，而第 {line(loop)} 行的 `{', '.join(names)}` 拆开的是它的键，即字符串"
                f" {'、'.join(f'`{key!r}`' for key in keys)}，而不是值。请用键来取：`{text}`。",
                apply(case, edits, f"`{text}`", f"`{text}`") or (),
                loop.target,
            )
    return None
