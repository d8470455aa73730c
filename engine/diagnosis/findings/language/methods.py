"""Operators: a method without its brackets, a pair, `^` for a power."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.tensor import Tensor, dtypes

_COUNTS: Final = {"size": "numel()"}
"""Attributes of NumPy's arrays that are methods of a tensor: what has the same value."""


def _sides(case: Case) -> list[ast.expr]:
    node = case.find(ast.BinOp)
    return [node.left, node.right] if node is not None else []


@finds(mistakes.OPERAND_TYPES)
def _method_itself(case: Case) -> Finding | None:
    """``x.detach * 2``, ``total / x.size``."""
    told = f"{case.details.get('left')} {case.details.get('right')}"
    if "method" not in told and "function" not in told:
        return None
    for side in _sides(case):
        if not isinstance(side, ast.Attribute) or not isinstance(Flow(case).tensor(side.value), Tensor):
            continue
        if side.attr in ("shape", "T", "grad", "data", "mT", "dtype"):
            continue
        text = f"{case.operand(side.value)}.{_COUNTS.get(side.attr, f'{side.attr}()')}"
        habit = ", and it is no number as in NumPy" if side.attr in _COUNTS else ""
        habit_zh = "，不像 NumPy 里那样是数" if side.attr in _COUNTS else ""
        return finding(
            case,
            f"`{case.text(side)}` is the method itself, for it has no brackets{habit}. Write `{text}`.",
            f"`{case.text(side)}` 是方法本身，没有括号{habit_zh}。请写成 `{text}`。",
            write(case, side, text, case.find(ast.BinOp)),
        )
    return None


@finds(mistakes.NOT_SUBSCRIPTABLE)
def _square_brackets(case: Case) -> Finding | None:
    """``x.size[0]``, ``x.reshape[2, 3]``."""
    match case.find(ast.Subscript):
        case ast.Subscript(value=ast.Attribute(value=owner, attr=attr) as method, slice=index) as node if (
            not isinstance(index, ast.Slice)
        ):
            text = f"{case.text(method)}({case.text(index)})"
        case _:
            return None
    if "method" not in str(case.details.get("type")) or Flow(case).tensor(owner) is None or attr == "tolist":
        return None
    shape = (
        f", or take it from the attribute: `{case.operand(owner)}.shape[{case.text(index)}]`" if attr == "size" else ""
    )
    shape_zh = f"，或者用属性：`{case.operand(owner)}.shape[{case.text(index)}]`" if attr == "size" else ""
    return finding(
        case,
        f"`{case.text(method)}` is a method, and a method is called with round brackets. Write `{text}`{shape}.",
        f"`{case.text(method)}` 是方法，调用方法要用圆括号。请写成 `{text}`{shape_zh}。",
        write(case, node, text),
    )


@finds(errors.NOT_IMPLEMENTED_DTYPE, mistakes.OPERAND_TYPES)
def _caret(case: Case) -> Finding | None:
    """``x ^ 2``."""
    node = case.find(ast.BinOp)
    if node is None or not isinstance(node.op, ast.BitXor):
        return None
    text = f"{case.text(node.left)} ** {case.text(node.right)}"
    return finding(
        case,
        f"`^` is no power in Python: it compares the bits of whole numbers. A power is written `**`: `{text}`.",
        f"Python 里的 `^` 不是乘方，而是整数按位异或。乘方写作 `**`：`{text}`。",
        write(case, node, text),
    )


@finds(errors.NOT_IMPLEMENTED_DTYPE)
def _swapped(case: Case) -> Finding | None:
    """``criterion(target, output)``."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2 or "log_softmax" not in str(case.details):
        return None
    flow = Flow(case)
    first, second = flow.tensor(call.args[0]), flow.tensor(call.args[1])
    if first is None or second is None or first.dtype.is_floating_point or not second.dtype.is_floating_point:
        return None
    text = f"{case.text(call.args[1])}, {case.text(call.args[0])}"
    return finding(
        case,
        f"{code(case, call.args[0])} holds class numbers and {code(case, call.args[1])} the scores: the two are swapped, for a loss"
        f" takes the output first and the target behind it. Write `{case.text(call.func)}({text})`.",
        f"{code(case, call.args[0])} 是类别编号，{code(case, call.args[1])} 是得分：两者写反了，损失的第一个参数是输出，第二个是目标。请写成"
        f" `{case.text(call.func)}({text})`。",
        case.fix(
            [
                *case.replace(call.args[0], case.text(call.args[1])),
                *case.replace(call.args[1], case.text(call.args[0])),
            ],
            call,
        ),
    )


@finds(errors.KEYWORD_TYPE, errors.ARGUMENT_TYPE)
def _dtype(case: Case) -> Finding | None:
    """``dtype='float32'``, ``dtype=np.float32``."""
    call = case.find(ast.Call)
    given = next((one for one in call.keywords if one.arg == "dtype"), None) if call is not None else None
    if given is None or case.details.get("expected") != "torch.dtype":
        return None
    name = case.text(given.value).strip("'\"").rpartition(".")[2]
    known = {"float": "float32", "int": "int64", "double": "float64", "bool": "bool"}.get(name, name)
    if known not in dtypes.BY_NAME:
        return None
    whose = "a dtype of NumPy" if "." in case.text(given.value) else "no dtype of PyTorch"
    whose_zh = "是 NumPy 的类型" if "." in case.text(given.value) else "不是 PyTorch 的类型"
    return finding(
        case,
        f"`{case.text(given.value)}` is {whose}, and `dtype` takes one of PyTorch's. Write `torch.{known}`.",
        f"`{case.text(given.value)}` {whose_zh}，而 `dtype` 需要 PyTorch 的类型。请写 `torch.{known}`。",
        write(case, given.value, f"torch.{known}", call),
    )


@finds(python.NAME)
def _bare_text(case: Case) -> Finding | None:
    """``reduction=mean``: a text without its quotation marks."""
    node = case.find(ast.Name)
    keyword = case.parents.get(node) if node is not None else None
    texts = ("reduction", "mode", "padding_mode", "nonlinearity", "approximate", "indexing", "device")
    if node is None or not isinstance(keyword, ast.keyword) or keyword.arg not in texts:
        return None
    text = f'"{node.id}"'
    return finding(
        case,
        f"`{keyword.arg}` takes a text, and `{node.id}` without quotation marks is a name, which has no value. Write"
        f" `{keyword.arg}={text}`.",
        f"`{keyword.arg}` 需要字符串，而没有引号的 `{node.id}` 是名字，没有值。请写成 `{keyword.arg}={text}`。",
        write(case, node, text, keyword),
    )


@finds(python.TYPE)
def _given_twice(case: Case) -> Finding | None:
    """``SGD(parameters, 0.1, lr=0.1)``."""
    call = case.find(ast.Call)
    told = re.search(r"got multiple values for argument '(\w+)'", str(case.details.get("message")))
    given = next((one for one in call.keywords if one.arg == told[1]), None) if call is not None and told else None
    if call is None or given is None or told is None:
        return None
    positional = ", ".join(f"`{case.text(one)}`" for one in call.args)
    return finding(
        case,
        f"`{told[1]}` is given twice: by its place among {positional}, and by its name. Leave one of the two out.",
        f"`{told[1]}` 给了两次：一次在 {positional.replace(', ', '、')} 中按位置给出，一次按名字给出。请去掉其中一个。",
        case.fix(case.without_argument(call, given), call),
    )
