"""What functions of the program give back to PyTorch, and states and pairs that cells and layers take."""

from __future__ import annotations

import ast
import math
import re

import numpy as np

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.language import mistakes
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor


@finds(mistakes.NONE_OPERAND)
def _factor_missing(case: Case) -> Finding | None:
    """``LambdaLR(opt, warm)`` of a function that returns a factor in some epochs only."""
    call = case.find(ast.Call)
    if call is None or called(call) not in ("step", "LambdaLR", "MultiplicativeLR"):
        return None
    for made in (one for one in case.nodes(ast.Call) if called(one) in ("LambdaLR", "MultiplicativeLR")):
        given = [*made.args[1:], *(word.value for word in made.keywords)]
        for function in case.nodes(ast.FunctionDef):
            if not any(isinstance(one, ast.Name) and one.id == function.name for one in given):
                continue
            results, last = returned(function), function.body[-1]
            if isinstance(last, ast.Return):
                continue
            some = f" only on line {line(results[0])}, under a condition" if results else " nothing"
            some_zh = f"只在第 {line(results[0])} 行、满足条件时返回" if results else "什么也不返回"
            return finding(
                case,
                f"`{function.name}` (line {line(function)}) is asked for the factor of the learning rate in every epoch and returns{some};"
                " otherwise it"
                f" gives `None`. Return a factor in every case: `return 1.0` at its end.",
                f"`{function.name}`（第 {line(function)} 行）每一轮都要给出学习率的系数，而它{some_zh}；其他情况得到的是 `None`。"
                "请在每种情况下都返回系数：在末尾写"
                f" `return 1.0`。",
                (),
                last,
            )
    return None


