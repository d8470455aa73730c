"""Errors of kind: a text, a list, a tensor or a number in the place of another; which one it is, and what to write."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, place, shape_at, size_source
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finally_finds, finds
from gradflow.engine.diagnosis.fixes.values import are_tensors
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor


def worth(case: Case, node: ast.expr) -> object:
    """What an expression gave; of a list that is written here at least that it is one."""
    value = case.value(node)
    return [] if value is UNKNOWN and isinstance(node, ast.List | ast.ListComp) else value


@finally_finds(python.TYPE, errors.INDEX_NOT_SCALAR, mistakes.OPERAND_TYPES, mistakes.CONCATENATION)
def _text_or_list(case: Case) -> Finding | None:
    """``cfg["lr"] * w.grad`` with a text, ``0.01 * [a, b]`` with a list."""
    node = case.find(ast.BinOp)
    parts = [node.left, node.right] if node is not None else []
    found = [
        (part, value)
        for part in parts
        if isinstance(value := worth(case, part), str | list | tuple) and not isinstance(value, Tensor)
    ]
    if len(found) != 1 or node is None:
        return None
    part, value = found[0]
    where, where_zh = place(case, part.value if isinstance(part, ast.Subscript) else part)
    other = parts[1 - parts.index(part)]
    if isinstance(value, str):
        text = f"float({case.text(part)})"
        return finding(
            case,
            f"{code(case, part)}{where} is the text `{value!r}`, not a number, and {code(case, other)} is to be computed with it. Convert it:"
            f" `{text}`.",
            f"{code(case, part)}{where_zh} 是字符串 `{value!r}` 而不是数，却要与 {code(case, other)} 一起计算。请转换：`{text}`。",
            write(case, part, text, node),
            definition(case, part.value) if isinstance(part, ast.Subscript) else definition(case, part),
        )
    inner = part if isinstance(part, ast.ListComp) else definition(case, part)
    tensors = are_tensors(value)
    summed = isinstance(inner, ast.ListComp) and not (tensors and value[0].dim() > 0)
    maker = "sum" if summed else "torch.stack" if tensors else "torch.tensor"
    text = f"{maker}({case.text(part)})"
    return finding(
        case,
        f"{code(case, part)}{where} is a `{type(value).__name__}`, and a list is not computed with element by element. "
        + (f"For the sum of its entries write `{text}`." if summed else f"Make a tensor of it: `{text}`."),
        f"{code(case, part)}{where_zh} 是 `{type(value).__name__}`，列表不会逐个元素计算。"
        + (f"要用各项之和请写 `{text}`。" if summed else f"请变成张量：`{text}`。"),
        write(case, part, text, node),
        part,
    )


@finally_finds(
    errors.INVALID_COMBINATION, errors.ARGUMENT_TYPE, errors.UNPACK, errors.KEYWORD_TYPE, errors.ELEMENT_TYPE
)
def _size(case: Case) -> Finding | None:
    """A size that is a tensor, a text or a fraction."""
    call = case.find(ast.Call)
    if call is None:
        return None
    name = called(call)
    given = [
        *call.args,
        *(one.value for one in call.keywords if one.arg in ("size", "steps", "kernel_size", "stride", "padding")),
    ]
    creates = name in _CREATORS or name.startswith(("Conv", "Linear", "MaxPool", "AvgPool", "Embedding"))
    for part in given if creates else ():
        value, tensor = worth(case, part), Flow(case).tensor(part)
        where, where_zh = place(case, part)
        if isinstance(tensor, Tensor) and not tensor.dtype.is_floating_point:
            text = f"*{case.operand(part)}.tolist()" if tensor.dim() else f"int({case.text(part)})"
            return finding(
                case,
                f"{code(case, part)}{where} is a tensor, and `{name}` takes its sizes as whole numbers of Python. Write `{case.text(call.func)}({text})`.",
                f"{code(case, part)}{where_zh} 是张量，而 `{name}` 的大小要用 Python 的整数给出。请写 `{case.text(call.func)}({text})`。",
                write(case, part, text, call),
                definition(case, part),
            )
        if isinstance(value, str) and value.strip().isdigit():
            return finding(
                case,
                f"{code(case, part)}{where} is a text, and `{name}` takes whole numbers there. Write `{int(value)}` without quotes.",
                f"{code(case, part)}{where_zh} 是字符串，而 `{name}` 在这里要的是整数。请去掉引号，写 `{int(value)}`。",
                write(case, part, str(int(value)), call)
                if isinstance(part, ast.Constant)
                else write(case, part, f"int({case.text(part)})", call),
                definition(case, part),
            )
        if isinstance(value, float) and name in ("linspace", "logspace") and part is given[-1]:
            return finding(
                case,
                f"`{name}` takes how many points there are, a whole number, and {code(case, part)} is the distance between them. For a distance use"
                f" `arange({', '.join(case.text(one) for one in call.args)})`.",
                f"`{name}` 的第三个参数是点的个数，要用整数，而 {code(case, part)} 是间距。要按间距请用"
                f" `arange({', '.join(case.text(one) for one in call.args)})`。",
                case.fix(case.rename_end(call.func, name, "arange"), call),
                part,
            )
        if isinstance(value, float) and name not in ("full", "arange", "linspace", "tensor"):
            made = definition(case, part)
            divided = isinstance(made, ast.BinOp) and isinstance(made.op, ast.Div)
            text = (
                f"{case.text(made.left)} // {case.text(made.right)}"
                if divided and isinstance(made, ast.BinOp)
                else str(int(value))
                if isinstance(part, ast.Constant) and value == int(value)
                else f"int({case.text(part)})"
            )
            return finding(
                case,
                f"{code(case, part)}{where} is the float `{value}`, and a size is a whole number. Write `{text}`.",
                f"{code(case, part)}{where_zh} 是浮点数 `{value}`，而大小必须是整数。请写 `{text}`。",
                write(case, made if divided else part, text, case.statement(made)),
                made,
            )
    return None


_CREATORS: Final = frozenset(
    {
        "randn",
        "rand",
        "zeros",
        "ones",
        "empty",
        "full",
        "randint",
        "linspace",
        "logspace",
        "eye",
        "view",
        "reshape",
        "expand",
        "repeat",
        "normal",
    }
)


@finds(errors.INVALID_COMBINATION)
def _bounds(case: Case) -> Finding | None:
    """``x.clip(a_min=0, a_max=1)``, as in NumPy."""
    call = case.find(ast.Call)
    words = {"a_min": "min", "a_max": "max", "clip_value_min": "min", "clip_value_max": "max"}
    given = [one for one in call.keywords if one.arg in words] if call is not None else []
    if not given or call is None:
        return None
    edits = [edit for one in given for edit in case.replace(one, f"{words[str(one.arg)]}={case.text(one.value)}")]
    listed = ", ".join(f"`{one.arg}`" for one in given)
    meant = ", ".join(f"`{words[str(one.arg)]}={case.text(one.value)}`" for one in given)
    return finding(
        case,
        f"{listed} are words of NumPy; {code(case, call.func)} of PyTorch calls them otherwise. Write {meant}.",
        f"{listed.replace(', ', '、')} 是 NumPy 的写法；PyTorch 的 {code(case, call.func)} 里叫法不同。请写 {meant.replace(', ', '、')}。",
        case.fix(edits, call),
        given[0].value,
    )


@finds(errors.TOO_MANY_ARGUMENTS)
def _several_dimensions(case: Case) -> Finding | None:
    """``x.mean(0, 1)`` for ``x.mean((0, 1))``."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute) or shape_at(case, call.func.value) is None:
        return None
    numbers = [
        one
        for one in call.args
        if isinstance(one, ast.Constant | ast.UnaryOp) and not isinstance(getattr(one, "value", 0), bool | str)
    ]
    if len(numbers) < 2 or numbers != call.args[: len(numbers)]:
        return None
    rest = [*(case.text(one) for one in call.args[len(numbers) :]), *(case.text(one) for one in call.keywords)]
    if len(rest) == 1 and rest[0] in ("True", "False"):
        rest = [f"keepdim={rest[0]}"]
    dimensions = f"({', '.join(case.text(one) for one in numbers)})"
    text = f"{case.text(call.func)}({', '.join([dimensions, *rest])})"
    return finding(
        case,
        f"`{call.func.attr}` takes the dimensions as its first argument, several of them in a tuple, and here each is an argument of its own."
        f" Write `{text}`.",
        f"`{call.func.attr}` 的第一个参数是维度，多个维度要写成元组，而这里每个维度各占一个参数。请写 `{text}`。",
        write(case, call, text),
    )


