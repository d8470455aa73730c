"""Sizes that cannot be: a view, heads that do not divide a width, a mask on the wrong dimension, an order of dimensions."""

from __future__ import annotations

import ast
from math import prod

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.causes.births import born
from gradflow.engine.diagnosis.findings.general.sources import birthplace, definition, kind_source, place, shape_at
from gradflow.engine.diagnosis.findings.layers import constant, maker_of
from gradflow.engine.diagnosis.findings.meant.row_masks import of_rows
from gradflow.engine.diagnosis.findings.meant.selections import mask_in
from gradflow.engine.diagnosis.findings.origins.arrays import array_source
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix


def _sizes_of(call: ast.Call) -> list[ast.expr]:
    return (
        list(call.args[0].elts)
        if len(call.args) == 1 and isinstance(call.args[0], ast.Tuple | ast.List)
        else list(call.args)
    )


@finds(errors.INVALID_SHAPE)
def _rest_of_division(case: Case) -> Finding | None:
    """``x.view(b, t, heads, d // heads)``, where heads is no divisor of d."""
    call = case.find(ast.Call)
    for size in _sizes_of(call) if call is not None else []:
        made = definition(case, size)
        if not isinstance(made, ast.BinOp) or not isinstance(made.op, ast.FloorDiv):
            continue
        whole, parts = constant(case, made.left), constant(case, made.right)
        if not isinstance(whole, int) or not isinstance(parts, int) or not parts or whole % parts == 0:
            continue
        fitting = [str(one) for one in range(1, whole + 1) if whole % one == 0][:8]
        source = definition(case, made.right)
        return finding(
            case,
            f"{code(case, made)} is {whole // parts}, with {whole % parts} left over: {whole} is no multiple of {parts}"
            f" ({code(case, made.right)}, line {line(source)}), so {parts} × {whole // parts} does not give {whole} back. Choose a"
            f" number that divides {whole}: {', '.join(fitting)}.",
            f"{code(case, made)} 等于 {whole // parts}，还余 {whole % parts}：{whole} 不是 {parts} 的倍数（{code(case, made.right)}，第"
            f" {line(source)} 行），所以 {parts} × {whole // parts} 得不到 {whole}。请选择能整除 {whole} 的数：{'、'.join(fitting)}。",
            (),
            source,
        )
    return None


