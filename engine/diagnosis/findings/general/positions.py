"""Positions beyond the end, bounds that are no whole numbers, rows that a table has not."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, place
from gradflow.engine.diagnosis.findings.layers import constant, maker_of
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finally_finds, finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor


@finds(errors.INDEX_TYPE)
@finally_finds(errors.SLICE_TYPE, mistakes.INDICES, mistakes.NOT_INTEGER, python.TYPE)
def _fraction(case: Case) -> Finding | None:
    """``x[: len(x) / 2]``, ``range(n / 2)``: `/` gives a float."""
    node = case.find(ast.Subscript) or case.find(ast.Call)
    if node is None:
        return None
    for one in ast.walk(node):
        if not isinstance(one, ast.Name | ast.BinOp | ast.Call) or one is node:
            continue
        made = definition(case, one)
        if isinstance(case.value(one), float) or (isinstance(made, ast.BinOp) and isinstance(made.op, ast.Div)):
            if isinstance(made, ast.BinOp) and isinstance(made.op, ast.Div):
                text = f"{case.text(made.left)} // {case.text(made.right)}"
                return finding(
                    case,
                    f"{code(case, made)} on line {line(made)} is a float, for `/` always gives one, and positions are whole numbers. Divide with"
                    f" `//`: `{text}`.",
                    f"第 {line(made)} 行的 {code(case, made)} 是浮点数，因为 `/` 总是得到浮点数，而位置必须是整数。请用 `//` 相除：`{text}`。",
                    case.fix(case.replace(made, text), case.statement(made)),
                    made,
                )
            if isinstance(one, ast.Name):
                where, where_zh = place(case, one)
                text = f"int({one.id})"
                return finding(
                    case,
                    f"`{one.id}`{where} is the float `{case.value(one)}`, and positions are whole numbers. Convert it: `{text}`.",
                    f"`{one.id}`{where_zh} 是浮点数 `{case.value(one)}`，而位置必须是整数。请转换：`{text}`。",
                    case.fix(case.replace(one, text), node),
                    made,
                )
    return None


@finally_finds(python.INDEX, mistakes.SEQUENCE_INDEX, errors.MODULE_INDEX)
def _beyond(case: Case) -> Finding | None:
    """A number that a list, or a row of layers, has not."""
    node = case.find(ast.Subscript)
    if node is None:
        return None
    value, index = case.value(node.value), case.value(node.slice)
    if index is not None and not isinstance(index, int):
        number = constant(case, node.slice)
        index = number if isinstance(number, int) else None
    if isinstance(node.slice, ast.UnaryOp) and isinstance(node.slice.operand, ast.Constant):
        index = -int(node.slice.operand.value)  # type: ignore[arg-type]  # a number behind a sign
    try:
        size = len(value)  # type: ignore[arg-type]  # refused with TypeError
    except TypeError:
        return None
    if not isinstance(index, int):
        return None
    where, where_zh = place(case, node.value)
    what, what_zh = ("layers", "层") if isinstance(value, Layer) else ("elements", "个元素")
    last = f"{case.operand(node.value)}[-1]"
    if not size:
        return finding(
            case,
            f"{code(case, node.value)}{where} is empty, so it has no number {index}. Look why nothing was put into it before.",
            f"{code(case, node.value)}{where_zh} 是空的，所以没有编号 {index}。请检查为什么之前什么都没有放进去。",
            (),
            definition(case, node.value),
        )
    counter = definition(case, node.slice)
    if (
        isinstance(node.slice, ast.Name)
        and isinstance(counter, ast.Call)
        and getattr(counter.func, "id", "") == "range"
    ):
        text, owner = f"range(len({case.text(node.value)}))", code(case, node.value)
        return finding(
            case,
            f"{owner}{where} has {size} {what}, with the numbers 0 to {size - 1}, and `{node.slice.id}` is {index}: it comes from"
            f" {code(case, counter)} on line {line(counter)}, which goes further. Count to the same number, `{text}`, or put as many into {owner}.",
            f"{owner}{where_zh} 有 {size} {what_zh}，编号从 0 到 {size - 1}，而 `{node.slice.id}` 是 {index}：它来自第 {line(counter)} 行的"
            f" {code(case, counter)}，超出了范围。请数到同样的个数 `{text}`，或者在 {owner} 里放同样多的内容。",
            (),
            counter,
        )
    return finding(
        case,
        f"{code(case, node.value)}{where} has {size} {what}, with the numbers 0 to {size - 1}, and number {index} is asked for. The last"
        f" one is `{last}`.",
        f"{code(case, node.value)}{where_zh} 有 {size} {what_zh}，编号从 0 到 {size - 1}，而这里要的是第 {index} 号。最后一个是 `{last}`。",
        case.fix(case.replace(node, last), node) if index == size and isinstance(node.slice, ast.Constant) else (),
    )


@finds(errors.INDEX_COUNT)
def _squeezed(case: Case) -> Finding | None:
    """``x.squeeze()[:, 0]``: the dimension of the batch was of size 1, too."""
    node = case.find(ast.Subscript)
    if node is None:
        return None
    wanted = len(node.slice.elts) if isinstance(node.slice, ast.Tuple) else 1
    for one in Flow(case).behind(node.value):
        if (
            not isinstance(one, ast.Call)
            or not isinstance(one.func, ast.Attribute)
            or one.func.attr != "squeeze"
            or one.args
            or one.keywords
        ):
            continue
        before, after = Flow(case).tensor(one.func.value), Flow(case).tensor(one)
        if before is None or after is None or before.dim() < wanted:
            continue
        return finding(
            case,
            f"{code(case, one)} on line {line(one)} takes away every dimension of size 1, of {list(before.shape)} also the first, and leaves"
            f" {list(after.shape)}: too few for {wanted} indices. Leave `.squeeze()` out, or say which dimension it is to take.",
            f"第 {line(one)} 行的 {code(case, one)} 会去掉所有大小为 1 的维，{list(before.shape)} 的第一维也被去掉，只剩 {list(after.shape)}：不够用 {wanted} 个下标。请去掉"
            f" `.squeeze()`，或者写明要去掉哪一维。",
            case.fix(case.without_tail(one), case.statement(one)),
            one,
        )
    return None


@finds(errors.INDEX_COUNT, errors.DATA_INVALID)
def _key(case: Case) -> Finding | None:
    """``x["name"]`` of a tensor, as of a dictionary or a table."""
    node = case.find(ast.Subscript)
    if (
        node is None
        or not isinstance(case.value(node.slice), str)
        or not isinstance(held := Flow(case).tensor(node.value), Tensor)
    ):
        return None
    where, where_zh = place(case, node.value)
    return finding(
        case,
        f"{code(case, node.value)}{where} is a tensor of shape {list(held.shape)}, and its elements have numbers, no names such as"
        f" {code(case, node.slice)}. Give the number of the row or the column, such as `{case.operand(node.value)}[0]`, or keep the tensors in a"
        f" dictionary.",
        f"{code(case, node.value)}{where_zh} 是形状为 {list(held.shape)} 的张量，它的元素用编号来取，没有 {code(case, node.slice)} 这样的名字。请给出行或列的编号，例如"
        f" `{case.operand(node.value)}[0]`，或者把张量放进字典。",
        (),
        definition(case, node.value),
    )


def _padded_with(case: Case, given: ast.expr, made: ast.Call, rows: tuple[int, int]) -> Finding:
    """``-1`` for padding, where the table keeps another row for it."""
    low, kept = rows
    numbers = [
        one
        for one in case.nodes(ast.UnaryOp)
        if isinstance(one.op, ast.USub)
        and constant(case, one.operand) == -low
        and not isinstance(case.parents.get(one), ast.Call | ast.Subscript)
    ]
    source = numbers[-1] if numbers else definition(case, given)
    return finding(
        case,
        f"{code(case, given)} is filled up with {low} (line {line(source)}), which is no row of {code(case, made)} on line {line(made)}; the row that it"
        f" keeps for padding is {kept}. Pad with that: `{kept}`.",
        f"{code(case, given)} 用 {low} 填充（第 {line(source)} 行），而第 {line(made)} 行的 {code(case, made)} 没有这一行；它为填充保留的是第 {kept} 行。请用它来填充：`{kept}`。",
        case.fix(case.replace(numbers[0], str(kept)), case.statement(numbers[0])) if len(numbers) == 1 else (),
        source,
    )


def _padding_named(case: Case, low: int, rows: int) -> tuple[str, int, ast.UnaryOp] | None:
    """How the program writes the row of its padding, ``stoi["<pad>"]``, the row, and the one negative number that is put in its place."""
    numbers = [
        one
        for one in case.nodes(ast.UnaryOp)
        if isinstance(one.op, ast.USub)
        and constant(case, one.operand) == -low
        and isinstance(case.parents.get(one), ast.List | ast.Tuple)
    ]
    tables = [
        (f"{name}[{_quoted(case, key)}]", row)
        for name, held in case.values.items()
        if type(held) is dict
        for key, row in held.items()
        if isinstance(key, str) and "pad" in key.lower() and type(row) is int and 0 <= row < rows
    ]
    return (*tables[0], numbers[0]) if len(tables) == len(numbers) == 1 else None


def _quoted(case: Case, key: str) -> str:
    """A key as the program writes it."""
    return f"'{key}'" if f"'{key}'" in case.program.source else f'"{key}"'


def _padded_with_named(
    case: Case, given: ast.expr, made: ast.Call, low: int, named: tuple[str, int, ast.UnaryOp]
) -> Finding:
    """``-1`` for padding, where the vocabulary has a word for it."""
    text, row, number = named
    return finding(
        case,
        f"{code(case, given)} is filled up with {low} on line {line(number)}, and {code(case, made)} on line {line(made)} has no such row; the vocabulary has a"
        f" word for padding, with the row {row}. Pad with that: `{text}`.",
        f"{code(case, given)} 在第 {line(number)} 行用 {low} 填充，而第 {line(made)} 行的 {code(case, made)} 没有这一行；词表里有专门用于填充的词，编号是 {row}。请用它来填充：`{text}`。",
        case.fix(case.replace(number, text), number),
        number,
    )


@finds(errors.EMBEDDING_RANGE)
def _negative_row(case: Case) -> Finding | None:
    """``-1`` for a word that is not known."""
    call = case.find(ast.Call)
    layer = case.value(call.func) if call is not None else None
    given = Flow(case).tensor(call.args[0]) if call is not None and call.args else None
    if (
        call is None
        or given is None
        or given.dtype.is_floating_point
        or not given.numel()
        or not isinstance(layer, Layer)
    ):
        return None
    tables = [one for one in layer.modules() if type(one).__name__ == "Embedding"]
    made = maker_of(case, tables[0]) if tables else None
    low = int(given._a.min())
    if made is None or low >= 0:
        return None
    rows = int(tables[0].num_embeddings)
    negatives = [
        one
        for one in Flow(case).behind(call.args[0])
        for part in ast.walk(one)
        if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub) and constant(case, part.operand) == -low
    ]
    source = negatives[-1] if negatives else definition(case, call.args[0])
    if (kept := getattr(tables[0], "padding_idx", None)) is not None:
        return _padded_with(case, call.args[0], made, (low, int(kept)))
    if (named := _padding_named(case, low, rows)) is not None:
        return _padded_with_named(case, call.args[0], made, low, named)
    return finding(
        case,
        f"{code(case, call.args[0])} holds {low} (line {line(source)}), and the rows of {code(case, made)} on line {line(made)} are numbered 0"
        f" to {rows - 1}; no row is counted from the end. Give what is unknown or missing a row of its own: make the table with {rows + 1} rows"
        f" and use {rows} in the place of {low}.",
        f"{code(case, call.args[0])} 里有 {low}（第 {line(source)} 行），而第 {line(made)} 行的 {code(case, made)} 的行编号是 0 到 {rows - 1}，不能从末尾数。"
        f"请给未知或缺失的内容单独一行：创建 {rows + 1} 行的表，并用 {rows} 代替 {low}。",
        (),
        source,
    )
