"""Calls of PyTorch's functions: lists for tensors, words of other libraries, weights that lie across, numbers that have"
" to agree."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, insertion
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, place, shape_at
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finally_finds, finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.tensor import Tensor

_WORDS: Final = {
    "low": "min",
    "high": "max",
    "lower": "min",
    "upper": "max",
    "minimum": "min",
    "maximum": "max",
}


@finds(errors.INVALID_COMBINATION)
def _words_of_others(case: Case) -> Finding | None:
    """``x.clamp(low=0, high=1)``."""
    call = case.find(ast.Call)
    wrong = (
        [one for one in call.keywords if one.arg in _WORDS and f"{one.arg}=" in str(case.details.get("given", ""))]
        if call is not None
        else []
    )
    if call is None or not wrong or "keywords were incorrect" not in str(case.details.get("expected", "")):
        return None
    edits = [edit for one in wrong for edit in case.replace(one, f"{_WORDS[str(one.arg)]}={case.text(one.value)}")]
    listed = ", ".join(f"`{one.arg}`" for one in wrong)
    right = ", ".join(f"`{_WORDS[str(one.arg)]}`" for one in wrong)
    return finding(
        case,
        f"{code(case, call.func)} has no argument called {listed}; in PyTorch it is {right}. Write {right}.",
        f"{code(case, call.func)} 没有名为 {listed.replace(', ', '、')} 的参数；PyTorch 里叫 {right.replace(', ', '、')}。请写"
        f" {right.replace(', ', '、')}。",
        case.fix(edits, call),
        wrong[0].value,
    )


@finally_finds(errors.INVALID_COMBINATION)
def _list_for_tensor(case: Case) -> Finding | None:
    """``torch.where([True, False], x, 0.)``."""
    call = case.find(ast.Call)
    if call is None or "Tensor" not in str(case.details.get("expected", "")):
        return None
    torch, imports = case.with_torch()
    lists = [one for one in call.args if isinstance(one, ast.List) or _is_list_of_numbers(case.value(one))]
    if len(lists) != 1 or any(Flow(case).tensor(each) is not None for each in getattr(lists[0], "elts", [])):
        return None
    given = lists[0]
    text = f"{torch}.tensor({case.text(given)})"
    where, where_zh = place(case, given)
    return finding(
        case,
        f"{code(case, given)}{where} is a list of Python, and {code(case, call.func)} takes a tensor there. Make one of it:"
        f" `{text}`.",
        f"{code(case, given)}{where_zh} 是 Python 的列表，而 {code(case, call.func)} 在这里要的是张量。请变成张量：`{text}`。",
        case.fix([*case.replace(given, text), *imports], call),
        given,
    )


def _is_list_of_numbers(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, int | float) for each in value)


@finds(errors.UNEXPECTED_KEYWORD)
def _old_constructor(case: Case) -> Finding | None:
    """``torch.Tensor([1, 2], dtype=torch.long)``."""
    call = case.find(ast.Call)
    if (
        call is None
        or not isinstance(call.func, ast.Attribute)
        or call.func.attr not in ("Tensor", "FloatTensor", "LongTensor")
        or case.text(call.func.value) != case.module_alias("torch")
    ):
        return None
    word = str(case.details.get("keyword"))
    if word not in ("dtype", "requires_grad", "device"):
        return None
    owner = case.text(call.func.value)
    return finding(
        case,
        f"`{case.text(call.func)}` is the class, which always makes tensors of one kind and knows no `{word}`. The function that"
        f" takes it is `{owner}.tensor`, in small letters.",
        f"`{case.text(call.func)}` 是类，它总是创建同一种类型的张量，没有 `{word}`。接受它的是小写的函数 `{owner}.tensor`。",
        case.fix(case.rename_end(call.func, call.func.attr, "tensor"), call),
        call.func,
    )


@finds(errors.MM_SHAPE, errors.CONV_CHANNELS)
def _weight_across(case: Case) -> Finding | None:
    """``F.linear(x, w)`` of a weight with the inputs first, ``F.conv2d(x, k)`` of one with the channels the other way"
    " round."""
    call = case.find(ast.Call)
    name = called(call) if call is not None else ""
    if call is None or name not in ("linear", "conv1d", "conv2d", "conv3d") or len(call.args) < 2:
        return None
    x, w = shape_at(case, call.args[0]), shape_at(case, call.args[1])
    if x is None or w is None or len(w) < 2:
        return None
    own = x[-1] if name == "linear" else x[-(len(w) - 1)] if len(x) >= len(w) - 1 else 0
    if w[0] != own or w[1] == own:
        return None
    made = definition(case, call.args[1])
    text = f"{case.operand(call.args[1])}.t()" if name == "linear" else f"{case.operand(call.args[1])}.transpose(0, 1)"
    where = f" (line {line(made)})" if line(made) != line(call) else ""
    where_zh = f"（第 {line(made)} 行）" if where else ""
    order = "(outputs, inputs)" if name == "linear" else "(channels out, channels in, ...)"
    order_zh = "（输出，输入）" if name == "linear" else "（输出通道，输入通道，...）"
    return finding(
        case,
        f"The weight {code(case, call.args[1])}{where} has the shape {list(w)}, and `{name}` takes it as {order}: the {own} of"
        f" {code(case, call.args[0])} have to stand second. Turn it: `{text}`, or make it so.",
        f"权重 {code(case, call.args[1])}{where_zh} 的形状是 {list(w)}，而 `{name}` 把它看作{order_zh}：{code(case, call.args[0])}"
        f" 的 {own} 应在第二位。请交换：`{text}`，或者一开始就这样创建。",
        case.fix(case.followed(call.args[1], text.removeprefix(case.text(call.args[1]))), call),
        made,
    )


