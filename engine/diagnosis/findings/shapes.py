"""Shapes that do not fit: the reduction that dropped a dimension, rows of unequal length, sizes with another product."""

from __future__ import annotations

import ast
from math import prod

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.broadcasts import unfitting
from gradflow.engine.diagnosis.findings.general.sources import definition, place, size_told
from gradflow.engine.diagnosis.findings.layers import written
from gradflow.engine.diagnosis.findings.nothing_differentiable import output_of
from gradflow.engine.diagnosis.findings.operands.one_value_each import used_again
from gradflow.engine.diagnosis.findings.words import code, finding, line, text_with, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.backward import gradient_of
from gradflow.engine.diagnosis.fixes.dtypes import operands
from gradflow.engine.diagnosis.fixes.shapes import fitting, product_of, turned
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.error_kind import Shape
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

_REDUCTIONS = frozenset(
    {"sum", "mean", "std", "var", "norm", "amax", "amin", "prod", "logsumexp", "max", "min", "median"}
)


def _shape(flow: Flow, node: ast.expr) -> Shape | None:
    tensor = flow.tensor(node)
    return Shape(tensor.shape) if isinstance(tensor, Tensor) else None


@finds(errors.SHAPE_BROADCAST)
def _broadcast(case: Case) -> Finding | None:
    node = case.find(ast.BinOp) or case.find(ast.Call)
    flow = Flow(case)
    pair = [one for one in operands(case, node) if _shape(flow, one) is not None]
    if len(pair) != 2 or node is None:
        return None
    shapes = [_shape(flow, one) or Shape() for one in pair]
    en = f"{code(case, pair[0])} is {shapes[0]:en} and {code(case, pair[1])} {shapes[1]:en}."
    zh = f"{code(case, pair[0])} 是{shapes[0]:zh}，{code(case, pair[1])} 是{shapes[1]:zh}。"
    for own, other in ((1, 0), (0, 1)):
        dropped = _dropped(case, flow, pair[own], shapes[own], shapes[other])
        if dropped is not None:
            call, dim = dropped
            return finding(
                case,
                f"{en} {code(case, call)} on line {line(call)} dropped dimension {dim}, and sizes are compared from the right."
                f" Keep it with size 1: `keepdim=True`.",
                f"{zh}第 {line(call)} 行的 {code(case, call)} 去掉了第 {dim} 维，而形状从右往左比较。请用 `keepdim=True` 保留大小为 1 的"
                f"这一维。",
                case.fix(
                    [edit for one in (call, *_alike(case, node, call)) for edit in case.argument(one, "keepdim=True")],
                    call,
                ),
                call,
            )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and len(shapes[0]) > 1 and shapes[1]:
        inner = shapes[1][-2] if len(shapes[1]) > 1 else shapes[1][0]
        if shapes[0][-1] == inner:
            text = f"{case.text(pair[0])} @ {case.text(pair[1])}"
            return finding(
                case,
                f"{en} `*` multiplies element by element and needs equal sizes; as a matrix product they fit. Write `{text}`.",
                f"{zh}`*` 是逐元素相乘，要求大小相等；而作为矩阵乘法它们正好匹配。请写成 `{text}`。",
                write(case, node, text),
            )
    if (again := used_again(case, node, pair, [tuple(one) for one in shapes])) is not None:
        return again
    for own, other in ((1, 0), (0, 1)):
        text = fitting(tuple(shapes[own]), tuple(shapes[other]))
        if text:
            return finding(
                case,
                f"{en} Sizes are compared from the right and must be equal or 1, which these are not. Bring"
                f" {code(case, pair[own])} into shape: `{text}`.",
                f"{zh}形状从右往左比较，必须相等或为 1，而这里不是。请调整 {code(case, pair[own])} 的形状：`{text}`。",
                case.fix(case.followed(pair[own], text), node),
            )
    return unfitting(case, node, pair, shapes, (en, zh))


def _made(case: Case, node: ast.expr) -> ast.expr | None:
    return case.assignment(node.id) if isinstance(node, ast.Name) else None


def _dropped(case: Case, flow: Flow, node: ast.expr, own: Shape, other: Shape) -> tuple[ast.Call, int] | None:
    """The reduction that took a dimension away, with which the shapes would fit."""
    call = node if isinstance(node, ast.Call) else _made(case, node)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr not in _REDUCTIONS:
        return None
    at = _reduced(case, flow, call, own, len(other))
    if at is None or len(other) != len(own) + 1:
        return None
    kept = (*own[:at], 1, *own[at:])
    return (call, at) if all(a == b or a == 1 for a, b in zip(kept, other, strict=True)) else None


