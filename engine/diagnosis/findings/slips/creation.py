"""New tensors: bounds in the place of sizes, shapes beside sizes, numbers that are missing; labels counted from 1 as positions."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.words import code, finding, line, on_other_line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import python
from gradflow.engine.namespace.nn.module import Module as Layer

_BY_SIZE: Final = frozenset({"rand", "randn", "zeros", "ones", "empty"})


_WEIGHTED: Final = ("Linear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "Embedding")


def _of_torch(case: Case, call: ast.Call | None) -> bool:
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner))):
            return owner == case.module_alias("torch")
    return False


def _uniform(case: Case, call: ast.Call, low: ast.expr, high: ast.expr, size: ast.expr) -> str:
    sizes = size.elts if isinstance(size, ast.Tuple | ast.List) else [size]
    inner = ", ".join(case.text(one) for one in sizes)
    return f"{case.module_alias('torch') or 'torch'}.empty({inner}).uniform_({case.text(low)}, {case.text(high)})"


@finds(errors.UNPACK, errors.INVALID_COMBINATION, errors.NO_MODULE_ATTRIBUTE)
def _bounds_for_sizes(case: Case) -> Finding | None:
    """``torch.rand(-1, 1, (3, 3))``, ``torch.uniform(-1, 1, (3, 3))``: NumPy's ``uniform``."""
    found = case.find(ast.Call) or case.find(ast.Attribute)
    call = case.parents.get(found) if isinstance(found, ast.Attribute) else found
    if not isinstance(call, ast.Call) or not _of_torch(case, call) or called(call) not in ("rand", "uniform"):
        return None
    given = [*call.args, *(one.value for one in call.keywords if one.arg == "size")]
    if len(given) != 3 or not isinstance(
        definition(case, given[2]), ast.Tuple | ast.List | ast.Constant | ast.Attribute
    ):
        return None
    if called(call) == "rand" and not isinstance(given[2], ast.Tuple | ast.List):
        return None
    text = _uniform(case, call, given[0], given[1], given[2])
    en = (
        f"`{case.text(call.func)}` takes sizes alone and draws between 0 and 1"
        if called(call) == "rand"
        else f"There is no `{case.text(call.func)}`, as NumPy has it"
    )
    zh = (
        f"`{case.text(call.func)}` 只接受大小，取 0 到 1 之间的数"
        if called(call) == "rand"
        else f"没有 `{case.text(call.func)}`，那是 NumPy 的写法"
    )
    return finding(
        case,
        f"{en}. Numbers between {code(case, given[0])} and {code(case, given[1])} are drawn into a tensor that is there: `{text}`.",
        f"{zh}。{code(case, given[0])} 到 {code(case, given[1])} 之间的数要取到一个已有的张量里：`{text}`。",
        write(case, call, text, call),
        call,
    )


@finds(errors.INVALID_COMBINATION, errors.UNPACK)
def _shape_beside_sizes(case: Case) -> Finding | None:
    """``torch.randn(x.shape, 3)``."""
    call = case.find(ast.Call)
    if call is None or not _of_torch(case, call) or called(call) not in _BY_SIZE or len(call.args) < 2:
        return None
    parts, changed = [], 0
    for one in call.args:
        value = case.value(one)
        if isinstance(value, tuple) and not isinstance(one, ast.Starred):
            parts.append(f"*{case.text(one)}")
            changed += 1
        elif isinstance(value, int):
            parts.append(case.text(one))
        else:
            return None
    if not changed or isinstance(call.args[0], ast.Tuple):
        return None
    given = next(one for one in call.args if isinstance(case.value(one), tuple))
    text = f"{case.text(call.func)}({', '.join([*parts, *(case.text(one) for one in call.keywords)])})"
    return finding(
        case,
        f"{code(case, given)} holds several sizes together, and beside it stand single ones; `{case.text(call.func)}` takes either one tuple or single sizes."
        f" Take the tuple apart with a star: `{text}`.",
        f"{code(case, given)} 里是几个大小，旁边又有单个的大小；`{case.text(call.func)}` 要么接受一个元组，要么接受单个的大小。请用星号拆开元组：`{text}`。",
        write(case, call, text, call),
        given,
    )