@finally_finds(errors.DERIVATIVE_CALL, errors.DERIVATIVE_TYPE)
def _tuples(case: Case) -> Finding | None:
    """``jvp(f, x, v)`` for ``jvp(f, (x,), (v,))``."""
    call = case.find(ast.Call)
    if call is None or "to be a tuple" not in str(case.details.get("message", "")):
        return None
    parts = [one for one in call.args[1:] if not isinstance(one, ast.Tuple)]
    if not parts:
        return None
    text = ", ".join(
        [
            case.text(call.args[0]),
            *(case.text(one) if isinstance(one, ast.Tuple) else f"({case.text(one)},)" for one in call.args[1:]),
        ]
    )
    return finding(
        case,
        f"{code(case, call.func)} takes the inputs of the function as a tuple, also where there is one, and {code(case, parts[0])} is none. Write"
        f" `{case.text(call.func)}({text})`.",
        f"{code(case, call.func)} 要求把函数的输入写成元组，即使只有一个也是如此，而 {code(case, parts[0])} 不是元组。请写 `{case.text(call.func)}({text})`。",
        case.fix([edit for one in parts for edit in case.wrapped(one, "(", ",)")], call),
    )


@finally_finds(python.TYPE, mistakes.NOT_SUBSCRIPTABLE, mistakes.NOT_ITERABLE, python.VALUE)
def _loader(case: Case) -> Finding | None:
    """``next(loader)``, ``loader[0]``."""
    call, subscript = case.find(ast.Call), case.find(ast.Subscript)
    given = (
        call.args[0]
        if call is not None and call.args and getattr(call.func, "id", "") == "next"
        else subscript.value
        if subscript is not None
        else None
    )
    value = case.value(given) if given is not None else None
    if (
        given is None
        or type(value).__name__ not in ("DataLoader", "list", "range", "zip", "dict")
        or (type(value).__name__ != "DataLoader" and call is None)
    ):
        return None
    name, kind = case.text(given), type(value).__name__
    text = f"next(iter({name}))"
    if subscript is not None:
        return finding(
            case,
            f"{code(case, given)} is a `{kind}`, which gives batches in a loop and has none by number. For the first batch write `{text}`; for"
            f" one sample `{name}.dataset[{case.text(subscript.slice)}]`.",
            f"{code(case, given)} 是 `{kind}`，它在循环里给出一批批数据，不能按编号取。要第一批请写 `{text}`；要单个样本请写"
            f" `{name}.dataset[{case.text(subscript.slice)}]`。",
            write(case, subscript, text),
        )
    return finding(
        case,
        f"{code(case, given)} is a `{kind}`, which can be gone through and is not yet under way; `next` needs what `iter` makes of it. Write `{text}`.",
        f"{code(case, given)} 是 `{kind}`，可以遍历，但还没有开始；`next` 需要由 `iter` 得到的迭代器。请写 `{text}`。",
        write(case, call, text) if call is not None else (),
    )