def _alike(case: Case, node: ast.expr, call: ast.Call) -> list[ast.Call]:
    """The reductions beside one, of the same tensor over the same dimension: ``(x - x.mean(1)) / x.std(1)``."""
    statement = case.statement(node)
    return [
        one
        for one in (ast.walk(statement) if statement is not None else ())
        if isinstance(one, ast.Call)
        and isinstance(one.func, ast.Attribute)
        and isinstance(call.func, ast.Attribute)
        and one is not call
        and one.func.attr in _REDUCTIONS
        and case.text(one.func.value) == case.text(call.func.value)
        and [case.text(part) for part in one.args] == [case.text(part) for part in call.args]
        and [case.text(part) for part in one.keywords] == [case.text(part) for part in call.keywords]
    ]


def _reduced(case: Case, flow: Flow, call: ast.Call, own: Shape, count: int) -> int | None:
    """The dimension that a reduction took away: as it is written, else by the shapes before and after."""
    given = next((k.value for k in call.keywords if k.arg in ("dim", "axis")), call.args[-1] if call.args else None)
    dim = written(given)
    if isinstance(dim, int) and not isinstance(dim, bool):
        return dim if dim >= 0 else dim + count
    before = _shape(flow, call.func.value) if isinstance(call.func, ast.Attribute) else None
    places = [k for k in range(len(before or ())) if before and (*before[:k], *before[k + 1 :]) == tuple(own)]
    return places[0] if len(places) == 1 and given is not None else None


@finds(errors.MM_SHAPE, errors.MV_SHAPE, errors.BMM_SHAPE)
def _product(case: Case) -> Finding | None:
    pair, node = product_of(case)
    flow = Flow(case)
    if not pair or node is None:
        return None
    left, right = (_shape(flow, one) for one in pair)
    if left is None or right is None or len(left) < 2 or len(right) < 1:
        return None
    inner = right[-2] if len(right) > 1 else right[0]
    en = (
        f"{code(case, pair[0])} is {left:en} and {code(case, pair[1])} {right:en}; the {left[-1]} columns on the left must be as"
        f" many as the {inner} rows on the right."
    )
    zh = f"{code(case, pair[0])} 是{left:zh}，{code(case, pair[1])} 是{right:zh}；左边的 {left[-1]} 列必须等于右边的 {inner} 行。"
    if len(left) == len(right) == 3 and left[-1] == inner and left[0] != right[0]:
        return finding(
            case,
            f"{code(case, pair[0])} is {left:en} and {code(case, pair[1])} {right:en}: `bmm` multiplies the matrices of two batches pair by pair, and there are {left[0]} on the left"
            f" and {right[0]} on the right. Give both the same number; for one matrix with all of a batch write `@`.",
            f"{code(case, pair[0])} 是{left:zh}，{code(case, pair[1])} 是{right:zh}：`bmm` 把两个批量里的矩阵成对相乘，而左边有 {left[0]} 个，右边有 {right[0]} 个。"
            "请让两边个数相同；要让一个矩阵乘以整个批量，请用 `@`。",
            (),
        )
    readings: list[tuple[str, Fix | None]] = []
    if len(right) > 1 and right[-1] == left[-1]:
        readings.append((f"{case.text(pair[1])}{turned(right)}", case.fix(case.followed(pair[1], turned(right)), node)))
    if left[-2] == inner and not (readings and len(left) > 2):  # of a batch the rows are compared with the rows
        readings.append((f"{case.text(pair[0])}{turned(left)}", case.fix(case.followed(pair[0], turned(left)), node)))
    if not readings and left[:-1] == right[:-1][::-1] and len(right) > 1 and left[-2] == right[-1]:
        text = f"{case.text(pair[1])} {'@'} {case.text(pair[0])}"
        if isinstance(node, ast.BinOp):
            readings.append((text, write(case, node, text)))
    if not readings:
        told = [one for k, size in ((0, left[-1]), (1, inner)) if (one := size_told(case, pair[k], int(size)))[0]]
        whose, whose_zh = (", ".join(one[0] for one in told), "，".join(one[1] for one in told))
        return finding(
            case,
            f"{en} No transposition makes them fit{f': {whose}' if whose else ''}. Make both {left[-1]} or both {inner} there.",
            f"{zh}转置也无法匹配{f'：{whose_zh}' if whose else ''}。请在那里都改成 {left[-1]} 或都改成 {inner}。",
            None,
            _made(case, pair[1]),
        )
    texts = " or ".join(f"`{text}`" for text, _ in readings)
    return finding(
        case,
        f"{en} Transpose: {texts}.",
        f"{zh}请转置：{texts.replace(' or ', ' 或 ')}。",
        [fix for _, fix in readings],
    )