@finds(errors.TOO_MANY_ARGUMENTS, errors.ARGUMENT_TYPE)
def _like_no_tensor(case: Case) -> Finding | None:
    """``torch.zeros_like(2, 3)``."""
    call = case.find(ast.Call)
    name = called(call) if call is not None else ""
    if call is None or not _of_torch(case, call) or not name.endswith("_like") or not call.args:
        return None
    if not all(type(case.value(one)) in (int, tuple) for one in call.args):
        return None
    short = name.removesuffix("_like")
    text = f"{case.text(call.func).removesuffix('_like')}({', '.join(case.text(one) for one in (*call.args, *call.keywords))})"
    return finding(
        case,
        f"`{case.text(call.func)}` takes a tensor and makes one of the same shape; here it is given sizes. For sizes there is `{short}`: `{text}`.",
        f"`{case.text(call.func)}` 接受一个张量，生成同样形状的张量；这里给的是大小。按大小创建用 `{short}`：`{text}`。",
        write(case, call, text, call),
        call,
    )


@finds(errors.INVALID_COMBINATION)
def _number_of_steps(case: Case) -> Finding | None:
    """``torch.linspace(0, 1)``, which NumPy makes of 50 numbers."""
    call = case.find(ast.Call)
    if call is None or not _of_torch(case, call) or called(call) not in ("linspace", "logspace") or len(call.args) != 2:
        return None
    if any(one.arg in ("steps", "num") for one in call.keywords):
        return None
    text = f"{case.text(call.func)}({', '.join(case.text(one) for one in call.args)}, steps=50)"
    return finding(
        case,
        f"`{case.text(call.func)}` has to be told how many numbers it makes, `steps`; only NumPy takes 50 by itself. Write `{text}`, or another number.",
        f"`{case.text(call.func)}` 需要知道生成多少个数，即 `steps`；只有 NumPy 会默认取 50 个。请写 `{text}`，或者其他个数。",
        write(case, call, text, call),
        call,
    )


@finds(errors.NOT_NDARRAY)
def _tensor_already(case: Case) -> Finding | None:
    """``torch.from_numpy(t)`` of a tensor."""
    call = case.find(ast.Call)
    if call is None or str(case.details.get("type", "")) != "Tensor" or len(call.args) != 1:
        return None
    given = call.args[0]
    made = definition(case, given)
    where, where_zh = on_other_line(made, call)
    return finding(
        case,
        f"{code(case, given)}{where} is a tensor already, and `{case.text(call.func)}` makes one of an array of NumPy. Use it as it is: `{case.text(given)}`.",
        f"{code(case, given)}{where_zh} 已经是张量，而 `{case.text(call.func)}` 是把 NumPy 的数组变成张量。请直接使用：`{case.text(given)}`。",
        write(case, call, case.text(given), case.statement(call)),
        made,
    )


# -- positions ---------------------------------------------------------------------------------------------------------


@finds(errors.GATHER_RANGE, errors.INDEX_RANGE)
def _labels_from_one(case: Case) -> Finding | None:
    """``logp[range(n), y]``, ``logp.gather(1, y.unsqueeze(1))`` of classes that are counted from 1."""
    node = case.find(ast.Subscript) or case.find(ast.Call)
    size, wrong = case.details.get("size"), case.details.get("index")
    if node is None or not isinstance(size, int) or wrong != size:
        return None
    parts = (
        node.slice.elts[1:]
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple)
        else node.args
        if isinstance(node, ast.Call)
        else []
    )
    flow = Flow(case)
    for part in parts:
        for one in ast.walk(part):
            if not isinstance(one, ast.Name | ast.Attribute) or (held := flow.tensor(one)) is None:
                continue
            if (
                held.dtype.is_floating_point
                or held.numel() < 2
                or int(held._a.min()) != 1
                or int(held._a.max()) != size
            ):
                continue
            made = definition(case, one)
            name = case.text(one)
            text = f"{name} - 1" if one is part else f"({name} - 1)"
            return finding(
                case,
                f"`{name}` (line {line(made)}) counts from 1 to {size}, and the {size} places of that dimension have the numbers 0 to {size - 1}. Count from 0:"
                f" `{name} - 1`.",
                f"`{name}`（第 {line(made)} 行）从 1 数到 {size}，而这一维的 {size} 个位置编号是 0 到 {size - 1}。请从 0 开始：`{name} - 1`。",
                write(case, one, text, node),
                made,
            )
    return None