@finally_finds(mistakes.NOT_ITERABLE)
def _single(case: Case) -> Finding | None:
    """One number or tensor where several are gone through."""
    call, loop = case.find(ast.Call), case.find(ast.For)
    parts = (
        [loop.iter]
        if loop is not None
        else [*call.args, *(one.value for one in call.keywords)]
        if call is not None
        else []
    )
    for part in parts:
        value = worth(case, part)
        if not isinstance(value, int | float) or isinstance(value, bool):
            continue
        text = f"range({case.text(part)})" if loop is not None else f"[{case.text(part)}]"
        where, where_zh = place(case, part)
        what = (
            "a loop goes through several things"
            if loop is not None
            else f"{code(case, call.func) if call is not None else ''} goes through several"
        )
        what_zh = (
            "循环要逐个取出多个值"
            if loop is not None
            else f"{code(case, call.func) if call is not None else ''} 要逐个取出多个值"
        )
        return finding(
            case,
            f"{code(case, part)}{where} is one number, and {what}. Write `{text}`.",
            f"{code(case, part)}{where_zh} 只是一个数，而 {what_zh}。请写 `{text}`。",
            write(case, part, text, call),
            part,
        )
    return None


_DIVISIBLE: Final = re.compile(r"(\w+)(?: \((\d+)\))? (?:must be|is not) divisible by (\w+)(?: \((\d+)\))?")