@finds(errors.STACK_SIZE)
def _unequal(case: Case) -> Finding | None:
    """Rows of unequal length are padded."""
    call = case.find(ast.Call)
    if call is None or not call.args:
        return None
    value = case.value(call.args[0])
    shapes = [Shape(one.shape) for one in value if isinstance(one, Tensor)] if isinstance(value, list | tuple) else []
    flow = Flow(case)
    if isinstance(call.args[0], ast.List | ast.Tuple):
        shapes = [one for one in (_shape(flow, part) for part in call.args[0].elts) if one is not None]
    if len(shapes) < 2 or any(len(one) != 1 for one in shapes):
        return None
    torch, imports = case.with_torch()
    sizes = ", ".join(str(one[0]) for one in shapes[:6])
    padded = f"{torch}.nn.utils.rnn.pad_sequence({case.text(call.args[0])}, batch_first=True)"
    one_each = _one_each(case, value, len(shapes))
    joined = (
        case.fix(case.rename_end(call.func, "stack", "cat"), call)
        if not call.keywords and len(call.args) == 1 and not one_each
        else None
    )
    or_joined = (
        ("", "") if one_each else (", or join all into one vector with `cat`", "，或者用 `cat` 首尾相接成一个向量")
    )
    return finding(
        case,
        f"The tensors in {code(case, call.args[0])} have the lengths {sizes}, and `stack` lays only equal shapes on top of each"
        f" other. Fill the short ones up with `pad_sequence`{or_joined[0]}.",
        f"{code(case, call.args[0])} 里的张量长度分别是 {sizes.replace(', ', '、')}，而 `stack` 只能叠放形状相同的张量。请用"
        f" `pad_sequence` 把短的补齐{or_joined[1]}。",
        [case.fix([*case.replace(call, padded), *imports], call), joined],
    )


def _one_each(case: Case, stacked: object, count: int) -> bool:
    """Whether something else holds one entry for each sequence, as labels do: joined to one vector, the sequences would not go with it."""

    def is_entry(one: object) -> bool:
        return isinstance(one, int | float | str) or (isinstance(one, Tensor) and one.ndim == 0)

    for held in case.values.values():
        if held is stacked:
            continue
        if isinstance(held, Tensor) and held.ndim == 1 and held.shape[0] == count:
            return True
        if isinstance(held, list | tuple) and len(held) == count:
            pairs = {len(one) if isinstance(one, tuple) and not all(map(is_entry, one)) else 0 for one in held}
            if all(map(is_entry, held)) or (len(pairs) == 1 and pairs.pop() > 1):
                return True
    return False