@finds(errors.INVALID_SHAPE)
def _features(case: Case) -> Finding | None:
    """``x.view(batch, 16 * 5 * 5)``, where a sample has another number of elements."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    shape = shape_at(case, call.func.value)
    sizes = _sizes_of(call)
    numbers = [constant(case, one) if not isinstance(one, ast.UnaryOp) else -1 for one in sizes]
    if shape is None or len(shape) < 3 or len(sizes) != 2 or not isinstance(numbers[1], int) or numbers[1] < 1:
        return None
    each = prod(shape[1:])
    if each == numbers[1] or numbers[0] not in (-1, shape[0], None):
        return None
    owner, text = case.text(call.func.value), f"{case.operand(call.func.value)}.flatten(1)"
    made, fix = _layer_for(case, call, numbers[1], each, text)
    layer, layer_zh = _to_be_made_for(case, made, each)
    wanted = " × ".join(map(str, shape[1:]))
    return finding(
        case,
        f"`{owner}` has the shape {list(shape)}, so each sample has {wanted} = {each} numbers, and the view asks for {numbers[1]}"
        f" ({code(case, sizes[1])}). Let PyTorch count: `{text}`{layer}.",
        f"`{owner}` 的形状是 {list(shape)}，每个样本有 {wanted} = {each} 个数，而这里要求 {numbers[1]} 个（{code(case, sizes[1])}）。请让 PyTorch 来算："
        f"`{text}`{layer_zh}。",
        fix or (),
        sizes[1],
    )


def _to_be_made_for(case: Case, made: ast.Call | None, each: int) -> tuple[str, str]:
    """That the layer behind a view takes as many features, in both languages."""
    if made is None:
        return f", and make the layer behind it for {each}", f"，后面的层也要按 {each} 创建"
    return (
        f" and make {code(case, made)} on line {line(made)} for {each}",
        f"，并把第 {line(made)} 行的 {code(case, made)} 改成 {each}",
    )


def _layer_for(case: Case, call: ast.Call, wanted: int, each: int, text: str) -> tuple[ast.Call | None, Fix | None]:
    """The linear layer that was made for the same wrong number, and the change of both."""
    layers = [one for one in case.nodes(ast.Call) if called(one) == "Linear" and one.args]
    made = [one for one in layers if constant(case, one.args[0]) == wanted]
    if len(made) != 1 or isinstance(made[0].args[0], ast.Name):
        return (made[0], None) if len(made) == 1 else (None, None)
    return made[0], case.fix([*case.replace(call, text), *case.replace(made[0].args[0], str(each))], call)


@finds(errors.MASK_SHAPE)
def _mask(case: Case) -> Finding | None:
    """A mask that fits another dimension, or none."""
    node = case.find(ast.Subscript)
    shape = shape_at(case, node.value) if node is not None else None
    mask = shape_at(case, node.slice) if node is not None else None
    if node is None or shape is None or mask is None:
        return None
    head = (
        f"{code(case, node.slice)} is a mask of the shape {list(mask)}, and {code(case, node.value)} has the shape {list(shape)}; a mask"
        f" stands for dimension 0 unless others come first."
    )
    head_zh = f"掩码 {code(case, node.slice)} 的形状是 {list(mask)}，而 {code(case, node.value)} 的形状是 {list(shape)}；前面没有别的下标时，掩码对应第 0 维。"
    fitting = [at for at in range(1, len(shape)) if shape[at : at + len(mask)] == mask]
    if len(fitting) == 1:
        text = f"{case.operand(node.value)}[{':, ' * fitting[0]}{case.text(node.slice)}]"
        return finding(
            case,
            f"{head} It fits dimension {fitting[0]}: write `{text}`.",
            f"{head_zh}它对应的是第 {fitting[0]} 维：请写 `{text}`。",
            case.fix(case.replace(node, text), node),
        )
    if (reduced := of_rows(case, node, (head, head_zh), shape[0])) is not None:
        return reduced
    where, where_zh, made = birthplace(case, node.slice)
    return finding(
        case,
        f"{head} Compute the mask{where} from `{case.text(node.value)}` itself, with one entry for each of its {shape[0]} rows.",
        f"{head_zh}请由 `{case.text(node.value)}` 本身算出掩码{where_zh}，让它的 {shape[0]} 行各有一项。",
        (),
        made if made is not None else definition(case, node.slice),
    )


@finds(errors.PERMUTE_COUNT)
def _order(case: Case) -> Finding | None:
    """The order of the dimensions of one sample, for a whole batch."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    shape, numbers = shape_at(case, call.func.value), [constant(case, one) for one in _sizes_of(call)]
    if shape is None or not all(isinstance(one, int) for one in numbers):
        return None
    order = [int(one) for one in numbers if isinstance(one, int)]
    if len(order) == 2 != len(shape) - 1 or (len(order) == 2 and sorted(order) != [0, 1]):
        return None
    en = f"{code(case, call.func.value)} has {len(shape)} dimensions (shape {list(shape)}), and `permute` is given {len(order)}: each must be named once."
    zh = f"{code(case, call.func.value)} 有 {len(shape)} 维（形状 {list(shape)}），而 `permute` 只给了 {len(order)} 个：每一维都要写一次。"
    if len(order) == len(shape) - 1 and sorted(order) == list(range(len(order))):
        text = f"{case.text(call.func)}({', '.join(map(str, [0, *(one + 1 for one in order)]))})"
        return finding(
            case,
            f"{en} Dimension 0 is the batch; keep it first and count the others from 1: `{text}`.",
            f"{zh}第 0 维是批量；请让它留在最前，其余从 1 数起：`{text}`。",
            case.fix(case.replace(call, text), call),
        )
    batched = len(order) == len(shape) + 1 and order[:1] == [0]
    text = f"{case.text(call.func)}({', '.join(map(str, (one - 1 for one in order[1:])))})"
    return finding(
        case,
        f"{en} There is no batch here: `{text}`."
        if batched
        else f"{en} Name {', '.join(map(str, range(len(shape))))} in the new order.",
        f"{zh}这里没有批量维：`{text}`。"
        if batched
        else f"{zh}请按新的次序写出 {'、'.join(map(str, range(len(shape))))}。",
        case.fix(case.replace(call, text), call) if batched else (),
    )