# -- layers of every kind ----------------------------------------------------------------------------------------------


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _layers_without_weights(case: Case) -> Finding | None:
    """``net.apply(init)`` of a function that takes every layer for one with weights."""
    node = case.find(ast.Attribute)
    function = case.enclosing(node, ast.FunctionDef) if node is not None else None
    held = case.value(node.value) if node is not None else None
    if node is None or function is None or node.attr not in ("weight", "bias") or not isinstance(held, Layer):
        return None
    if case.enclosing(node, ast.If) is not None:
        return None  # the layers are told apart already
    applied = [
        one
        for one in case.nodes(ast.Call)
        if called(one) == "apply" and [case.text(each) for each in one.args] == [function.name]
    ]
    statement = case.statement(node)
    if not applied or statement is None or not function.args.args or case.text(node.value) != function.args.args[0].arg:
        return None
    nn = "nn" if "nn" in case.values else f"{case.module_alias('torch') or 'torch'}.nn"
    used = {called(one) for one in case.nodes(ast.Call)}
    kinds = [f"{nn}.{one}" for one in _WEIGHTED if one in used] or [f"{nn}.Linear"]
    listed = kinds[0] if len(kinds) == 1 else f"({', '.join(kinds)})"
    text = f"if isinstance({case.text(node.value)}, {listed}):"
    indent = case.line(line(statement))[: statement.col_offset]
    body = case.text(statement)
    one_line = "\n" not in body and function.body[-1] is statement
    return finding(
        case,
        f"`apply` on line {line(applied[0])} calls `{function.name}` for every layer inside, also for `{type(held).__name__}`, which has no `{node.attr}`. Do it"
        f" only for the layers that are meant: `{text}`.",
        f"第 {line(applied[0])} 行的 `apply` 会对里面的每一层调用 `{function.name}`，包括没有 `{node.attr}` 的 `{type(held).__name__}`。请只处理需要的层：`{text}`。",
        write(case, statement, f"{text}\n{indent}    {body}", None)
        if one_line and case.is_plain(line(statement))
        else (),
        statement,
    )


@finds(errors.SHAPE_BROADCAST)
def _places_first(case: Case) -> Finding | None:
    """``x + pe[:x.size(1)]`` of a table (steps, 1, features), for sequences with the batch first."""
    node = case.find(ast.BinOp)
    if node is None or not isinstance(node.op, ast.Add):
        return None
    for table, other in ((node.right, node.left), (node.left, node.right)):
        rows, x = shape_at(case, table), shape_at(case, other)
        if rows is None or x is None or len(rows) != 3 or len(x) != 3 or rows[1] != 1 or rows[2] != x[2]:
            continue
        if rows[0] != x[1] or x[0] in (1, rows[0]):
            continue
        text = f"{case.operand(table)}.transpose(0, 1)"
        return finding(
            case,
            f"{code(case, table)} has the shape {list(rows)}, one row for each step with the steps first, and {code(case, other)} {list(x)} has the batch first."
            f" Move the steps to the second place: `{text}`.",
            f"{code(case, table)} 的形状是 {list(rows)}，每一步一行，步在最前，而 {code(case, other)} {list(x)} 是批量在前。请把步移到第二维：`{text}`。",
            case.fix(case.followed(table, ".transpose(0, 1)"), node),
            table,
        )
    return None