@finds(errors.MODULE_TYPE)
def _pair_of_states(case: Case) -> Finding | None:
    """``cell(x, h)`` of an LSTM cell, whose state is a pair."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2 or type(case.value(call.func)).__name__ != "LSTMCell":
        return None
    state = call.args[1]
    if shape_at(case, state) is None or isinstance(state, ast.Tuple):
        return None
    name = case.text(state)
    statement = case.statement(call)
    text = f"({name}, c)"
    return finding(
        case,
        f"{code(case, state)} is one tensor, and the state of an `LSTMCell` is a pair, the hidden state and the cell state, which"
        " it takes and gives. Begin"
        f" with both, `c = torch.zeros_like({name})`, and write `{name}, c = {case.text(call.func)}({case.text(call.args[0])},"
        f" {text})`.",
        f"{code(case, state)} 是一个张量，而 `LSTMCell` 的状态是一对：隐藏状态和细胞状态，传入和返回的都是这一对。请先准备两者 `c"
        f" = torch.zeros_like({name})`，再写"
        f" `{name}, c = {case.text(call.func)}({case.text(call.args[0])}, {text})`。",
        (),
        statement or call,
    )


@finds(errors.MM_SHAPE)
def _keys_of_other_width(case: Case) -> Finding | None:
    """``attention(q, ctx, ctx)`` of a context with another number of features."""
    call = case.find(ast.Call)
    layer = case.value(call.func) if call is not None else None
    if (
        call is None
        or len(call.args) < 3
        or type(layer).__name__ != "MultiheadAttention"
        or not isinstance(layer, Layer)
    ):
        return None
    made = maker_of(case, layer)
    sizes = [("key", int(layer.kdim)), ("value", int(layer.vdim))]
    for (what, wanted), given in zip(sizes, call.args[1:3], strict=True):
        shape = shape_at(case, given)
        if shape is None or shape[-1] == wanted or made is None:
            continue
        text = f"kdim={shape[-1]}, vdim={(shape_at(case, call.args[2]) or shape)[-1]}"
        return finding(
            case,
            f"{code(case, given)}, the {what}, has {shape[-1]} features (shape {list(shape)}), and {code(case, made)} on line"
            f" {line(made)} takes {wanted}, as many as"
            f" `embed_dim`. Say how many they have: `{text}`.",
            f"作为 {what} 的 {code(case, given)} 有 {shape[-1]} 个特征（形状 {list(shape)}），而第 {line(made)} 行的"
            f" {code(case, made)} 要 {wanted} 个，与 `embed_dim` 相同。请说明它们有"
            f"多少个：`{text}`。",
            case.fix(case.argument(made, text), made),
            made,
        )
    return None


@finds(errors.SHAPE_BROADCAST)
def _gradient_of_sum(case: Case) -> Finding | None:
    """``return torch.ones_like(x) * g`` in the ``backward`` of a sum over one dimension."""
    node = case.find(ast.BinOp)
    method = case.enclosing(node, ast.FunctionDef) if node is not None else None
    owner = case.parents.get(method) if method is not None else None
    if (
        node is None
        or method is None
        or method.name != "backward"
        or not isinstance(owner, ast.ClassDef)
        or len(method.args.args) < 2
    ):
        return None
    grad = method.args.args[1].arg
    forward = Flow(case).methods(owner.name).get("forward")
    results = returned(forward) if forward is not None else []
    sides = [one for one in (node.left, node.right) if isinstance(one, ast.Name) and one.id == grad]
    match results[-1:]:
        case [ast.Call(func=ast.Attribute(attr="sum" | "mean" | "amax" | "prod"), args=[dim, *_]) as made]:
            pass
        case _:
            return None
    own, number = shape_at(case, sides[0]) if sides else None, case.value(dim)
    if not sides or own is None or not isinstance(number, int):
        return None
    text = f"{grad}.unsqueeze({case.text(dim)})"
    return finding(
        case,
        f"`{grad}` has the shape of what `forward` gave, {list(own)}: {code(case, made)} on line {line(made)} took dimension"
        f" {number} away. Put it back before it is multiplied: `{text}`.",
        f"`{grad}` 的形状与 `forward` 的结果相同，即 {list(own)}：第 {line(made)} 行的 {code(case, made)} 去掉了第 {number} 维。"
        f"相乘之前请把它补回来：`{text}`。",
        write(case, sides[0], text, node),
        sides[0],
    )


@finds(mistakes.GENERATOR_END)
def _loader_at_end(case: Case) -> Finding | None:
    """``next(it)`` of an iterator over a loader that has given all its batches."""
    call = case.find(ast.Call)
    given = call.args[0] if call is not None and call.args else None
    made = definition(case, given) if given is not None else None
    loop = case.enclosing(call, ast.For) if call is not None else None
    if (
        call is None
        or given is None
        or not isinstance(made, ast.Call)
        or called(made) != "iter"
        or not made.args
        or made is given
    ):
        return None
    source = made.args[0]
    loader = case.value(source)
    size = getattr(loader, "__len__", None)
    count = f" of {int(size())} batches" if size is not None and type(loader).__name__ == "DataLoader" else ""
    count_zh = f"（共 {int(size())} 批）" if count and size is not None else ""
    again = f"{case.text(given)} = iter({case.text(source)})"
    turns = f" in the loop on line {line(loop)}" if loop is not None else ""
    turns_zh = f"在第 {line(loop)} 行的循环里" if loop is not None else ""
    return finding(
        case,
        f"`{case.text(given)}` (line {line(made)}) has given all that {code(case, source)} has{count}, and `next`{turns} asks for"
        " one more. Go through the loader itself, `for ... in"
        f" {case.text(source)}`, or begin again when it is through: `{again}`.",
        f"`{case.text(given)}`（第 {line(made)} 行）已经给完了 {code(case, source)} 的全部内容{count_zh}，而{turns_zh} `next`"
        f" 还要再取一个。请直接遍历加载器 `for ... in {case.text(source)}`，或者在取完后"
        f"重新开始：`{again}`。",
        (),
        made,
    )


@finds(errors.INDEX_RANGE)
def _drawn_from_more(case: Case) -> Finding | None:
    """``X[perm[:5]]`` of ``torch.randperm(100)`` for ten rows."""
    node = case.find(ast.Subscript)
    shape = shape_at(case, node.value) if node is not None else None
    if node is None or not shape or isinstance(node.slice, ast.Tuple):
        return None
    for one in Flow(case).behind(node.slice):
        if not isinstance(one, ast.Call) or called(one) not in ("randperm", "randint", "arange") or not one.args:
            continue
        last = (
            one.args[-2]
            if called(one) == "randint" and len(one.args) > 1
            else one.args[0 if len(one.args) == 1 else -1]
        )
        bound = case.value(last)
        if not isinstance(bound, int) or bound <= shape[0]:
            continue
        text = f"len({case.text(node.value)})"
        return finding(
            case,
            f"{code(case, one)} on line {line(one)} gives numbers up to {bound - 1}, and {code(case, node.value)} has {shape[0]} rows"
            f" (shape {list(shape)}), numbered from 0 to {shape[0] - 1}. Draw"
            f" from as many as there are: `{text}`.",
            f"第 {line(one)} 行的 {code(case, one)} 给出的编号最大到 {bound - 1}，而 {code(case, node.value)} 只有 {shape[0]} 行（形状"
            f" {list(shape)}），编号从 0 到 {shape[0] - 1}。请按实际的行数抽取："
            f"`{text}`。",
            write(case, last, text, one) if isinstance(node.value, ast.Name) else (),
            one,
        )
    return None


@finds(errors.SHAPE_BROADCAST, errors.MISSING_PYTHON_ARGUMENT)
def _difference_for_loss(case: Case) -> Finding | None:
    """``criterion(net(x) - y)``: a loss takes the two and compares them itself."""
    node = case.find(ast.AST)
    call = node if isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.args[0], ast.BinOp) else None
    if call is None and isinstance(node, ast.BinOp):
        outer = case.parents.get(node)
        call = outer if isinstance(outer, ast.Call) and outer.args == [node] else None
    if call is None or not isinstance(call.args[0], ast.BinOp) or not isinstance(call.args[0].op, ast.Sub):
        return None
    held = case.value(call.func)
    if not type(held).__module__.startswith(Layer.__module__.rpartition(".nn")[0]) or not type(held).__name__.endswith(
        "Loss"
    ):
        return None
    difference = call.args[0]
    inside = f"{case.text(difference.left)}, {case.text(difference.right)}"
    return finding(
        case,
        f"{code(case, call.func)} takes the output and the target and compares them itself; here it is given their difference."
        f" Write `{case.text(call.func)}({inside})`.",
        f"{code(case, call.func)} 要分别给出输出和目标，由它自己比较，而这里给的是两者之差。请写"
        f" `{case.text(call.func)}({inside})`。",
        case.fix(case.replace(difference, inside), call),
        difference,
    )


@finds(errors.INPLACE_BROADCAST)
def _collected(case: Case) -> Finding | None:
    """``total += batch`` of a whole batch, into one row."""
    statement = case.find(ast.AugAssign)
    if statement is None:
        node = case.find(ast.AST)
        outer = case.statement(node) if node is not None else None
        statement = outer if isinstance(outer, ast.AugAssign) else None
    if statement is None or not isinstance(statement.op, ast.Add | ast.Sub):
        return None
    own, more = shape_at(case, statement.target), shape_at(case, statement.value)
    if own is None or more is None or len(more) != len(own) + 1 or more[1:] != own:
        return None
    text = f"{case.operand(statement.value)}.sum(0)"
    simple = isinstance(statement.value, ast.Name | ast.Call | ast.Attribute | ast.Subscript)
    whole = f"{case.text(statement.target)} = {case.text(statement.target)} {'+' if isinstance(statement.op, ast.Add) else '-'} {case.text(statement.value)}"
    return finding(
        case,
        f"{code(case, statement.target)} has the shape {list(own)}, and {code(case, statement.value)} has {more[0]} rows of that"
        f" (shape {list(more)}), which do not fit into one. To collect their"
        f" sum write `{text}`; to add it to every row make a new tensor: `{whole}`.",
        f"{code(case, statement.target)} 的形状是 {list(own)}，而 {code(case, statement.value)} 有 {more[0]} 行这样的数（形状"
        f" {list(more)}），放不进一行里。要累加它们的和请写 `{text}`；要加到每一行上，请创建新的"
        f"张量：`{whole}`。",
        [
            case.fix(case.followed(statement.value, ".sum(0)"), statement) if simple else None,
            write(case, statement, whole),
        ],
        statement.value,
    )


@finds(errors.REPEAT_REFUSED)
def _times_for_each(case: Case) -> Finding | None:
    """``x.repeat(2, 2)`` of three dimensions."""
    call = case.find(ast.Call)
    owner = call.func.value if call is not None and isinstance(call.func, ast.Attribute) else None
    shape = shape_at(case, owner) if owner is not None else None
    if call is None or owner is None or shape is None or not call.args or called(call) != "repeat":
        return None
    given = call.args[0].elts if isinstance(call.args[0], ast.Tuple | ast.List) else call.args
    if len(given) >= len(shape):
        return None
    texts = [case.text(one) for one in given]
    text = f"{case.operand(owner)}.repeat({', '.join(['1'] * (len(shape) - len(texts)) + texts)})"
    return finding(
        case,
        f"{code(case, owner)} has {len(shape)} dimensions (shape {list(shape)}), and `repeat` is given {len(given)} counts; it"
        " takes one for each, 1 for a dimension that stays. For the last"
        f" {len(given)} that is `{text}`.",
        f"{code(case, owner)} 有 {len(shape)} 维（形状 {list(shape)}），而 `repeat` 只给了 {len(given)} 个次数；每一维都要给一个，"
        f"不变的维写 1。如果指的是最后 {len(given)} 维，就是 `{text}`。",
        write(case, call, text) if not isinstance(call.args[0], ast.Tuple | ast.List) else (),
        call,
    )


@finds(errors.DEVICE_STRING)
def _kind_as_text(case: Case) -> Finding | None:
    """``x.to("float16")``: a text names a device."""
    told = re.search(r"'([a-z]+\d*)\w*'", str(case.details.get("message", "")) or f"'{case.details.get('device', '')}'")
    call = case.find(ast.Call)
    word = told[1] if told is not None else ""
    if call is None or not re.fullmatch(r"(b?float|int|half|double|long|bool|complex|uint)\d*", word) or not call.args:
        return None
    torch, imports = case.with_torch()
    text = f"{torch}.{word}"
    return finding(
        case,
        f'A text in `{case.text(call.func)}` is the name of a device, such as `"cpu"`, and {code(case, call.args[0])} is meant for a kind of number.'
        f" Those stand in `{torch}`, without quotation marks: `{text}`.",
        f'`{case.text(call.func)}` 里的字符串表示设备，例如 `"cpu"`，而 {code(case, call.args[0])} 指的是数的类型。类型写在 `{torch}` 里，不带引号：`{text}`。',
        [apply(case, [*case.replace(call.args[0], text), *imports], f"`{text}`", f"`{text}`")],
        call.args[0],
    )


@finds(errors.NUMPY_ELEMENTS)
def _texts_in_array(case: Case) -> Finding | None:
    """``torch.from_numpy(np.array(["a", "b"]))``."""
    call = case.find(ast.Call)
    given = call.args[0] if call is not None and call.args else None
    if (
        call is None
        or given is None
        or "str_" not in str(case.details)
        or "np" not in case.values
        or isinstance(Flow(case).tensor(given), Tensor)
    ):
        return None
    made = definition(case, given)
    text = f"np.unique({case.text(given)}, return_inverse=True)[1]"
    if _are_numbers(case.value(given)):
        return _read_as_texts(case, call, given, made)
    where = f" (line {line(made)})" if line(made) != line(call) else ""
    where_zh = f"（第 {line(made)} 行）" if where else ""
    return finding(
        case,
        f"{code(case, given)}{where} holds texts, and a tensor holds numbers. For classes take their numbers: `{text}`; for"
        " numbers that were read as texts `.astype(float)`.",
        f"{code(case, given)}{where_zh} 里是字符串，而张量只能装数。类别请用编号：`{text}`；如果是被读成字符串的数，请用"
        " `.astype(float)`。",
        write(case, given, text, call),
        given,
    )


def _are_numbers(held: object) -> bool:
    """Whether each text of an array can be read as a number."""
    try:
        return all(math.isfinite(float(one)) for one in np.ravel(np.asarray(held)).tolist())
    except (TypeError, ValueError):
        return False


def _read_as_texts(case: Case, call: ast.Call, given: ast.expr, made: ast.expr) -> Finding:
    """Numbers among which one stood in quotation marks, or that were read from a file."""
    where = f" (line {line(made)})" if line(made) != line(call) else ""
    where_zh = f"（第 {line(made)} 行）" if where else ""
    text = f"{case.operand(given)}.astype(np.float32)"
    return finding(
        case,
        f"{code(case, given)}{where} holds texts that look like numbers: an array has one kind of element, and one text among the numbers makes texts of"
        f" all. Make numbers of them: `{text}`.",
        f"{code(case, given)}{where_zh} 里是看起来像数的字符串：数组只有一种元素，数里混进一个字符串，就全都变成字符串。请转换成数：`{text}`。",
        write(case, given, text, call),
        made,
    )