@finds(errors.TOO_MANY_ARGUMENTS, errors.INVALID_COMBINATION)
def _axes_of_transpose(case: Case) -> Finding | None:
    """``x.transpose(2, 0, 1)``, as in NumPy."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr not in ("transpose", "t", "swapaxes"):
        return None
    shape, sizes = shape_at(case, call.func.value), _sizes_of(call)
    numbers = [constant(case, one) for one in sizes]
    if shape is None or len(sizes) != len(shape) or sorted(map(str, numbers)) != sorted(map(str, range(len(shape)))):
        return None
    text = f"{case.operand(call.func.value)}.permute({', '.join(case.text(one) for one in sizes)})"
    return finding(
        case,
        f"`{call.func.attr}` of PyTorch swaps two dimensions; a whole new order, which `transpose` of NumPy takes, is given to"
        f" `permute`. Write `{text}`.",
        f"PyTorch 的 `{call.func.attr}` 只交换两个维度；像 NumPy 的 `transpose` 那样给出全部新次序，要用 `permute`。请写成 `{text}`。",
        case.fix(case.replace(call, text), call),
    )


@finds(errors.NORMALIZED_SHAPE)
def _normalised_elsewhere(case: Case) -> Finding | None:
    """``nn.LayerNorm(channels)`` for what has its channels in another dimension than the last."""
    call = case.find(ast.Call)
    layer = case.value(call.func) if call is not None else None
    if call is None or not call.args or type(layer).__name__ != "LayerNorm":
        return None
    shape, wanted = shape_at(case, call.args[0]), tuple(getattr(layer, "normalized_shape", ()))
    made = maker_of(case, layer) if isinstance(layer, Layer) else None
    if shape is None or made is None or len(wanted) != 1 or len(shape) < 3 or wanted[0] not in shape[1:-1]:
        return None
    at, last = shape.index(wanted[0], 1), len(shape) - 1
    moved = f"{case.text(call.func)}({case.operand(call.args[0])}.transpose({at}, {last})).transpose({at}, {last})"
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} normalises the last dimension, and the {wanted[0]} features of"
        f" {code(case, call.args[0])} (shape {list(shape)}) stand in dimension {at}. Move them last and back: `{moved}`.",
        f"第 {line(made)} 行的 {code(case, made)} 归一化最后一维，而 {code(case, call.args[0])}（形状 {list(shape)}）的 {wanted[0]} 个特征在第 {at} 维。"
        f"请移到最后再移回来：`{moved}`。",
        case.fix(case.replace(call, moved), call),
        call.args[0],
    )


@finds(errors.INDEX_KIND, errors.INDEX_DTYPE, errors.INDEX_FILL_KIND, errors.EMBEDDING_DTYPE)
def _whole_numbers(case: Case) -> Finding | None:
    """Floats where positions are needed."""
    node = case.find(ast.Call) or case.find(ast.Subscript)
    given = (
        [*node.args, *(one.value for one in node.keywords)]
        if isinstance(node, ast.Call)
        else _indices(node)
        if node is not None
        else []
    )
    floats = [one for one in given if (held := Flow(case).tensor(one)) is not None and held.dtype.is_floating_point]
    if node is None or len(floats) != 1 or (isinstance(node, ast.Subscript) and mask_in(case, node) is not None):
        return None
    first = next((one for one in Flow(case).behind(floats[0]) if isinstance(one, ast.Name)), floats[0])
    held = Flow(case).tensor(floats[0])
    made = array_source(case, first) or kind_source(case, floats[0])
    made = born(case, floats[0]) if made is None and isinstance(node, ast.Subscript) else made
    where, where_zh = place(case, first)
    if made is not None and made is not definition(case, first) and line(made) != case.span.line:
        where, where_zh = (
            f" (from {code(case, made)} on line {line(made)})",
            f"（来自第 {line(made)} 行的 {code(case, made)}）",
        )
    what = code(case, node.func) if isinstance(node, ast.Call) else code(case, node.value)
    if (
        isinstance(made, ast.Call)
        and called(made) in ("Tensor", "FloatTensor")
        and isinstance(made.func, ast.Attribute)
    ):
        meant = f"{case.operand(made.func.value)}.tensor"
        return finding(
            case,
            f"`{case.text(made.func)}` on line {line(made)} always makes floats, also of whole numbers, and {what} needs positions there, whole"
            f" numbers: {code(case, floats[0])}. `{meant}`, in small letters, keeps the kind that they have.",
            f"第 {line(made)} 行的 `{case.text(made.func)}` 总是生成浮点数，给它整数也一样，而 {what} 在这里需要位置，即整数：{code(case, floats[0])}。"
            f"小写的 `{meant}` 会保留原来的类型。",
            case.fix(case.replace(made.func, meant), made),
            made,
        )
    if isinstance(node, ast.Subscript) and held is not None and (asked := _asked_for_floats(case, made)) is not None:
        kind = f"{case.operand(asked.value)}.long"
        return finding(
            case,
            f"{code(case, floats[0])} is `{held.dtype}`, for line {line(asked)} makes it with `dtype={case.text(asked)}`, and {what} needs positions there, whole numbers. Make them"
            f" whole there: `dtype={kind}`.",
            f"{code(case, floats[0])} 是 `{held.dtype}`，因为第 {line(asked)} 行用 `dtype={case.text(asked)}` 创建了它，而 {what} 在这里需要位置，即整数。请在那里就创建成整数："
            f"`dtype={kind}`。",
            [case.fix(case.replace(asked, kind), made)],
            made,
        )
    return finding(
        case,
        f"{code(case, floats[0])}{where} is `{held.dtype if held is not None else ''}`, and {what} needs positions there, whole numbers. Convert it:"
        f" `{case.operand(floats[0])}.long()`.",
        f"{code(case, floats[0])}{where_zh} 是 `{held.dtype if held is not None else ''}`，而 {what} 在这里需要位置，即整数。请转换："
        f"`{case.operand(floats[0])}.long()`。",
        case.fix(case.followed(floats[0], ".long()"), node),
        made or definition(case, first),
    )


def _asked_for_floats(case: Case, made: ast.expr | None) -> ast.Attribute | None:
    """``dtype=torch.float32`` where a row of whole numbers was made."""
    whole = case.value(made)
    if not isinstance(made, ast.Call) or not isinstance(whole, Tensor) or whole.dim() != 1 or (whole._a % 1).any():
        return None
    given = [one.value for one in made.keywords if one.arg == "dtype"]
    kinds = [
        one for one in given if isinstance(one, ast.Attribute) and one.attr.startswith(("float", "double", "half"))
    ]
    return kinds[0] if kinds else None


def _indices(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


@finds(errors.INDEX_NOT_SCALAR, mistakes.NOT_INTEGER)
def _count(case: Case) -> Finding | None:
    """``range(n)`` of a tensor of one float."""
    call = case.find(ast.Call)
    node = call.args[-1] if call is not None and call.args else None
    held = Flow(case).tensor(node) if node is not None else None
    if call is None or node is None or not isinstance(held, Tensor) or held.numel() != 1:
        return None
    text = f"int({case.text(node)})"
    where, where_zh = place(case, node)
    return finding(
        case,
        f"{code(case, node)}{where} is a tensor of one `{held.dtype}`, and {code(case, call.func)} counts with whole numbers of Python."
        f" Convert it: `{text}`.",
        f"{code(case, node)}{where_zh} 是含一个 `{held.dtype}` 的张量，而 {code(case, call.func)} 要用 Python 的整数来计数。请转换：`{text}`。",
        case.fix(case.replace(node, text), call),
    )