@finally_finds(errors.MODULE_ARGUMENT, errors.MODULE_RUNTIME, errors.MODULE_ASSERTION, python.VALUE, errors.CONV_GROUPS)
def _divisible(case: Case) -> Finding | None:
    """Channels that cannot be divided among groups."""
    told = _DIVISIBLE.search(str(case.details.get("message", "")))
    call = case.find(ast.Call)
    if told is None or call is None or not told[2] or not told[4]:
        return None
    whole, parts = int(told[2]), int(told[4])
    fitting = [str(one) for one in range(1, whole + 1) if whole % one == 0][:8]
    return finding(
        case,
        f"{code(case, call)} divides its {whole} channels evenly, and {whole} is no multiple of {parts} (`{told[3]}`). Choose one that divides"
        f" {whole}: {', '.join(fitting)}.",
        f"{code(case, call)} 要把 {whole} 个通道平均分开，而 {whole} 不是 {parts}（`{told[3]}`）的倍数。请选择能整除 {whole} 的数：{'、'.join(fitting)}。",
        (),
    )


_EXPECTED: Final = (
    re.compile(r"[Ee]xpected (?P<wanted>\d+)\D+?(?:got|but got)\D+?(?P<got>\d+)"),
    re.compile(r"got (?P<got>\d+), expected (?P<wanted>\d+)"),
)


@finally_finds(errors.MODULE_RUNTIME, errors.MODULE_ARGUMENT, python.VALUE, errors.MODULE_ASSERTION)
def _one_number(case: Case) -> Finding | None:
    """Any message that says which number is expected and which was given: who decided the one that was given."""
    message, call = str(case.details.get("message", "")), case.find(ast.Call)
    told = next((found for pattern in _EXPECTED if (found := pattern.search(message))), None)
    if told is None or call is None:
        return None
    wanted, got = int(told["wanted"]), int(told["got"])
    for part in call.args:
        shape = shape_at(case, part)
        if shape is None or got not in shape:
            continue
        source = size_source(case, part, got)
        layer = case.value(call.func)
        owner = code(case, call.func) if isinstance(layer, Layer) else f"`{case.text(call.func)}`"
        if source is None:
            continue
        made, size = source
        text = (
            case.text(made).replace(case.text(size), str(wanted)) if case.text(made).count(case.text(size)) == 1 else ""
        )
        action = (
            f"Write `{text}`, or make {owner} for {got}"
            if text
            else f"Make it {wanted} there, or make {owner} for {got}"
        )
        action_zh = (
            f"请写 `{text}`，或者按 {got} 创建 {owner}" if text else f"请在那里改成 {wanted}，或者按 {got} 创建 {owner}"
        )
        return finding(
            case,
            f"{code(case, part)} has the shape {list(shape)}, and {owner} expects {wanted} where it has {got}; the {got} comes from"
            f" {code(case, made)} on line {line(made)}. {action}.",
            f"{code(case, part)} 的形状是 {list(shape)}，其中是 {got} 的地方 {owner} 要求 {wanted}；{got} 来自第 {line(made)} 行的 {code(case, made)}。"
            f"{action_zh}。",
            case.fix(case.replace(size, str(wanted)), made) if text else (),
            made,
        )
    return None