@finds(errors.INDEX_SOURCE)
def _one_row_for_each(case: Case) -> Finding | None:
    """``out.index_add_(0, idx, src)`` of more rows than indices."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 3:
        return None
    dim, index, source = case.value(call.args[0]), shape_at(case, call.args[1]), shape_at(case, call.args[2])
    if (
        not isinstance(dim, int)
        or index is None
        or source is None
        or len(index) != 1
        or not -len(source) <= dim < len(source)
        or index[0] == source[dim]
    ):
        return None
    a, b = definition(case, call.args[1]), definition(case, call.args[2])
    return finding(
        case,
        f"`{called(call)}` takes one slice of the source for each index: {code(case, call.args[1])} (line {line(a)}) has"
        f" {index[0]} indices, and {code(case, call.args[2])} (line {line(b)}, shape"
        f" {list(source)}) {source[dim]} slices along dimension {dim}. Give as many of the one as of the other.",
        f"`{called(call)}` 的每个下标对应来源的一个切片：{code(case, call.args[1])}（第 {line(a)} 行）有 {index[0]} 个下标，而"
        f" {code(case, call.args[2])}（第 {line(b)} 行，形状 {list(source)}）沿第 {dim} 维有"
        f" {source[dim]} 个切片。请让两者个数相同。",
        (),
        a,
    )


@finds(errors.CAT_DIMENSIONS)
def _entries(case: Case) -> Finding | None:
    """``torch.cat(rows)`` of a list in which one entry lacks a dimension."""
    call = case.find(ast.Call)
    given = call.args[0] if call is not None and call.args else None
    held = case.value(given) if given is not None else None
    if (
        call is None
        or not isinstance(given, ast.Name)
        or not isinstance(held, list | tuple)
        or not all(isinstance(one, Tensor) for one in held)
    ):
        return None
    shapes = [list(one.shape) for one in held]
    other = next((at for at, one in enumerate(shapes) if len(one) != len(shapes[0])), None)
    if other is None:
        return None
    made = definition(case, given)
    part = made.elts[other] if isinstance(made, ast.List | ast.Tuple) and other < len(made.elts) else None
    fewer = len(shapes[other]) < len(shapes[0])
    which = other if fewer else 0
    text = f"{case.operand(part)}.unsqueeze(0)" if part is not None and fewer else ".unsqueeze(0)"
    where = f" (line {line(made)})" if line(made) != line(call) else ""
    where_zh = f"（第 {line(made)} 行）" if where else ""
    return finding(
        case,
        f"The entries of `{given.id}`{where} have different numbers of dimensions: entry 0 has the shape {shapes[0]}, entry"
        f" {other} {shapes[other]}. Give entry {which} the dimension that it lacks where it is"
        f" made: `{text}`.",
        f"`{given.id}`{where_zh} 各项的维数不同：第 0 项的形状是 {shapes[0]}，第 {other} 项是 {shapes[other]}。请在创建第 {which}"
        f" 项的地方补上缺少的一维：`{text}`。",
        case.fix(case.followed(part, ".unsqueeze(0)"), part) if part is not None and fewer else (),
        part if part is not None else made,
    )


@finds(errors.GROUP_CHANNELS, errors.CUT_REFUSED)
def _layer_inside(case: Case) -> Finding | None:
    """A layer inside of a row that was made for another number of channels, or cannot unfold as many."""
    groups, shape = case.details.get("groups"), case.details.get("shape")
    told = re.search(
        r"sizes (\[[\d, -]+\]) don't multiply up to the size of dim (\d+) \((\d+)\)",
        str(case.details.get("message", "")),
    )
    if told is not None:
        made = next((one for one in case.nodes(ast.Call) if called(one) in ("Unflatten", "unflatten")), None)
        if made is None:
            return None
        return finding(
            case,
            f"{code(case, made)} on line {line(made)} unfolds dimension {told[2]} into {told[1]}, whose product must be the {told[3]}"
            " numbers that are there. Make the layer before it for that product, or choose sizes"
            f" that multiply to {told[3]}.",
            f"第 {line(made)} 行的 {code(case, made)} 把第 {told[2]} 维展开成 {told[1]}，它们的乘积必须等于那里的 {told[3]} 个数。"
            f"请让前一层给出这个乘积，或者选择乘积为 {told[3]} 的大小。",
            (),
            made,
        )
    if not isinstance(groups, int) or not isinstance(shape, list | tuple) or len(shape) < 2:
        return None
    calls = [one for one in case.nodes(ast.Call) if called(one) == "GroupNorm"]
    made = calls[0] if len(calls) == 1 else None
    if made is None:
        return None
    channels = int(shape[1])
    fitting = [one for one in range(1, channels + 1) if channels % one == 0]
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} divides its channels into {groups} groups, and what reaches it has {channels}"
        f" channels (shape {list(shape)}), no multiple of {groups}. Make it with {channels}"
        f" channels and a number of groups that divides them: {', '.join(map(str, fitting[:8]))}.",
        f"第 {line(made)} 行的 {code(case, made)} 把通道分成 {groups} 组，而到达它的有 {channels} 个通道（形状 {list(shape)}），"
        f"不是 {groups} 的倍数。请按 {channels} 个通道创建，组数取能整除它的数："
        f"{'、'.join(map(str, fitting[:8]))}。",
        (),
        made,
    )


@finds(mistakes.NEEDS_SELF)
def _parameters_beside(case: Case) -> Finding | None:
    """``net(params, x)``: a module uses its own parameters."""
    call = case.find(ast.Call)
    model = case.value(call.func) if call is not None else None
    if call is None or len(call.args) < 2 or not isinstance(model, Layer):
        return None
    first = case.value(call.args[0])
    if not isinstance(first, dict) or not first or not all(isinstance(one, Tensor) for one in first.values()):
        return None
    rest = ", ".join(case.text(one) for one in call.args[1:])
    inside = f"({rest},)" if len(call.args) == 2 else f"({rest})"
    text = f"torch.func.functional_call({case.text(call.func)}, {case.text(call.args[0])}, {inside})"
    torch, imports = case.with_torch()
    text = text.replace("torch.", f"{torch}.", 1)
    return finding(
        case,
        f"{code(case, call.func)} computes with its own parameters and takes its input alone; {code(case, call.args[0])} holds"
        f" other values for them. To compute with those write `{text}`.",
        f"{code(case, call.func)} 用自己的参数计算，只接受输入；{code(case, call.args[0])} 里是这些参数的另一些值。"
        f"要用它们来计算请写 `{text}`。",
        case.fix([*case.replace(call, text), *imports], call),
        call,
    )


@finds(python.TYPE)
def _closure_gives_nothing(case: Case) -> Finding | None:
    """``opt.step(closure)`` of a closure without ``return loss``."""
    call = case.find(ast.Call)
    if (
        call is None
        or called(call) != "step"
        or not call.args
        or "NoneType" not in str(case.details.get("message", ""))
    ):
        return None
    if not isinstance(case.value(getattr(call.func, "value", None)), Optimizer):
        return None
    given = call.args[0]
    functions = [one for one in case.nodes(ast.FunctionDef) if isinstance(given, ast.Name) and one.name == given.id]
    if not functions or any(isinstance(one, ast.Return) and one.value is not None for one in ast.walk(functions[-1])):
        return None
    function = functions[-1]
    passes = [
        one
        for one in ast.walk(function)
        if isinstance(one, ast.Call) and called(one) == "backward" and isinstance(one.func, ast.Attribute)
    ]
    loss = case.text(passes[-1].func.value) if passes and isinstance(passes[-1].func, ast.Attribute) else "loss"
    last = function.body[-1]
    span = case.program.span_of(last)
    edits = (
        [insertion(span.end_line, span.end_column, f"\n{' ' * span.column}return {loss}")] if span is not None else []
    )
    return finding(
        case,
        f"`{function.name}` (line {line(function)}) ends without a `return`, and {code(case, call.func)} needs the loss that it"
        f" computes. Give it back at its end: `return {loss}`.",
        f"`{function.name}`（第 {line(function)} 行）结束时没有 `return`，而 {code(case, call.func)} 需要它算出的损失。"
        f"请在末尾返回：`return {loss}`。",
        apply(case, edits, f"`return {loss}`", f"`return {loss}`") or (),
        last,
    )


@finds(errors.INTEGER_REQUIRES_GRAD)
def _positions_without_gradient(case: Case) -> Finding | None:
    """``ids = torch.tensor([1, 2], requires_grad=True)`` of what chooses rows."""
    call = case.find(ast.Call)
    flag = next((one for one in call.keywords if one.arg == "requires_grad"), None) if call is not None else None
    statement = case.statement(call) if call is not None else None
    if (
        call is None
        or flag is None
        or not isinstance(statement, ast.Assign)
        or not isinstance(statement.targets[0], ast.Name)
    ):
        return None
    name = statement.targets[0].id
    for one in case.nodes(ast.Call):
        layer = case.value(one.func)
        takes = type(layer).__name__ in ("Embedding", "EmbeddingBag") or called(one) in (
            "embedding",
            "gather",
            "index_select",
            "one_hot",
        )
        if not takes or not any(
            isinstance(part, ast.Name) and part.id == name for each in one.args for part in ast.walk(each)
        ):
            continue
        return finding(
            case,
            f"`{name}` holds positions, which {code(case, one)} on line {line(one)} looks up: whole numbers have no gradient and need"
            " none, for the gradient goes to the rows that are chosen. Leave"
            f" `requires_grad=True` out.",
            f"`{name}` 里是位置，第 {line(one)} 行的 {code(case, one)} 用它来查找：整数没有梯度，也不需要，梯度会传给被选中的行。"
            "请去掉 `requires_grad=True`。",
            case.fix(case.without_argument(call, flag), call),
            flag.value,
        )
    return None
