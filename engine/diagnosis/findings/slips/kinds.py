"""Kinds of things: tensors for keys, tensors among tensors, whole numbers for what is to be learned, scores that lost their classes."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, is_simple
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, kind_source, shape_at
from gradflow.engine.diagnosis.findings.words import code, finding, line, on_other_line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.tensor import Tensor

_MOST: Final = 6


@finds(python.KEY)
def _tensor_for_key(case: Case) -> Finding | None:
    """``names[pred]`` of a dictionary whose keys are numbers."""
    node = case.find(ast.Subscript)
    held = case.value(node.value) if node is not None else None
    key = Flow(case).tensor(node.slice) if node is not None else None
    if node is None or not isinstance(held, dict) or key is None or key.numel() != 1:
        return None
    made = definition(case, node.slice)
    if any(isinstance(one, Tensor) for one in held):
        return None
    number = key._a.reshape(-1)[0].item()
    known = any(type(one) in (int, float, bool) and one == number for one in held)
    where, where_zh = on_other_line(made, node)
    text = f"{case.operand(node.value)}[{case.operand(node.slice)}.item()]"
    keys = ", ".join(f"`{one!r}`" for one in list(held)[:_MOST])
    action = (
        f"Take the number out: `{text}`" if known else f"The number is no key either; these are {keys}: use one of them"
    )
    action_zh = (
        f"请取出这个数：`{text}`" if known else f"这个数也不是键；键有 {keys.replace(', ', '、')}：请使用其中之一"
    )
    return finding(
        case,
        f"{code(case, node.slice)}{where} is a tensor, and as a key a tensor is equal only to itself, not to the number {number} in it. {action}.",
        f"{code(case, node.slice)}{where_zh} 是张量，作为键时它只等于它自己，而不等于其中的数 {number}。{action_zh}。",
        case.fix(case.followed(node.slice, ".item()"), node) if known else (),
        node.slice,
    )


@finds(errors.BOOL_AMBIGUOUS)
def _larger_of_python(case: Case) -> Finding | None:
    """``max(x, 0)``."""
    call = case.find(ast.Call)
    match call:
        case ast.Call(func=ast.Name(id="max" | "min" as name), args=[first, second], keywords=[]) if (
            name not in case.values
        ):
            pass
        case _:
            return None
    flow = Flow(case)
    tensors = [one for one in (first, second) if flow.tensor(one) is not None]
    if call is None or not tensors:
        return None
    torch, imports = case.with_torch()
    if len(tensors) == 2:
        text = f"{torch}.{name}imum({case.text(first)}, {case.text(second)})"
    else:
        own = tensors[0]
        other = second if own is first else first
        inner = case.text(own) if is_simple(own) or isinstance(own, ast.Call) else f"({case.text(own)})"
        text = f"{inner}.clamp({'min' if name == 'max' else 'max'}={case.text(other)})"
    return finding(
        case,
        f"`{name}` of Python asks once which of the two is {'larger' if name == 'max' else 'smaller'}, and {code(case, tensors[0])} has many numbers, each"
        f" with an answer of its own. Element by element it is `{text}`.",
        f"Python 的 `{name}` 只问一次两者谁更{'大' if name == 'max' else '小'}，而 {code(case, tensors[0])} 有许多个数，每个都有自己的答案。逐元素请写 `{text}`。",
        case.fix([*case.replace(call, text), *(imports if len(tensors) == 2 else [])], call),
        call,
    )


# -- whole numbers -----------------------------------------------------------------------------------------------------


@finds(errors.INTEGER_REQUIRES_GRAD, errors.INTEGER_REQUIRES_GRAD_METHOD)
def _made_of_whole_numbers(case: Case) -> Finding | None:
    """``nn.Parameter(w)``, ``grad(f)(x)`` of a tensor that was made of whole numbers before."""
    call = case.find(ast.Call)
    if call is None or (isinstance(call.func, ast.Attribute) and call.func.attr == "requires_grad_"):
        return None
    for given in call.args:
        held = Flow(case).tensor(given)
        if held is None or held.dtype.is_floating_point or held.dtype.is_complex:
            continue
        if not isinstance(given, ast.Name | ast.Attribute | ast.Subscript):
            return None
        made = kind_source(case, given) or definition(case, given)
        source = f", from {code(case, made)} on line {line(made)}," if made is not given else ""
        source_zh = f"（来自第 {line(made)} 行的 {code(case, made)}）" if made is not given else ""
        text = f"{case.operand(given)}.float()"
        return finding(
            case,
            f"{code(case, given)}{source} holds whole numbers (`{held.dtype}`), and only floats can change by a little and so have a gradient."
            f" Convert it, `{text}`, or write its numbers with a point where it is made.",
            f"{code(case, given)}{source_zh} 存的是整数（`{held.dtype}`），只有浮点数才能微小地变化，从而有梯度。请转换：`{text}`，或者在创建的地方把数写成带小数点的形式。",
            case.fix(case.followed(given, ".float()"), call),
            made,
        )
    return None


@finds(errors.PRODUCT_REFUSED)
def _two_kinds(case: Case) -> Finding | None:
    """``torch.sparse.mm(A, x)`` of whole numbers and floats."""
    told = re.search(r"expected scalar type (\w+) but found (\w+)", str(case.details.get("message", "")))
    call = case.find(ast.Call)
    if told is None or call is None:
        return None
    parts = [*call.args, *([call.func.value] if isinstance(call.func, ast.Attribute) else [])]
    for given in parts:
        held = Flow(case).tensor(given)
        if held is None or held.dtype.is_floating_point or held.dtype.is_complex:
            continue
        made = kind_source(case, given) or definition(case, given)
        where, where_zh = on_other_line(made, call)
        text = f"{case.operand(given)}.float()"
        return finding(
            case,
            f"{code(case, given)}{where} holds whole numbers (`{held.dtype}`) and the other side floats; a product does not convert. Convert it: `{text}`.",
            f"{code(case, given)}{where_zh} 存的是整数（`{held.dtype}`），另一边是浮点数；乘积不会自动转换类型。请转换：`{text}`。",
            case.fix(case.followed(given, ".float()"), call),
            made,
        )
    return None


@finds(errors.AFFINE_DTYPE, errors.MM_DTYPE, errors.CONV_BIAS_DTYPE)
def _complex_input(case: Case) -> Finding | None:
    """``layer(torch.fft.rfft(x))``: ``float()`` would throw the imaginary part away."""
    call = case.find(ast.Call)
    if call is None or not call.args:
        return None
    given = call.args[0]
    held = Flow(case).tensor(given)
    if held is None or not held.dtype.is_complex or isinstance(Flow(case).tensor(call.func), Tensor):
        return None
    made = kind_source(case, given) or definition(case, given)
    where, where_zh = on_other_line(made, call)
    inner = case.text(given) if is_simple(given) or isinstance(given, ast.Call) else f"({case.text(given)})"
    return finding(
        case,
        f"{code(case, given)}{where} holds complex numbers (`{held.dtype}`), and {code(case, call.func)} computes with real ones. Say what of them goes"
        f" in: their magnitudes, `{inner}.abs()`, or their real parts, `{inner}.real`; with both parts there are twice as many features.",
        f"{code(case, given)}{where_zh} 存的是复数（`{held.dtype}`），而 {code(case, call.func)} 用实数计算。请说明把它的什么输入进去：模 `{inner}.abs()`，或者实部"
        f" `{inner}.real`；如果两部分都要，特征数就是两倍。",
        [write(case, given, f"{inner}.abs()", call), write(case, given, f"{inner}.real", call)],
        made,
    )


@finds(errors.SHAPE_BROADCAST)
def _compared_with_each(case: Case) -> Finding | None:
    """``top == y``, of the best classes of each row and one class for each row."""
    node = case.find(ast.Compare)
    if node is None or len(node.comparators) != 1:
        return None
    sides = [node.left, node.comparators[0]]
    shapes = [shape_at(case, one) for one in sides]
    for at in (0, 1):
        small, large = shapes[at], shapes[1 - at]
        if small is None or large is None or len(small) != 1 or len(large) != 2 or small[0] != large[0]:
            continue
        one = sides[at]
        inner = case.text(one) if is_simple(one) or isinstance(one, ast.Call) else f"({case.text(one)})"
        text = f"{inner}.unsqueeze(1)"
        return finding(
            case,
            f"{code(case, sides[1 - at])} has the shape {list(large)} and {code(case, one)} {list(small)}: one number for each row, and sizes are compared"
            f" from the right, so it meets the columns. Make a column of it: `{text}`.",
            f"{code(case, sides[1 - at])} 的形状是 {list(large)}，{code(case, one)} 是 {list(small)}：每行一个数，而大小从右边开始比较，所以它对上的是列。请把它变成一列："
            f"`{text}`。",
            write(case, one, text, node),
            one,
        )
    return None


@finds(errors.SQUARE_MATRIX)
def _no_square(case: Case) -> Finding | None:
    """``torch.linalg.inv(X)`` of a matrix with more rows than columns."""
    call = case.find(ast.Call)
    if (
        call is None
        or called(call) not in ("inv", "inverse", "det", "solve")
        or not isinstance(call.func, ast.Attribute)
    ):
        return None
    of_torch = case.text(call.func.value).split(".")[0] == case.module_alias("torch")
    given = call.args[0] if of_torch and call.args else call.func.value
    shape = shape_at(case, given)
    if shape is None or len(shape) < 2 or called(call) in ("det", "solve"):
        return None
    made = definition(case, given)
    where, where_zh = on_other_line(made, call)
    torch = case.module_alias("torch") or "torch"
    text = f"{torch}.linalg.pinv({case.text(given)})"
    return finding(
        case,
        f"{code(case, given)}{where} has {shape[-2]} rows and {shape[-1]} columns, and only a square matrix has an inverse. What stands in its place,"
        f" as for least squares, is the pseudoinverse: `{text}`; or `{torch}.linalg.lstsq(A, b).solution` solves for the right side at once.",
        f"{code(case, given)}{where_zh} 有 {shape[-2]} 行 {shape[-1]} 列，只有方阵才有逆矩阵。最小二乘等问题用伪逆代替：`{text}`；或者用"
        f" `{torch}.linalg.lstsq(A, b).solution` 直接求解。",
        write(case, call, text, call),
        made,
    )


# -- scores without classes --------------------------------------------------------------------------------------------


@finds(errors.TARGET_PROBABILITY_DTYPE, errors.TARGET_RANGE)
def _one_score_each(case: Case) -> Finding | None:
    """Cross-entropy of one number for each sample."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2:
        return None
    flow = Flow(case)
    scores, target = flow.tensor(call.args[0]), flow.tensor(call.args[1])
    if scores is None or target is None or scores.dim() != 1 or target.dim() != 1 or len(scores) < 2:
        return None
    if tuple(scores.shape) != tuple(target.shape) or target.dtype.is_floating_point:
        return None
    column = next(
        (
            one
            for one in flow.behind(call.args[0])
            if (shape := shape_at(case, one)) is not None and len(shape) == 2 and shape == (len(scores), 1)
        ),
        None,
    )
    if column is None:
        return None
    two = set(target._a.reshape(-1).tolist()) <= {0, 1}
    loss = definition(case, call.func) if not isinstance(call.func, ast.Call) else call.func
    kind = loss.func if isinstance(loss, ast.Call) else call.func
    named = {"CrossEntropyLoss": "BCEWithLogitsLoss", "cross_entropy": "binary_cross_entropy_with_logits"}
    old = str(getattr(kind, "attr", getattr(kind, "id", "")))
    count = int(target._a.max()) + 1
    text = f"{case.operand(call.args[1])}.float()"
    edits = (
        [*case.rename_end(kind, old, named[old]), *case.followed(call.args[1], ".float()")]
        if old in named and two
        else []
    )
    yes_no = (
        f"; for a yes or no one score is enough, with `{named.get(old, 'BCEWithLogitsLoss')}` and `{text}`"
        if two
        else ""
    )
    yes_no_zh = (
        f"；如果只是“是或否”，一个得分就够了，用 `{named.get(old, 'BCEWithLogitsLoss')}` 和 `{text}`" if two else ""
    )
    return finding(
        case,
        f"{code(case, column)} on line {line(column)} gives one number for each of the {len(scores)} samples, and cross-entropy compares the scores of"
        f" several classes, shape [{len(scores)}, classes]. Let the last layer give one score for each class, at least {max(count, 2)}, and leave the"
        f" dimension{yes_no}.",
        f"第 {line(column)} 行的 {code(case, column)} 为 {len(scores)} 个样本各给出一个数，而交叉熵比较的是多个类别的得分，形状为 [{len(scores)}, 类别数]。请让最后一层为每个"
        f"类别给出一个得分，至少 {max(count, 2)} 个，并保留这一维{yes_no_zh}。",
        case.fix(edits, call) if edits else (),
        column,
    )


@finds(mistakes.NOT_ITERABLE)
def _method_kept(case: Case) -> Finding | None:
    """``params = model.parameters``, and ``SGD(params)``."""
    call = case.find(ast.Call)
    if call is None or str(case.details.get("type", "")) not in ("method", "builtin_function_or_method", "function"):
        return None
    for given in call.args:
        made = definition(case, given)
        if not isinstance(made, ast.Attribute) or not callable(case.value(given)) or line(made) == line(given):
            continue
        text = f"{case.text(made)}()"
        return finding(
            case,
            f"`{case.text(made)}` on line {line(made)} has no brackets, so {code(case, given)} is the method itself and not what it gives. Call it there:"
            f" `{text}`.",
            f"第 {line(made)} 行的 `{case.text(made)}` 后面没有括号，所以 {code(case, given)} 是方法本身，而不是它给出的内容。请在那里调用：`{text}`。",
            case.fix(case.after(made, "()"), case.statement(made)),
            made,
        )
    return None