@finds(errors.INVALID_SHAPE)
def _product_of_sizes(case: Case) -> Finding | None:
    """Sizes whose product is another number."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    shape = _shape(Flow(case), call.func.value)
    sizes = call.args[0].elts if len(call.args) == 1 and isinstance(call.args[0], ast.Tuple | ast.List) else call.args
    values = [case.value(one) for one in sizes]
    if shape is None or not all(isinstance(one, int) for one in values):
        return None
    count = prod(shape)
    wanted = [int(one) for one in values if isinstance(one, int)]
    product = prod(one for one in wanted if one >= 0)
    en = (
        f"{code(case, call.func.value)} has {count} elements ({shape:en}), and {' × '.join(map(str, wanted))}"
        f" {'is ' + str(product) if -1 not in wanted else 'cannot be filled with them'}."
    )
    zh = (
        f"{code(case, call.func.value)} 有 {count} 个元素（{shape:zh}），而 {' × '.join(map(str, wanted))}"
        f" {'等于 ' + str(product) if -1 not in wanted else '无法由它们填满'}。"
    )
    fixes: list[Fix | None] = []
    shown = []
    for at in range(len(wanted)):
        others = prod(one for k, one in enumerate(wanted) if k != at and one > 0)
        if len(wanted) > 1 and others and count % others == 0 and -1 not in wanted:
            fixes.append(case.fix(case.replace(sizes[at], str(count // others)), call))
            shown.append(str([count // others if k == at else one for k, one in enumerate(wanted)]))
    pairs = [[k, count // k] for k in range(2, count) if count % k == 0][:3] if not shown else []
    hint = f", such as {' or '.join(shown)}" if shown else f", such as {pairs[len(pairs) // 2]}" if pairs else ""
    hint_zh = f"，例如 {' 或 '.join(shown)}" if shown else f"，例如 {pairs[len(pairs) // 2]}" if pairs else ""
    return finding(
        case,
        f"{en} Choose sizes whose product is {count}{hint}; one may be `-1` and is then computed.",
        f"{zh}请选择乘积为 {count} 的大小{hint_zh}；其中一个可以写 `-1`，由 PyTorch 算出。",
        fixes,
    )


def _like_other(case: Case, given: ast.expr, output: ast.expr, en: str, zh: str) -> Finding | None:
    """``e = torch.zeros_like(x)``, filled one by one, for ``y.backward(e)``."""
    for made in Flow(case).assigned(given, given.id) if isinstance(given, ast.Name) else ():
        match made:
            case ast.Call(func=ast.Attribute(attr=name), args=[like, *_]) if name.endswith("_like"):
                text = text_with(case, made, like, case.text(output))
                rows = case.enclosing(made, ast.For) is not None
                more = " A Jacobian takes one pass for each element of the output." if rows else ""
                more_zh = "雅可比矩阵要对输出的每个元素各做一次反向传播。" if rows else ""
                return finding(
                    case,
                    f"{en}; {code(case, made)} on line {line(made)} makes it like {code(case, like)}. Make it like the output: `{text}`.{more}",
                    f"{zh}；第 {line(made)} 行的 {code(case, made)} 是照 {code(case, like)} 创建的。请照输出创建：`{text}`。{more_zh}",
                    () if rows else case.fix(case.replace(like, case.text(output)), made) or (),
                    made,
                )
    return None


@finds(errors.GRADIENT_SHAPE)
def _weights(case: Case) -> Finding | None:
    """The gradient has the shape of the input, not of the output."""
    call, output = case.find(ast.Call), output_of(case)
    given = gradient_of(call) if call is not None else None
    if call is None or output is None or given is None:
        return None
    old, new = Shape(case.details["grad_shape"]), Shape(case.details["output_shape"])  # type: ignore[arg-type]
    made = definition(case, given)
    where, where_zh = place(case, given)
    elsewhere = made if where else None
    en = (
        f"The gradient {code(case, given)}{where} is {old:en}, and {code(case, output)}, which is differentiated, is {new:en}. It holds"
        f" one weight for each element of the output and needs its shape"
    )
    zh = (
        f"梯度 {code(case, given)}{where_zh} 是{old:zh}，而被求导的 {code(case, output)} 是{new:zh}。梯度为输出的每个元素给出一个权重，形状必须与"
        f"输出相同"
    )
    match given:
        case ast.Call(
            func=ast.Attribute(attr="ones_like" | "zeros_like" | "rand_like" | "randn_like"), args=[like, *_]
        ):
            text = f"{case.text(given.func)}({case.text(output)})"
            return finding(
                case, f"{en}: `{text}`.", f"{zh}：`{text}`。", case.fix(case.replace(like, case.text(output)), call)
            )
    if (like_other := _like_other(case, given, output, en, zh)) is not None:
        return like_other
    if prod(old) == prod(new):
        text = (
            f".reshape({case.operand(output)}.shape)"
            if isinstance(output, ast.Name)
            else f".reshape({', '.join(map(str, new))})"
        )
        fix = case.fix(case.followed(given, text), call)
        return finding(case, f"{en}: `{text}`.", f"{zh}：`{text}`。", fix, elsewhere)
    if isinstance(output, ast.Name) and (not old or old == (1,)):
        text = f".expand_as({case.text(output)})"
        fix = case.fix(case.followed(given, text), call)
        return finding(case, f"{en}: `{text}`.", f"{zh}：`{text}`。", fix, elsewhere)
    return finding(case, f"{en}, {new}.", f"{zh}，即 {new}。", cause=elsewhere)
