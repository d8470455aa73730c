"""Images: classes of every pixel, channels of layers that grow them, windows and their padding, places of the largest."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, is_simple
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.layers import maker_of, running
from gradflow.engine.diagnosis.findings.sizes_written import size_written
from gradflow.engine.diagnosis.findings.words import code, finding, line, on_line, text_with, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor

_USUAL: Final = (255, -100, 254)
"""Numbers that masks of public data sets hold where nothing is known."""


@finds(errors.TARGET_RANGE)
def _ignored_class(case: Case) -> Finding | None:
    """255 in a mask, for what is not to count."""
    call = case.find(ast.Call)
    wrong = case.details.get("target")
    if call is None or len(call.args) < 2 or wrong not in _USUAL:
        return None
    scores, target = Flow(case).tensor(call.args[0]), Flow(case).tensor(call.args[1])
    if scores is None or target is None or scores.dim() < 2:
        return None
    others = target._a[target._a != wrong]
    if others.size and not 0 <= int(others.min()) <= int(others.max()) < int(scores.shape[1]):
        return None
    loss = call.func if isinstance(call.func, ast.Call) else definition(case, call.func)
    place = loss if isinstance(loss, ast.Call) else call
    text = f"ignore_index={wrong}"
    return finding(
        case,
        f"{code(case, call.args[1])} holds {wrong}, and all its other classes are below {int(scores.shape[1])}, the number of scores: {wrong} commonly marks"
        f" what has no class and is not to count. Say so to the loss: `{text}`.",
        f"{code(case, call.args[1])} 里有 {wrong}，而其他类别都小于得分的个数 {int(scores.shape[1])}：{wrong} 通常标记没有类别、不应计入的位置。请告诉损失：`{text}`。",
        case.fix(case.argument(place, text), place),
        call.args[1],
    )


@finds(errors.TARGET_SPATIAL_SIZE)
def _mask_of_another_size(case: Case) -> Finding | None:
    """Scores of an image that was made smaller, and a mask of its full size."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2:
        return None
    scores, target = shape_at(case, call.args[0]), shape_at(case, call.args[1])
    if scores is None or target is None or len(scores) != 4 or len(target) != 3:
        return None
    inner = case.text(call.args[0])
    torch = case.module_alias("torch") or "torch"
    text = f"{torch}.nn.functional.interpolate({inner}, size={case.operand(call.args[1])}.shape[-2:])"
    smaller = scores[2] < target[1]
    return finding(
        case,
        f"{code(case, call.args[0])} gives scores for {scores[2]}×{scores[3]} places, and the mask {code(case, call.args[1])} has {target[1]}×{target[2]}:"
        f" the layers make the image {'smaller' if smaller else 'larger'}. Bring the scores to the size of the mask, `{text}`, or keep the size in the"
        f" layers (`stride`, `padding`).",
        f"{code(case, call.args[0])} 给出 {scores[2]}×{scores[3]} 个位置的得分，而掩码 {code(case, call.args[1])} 有 {target[1]}×{target[2]} 个：各层把图片变"
        f"{'小' if smaller else '大'}了。请把得分变成掩码的大小：`{text}`，或者让各层保持大小（`stride`、`padding`）。",
        write(case, call.args[0], text, call),
        call.args[0],
    )


@finds(errors.CONV_TRANSPOSED_CHANNELS)
def _transposed_channels(case: Case) -> Finding | None:
    """A transposed convolution for another number of channels."""
    outer, call = running(case)
    weight, wanted, given = (case.details.get(name) for name in ("weight", "wanted", "given"))
    if outer is None or call is None or not isinstance(weight, list | tuple) or not isinstance(given, int):
        return None
    found = [
        one
        for one in outer.modules()
        if type(one).__name__.startswith("ConvTranspose")
        and isinstance(getattr(one, "weight", None), Tensor)
        and list(one.weight.shape) == list(weight)
    ]
    made = maker_of(case, found[0]) if found else None
    if made is None or not made.args:
        return None
    text = size_written(case, made.args[0], given)
    shown = text_with(case, made, made.args[0], text)
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} takes images of {wanted} channels, its first number, and is given {given}. Make the layer for {given}"
        f" channels: `{shown}`.",
        f"第 {line(made)} 行的 {code(case, made)} 要求输入有 {wanted} 个通道，即它的第一个数，而给它的有 {given} 个。请按 {given} 个通道创建这一层：`{shown}`。",
        write(case, made.args[0], text, made),
        made,
    )


@finds(errors.CONV_INPUT)
def _noise_without_places(case: Case) -> Finding | None:
    """``generator(torch.randn(8, 100))`` of transposed convolutions."""
    _, call = running(case)
    shape = shape_at(case, call.args[0]) if call is not None and call.args else None
    dims = case.details.get("batched")
    if call is None or shape is None or len(shape) != 2 or dims not in (3, 4, 5):
        return None
    layers = [one for one in getattr(case.value(call.func), "modules", list)() if type(one).__name__.startswith("Conv")]
    if not layers or layers[0].__dict__.get("in_channels") != shape[1]:
        return None
    ones = ", ".join(["1"] * (int(str(dims)) - 2))
    given = call.args[0]
    inner = case.text(given) if is_simple(given) or isinstance(given, ast.Call) else f"({case.text(given)})"
    text = f"{inner}.reshape(-1, {shape[1]}, {ones})"
    if is_simple(given):
        text = f"{inner}.reshape({inner}.size(0), {shape[1]}, {ones})"
    return finding(
        case,
        f"{code(case, given)} has the shape {list(shape)}, {shape[1]} numbers for each sample, and a convolution takes channels with places behind them. Make"
        f" the numbers channels of one place: `{text}`.",
        f"{code(case, given)} 的形状是 {list(shape)}，每个样本 {shape[1]} 个数，而卷积需要通道以及后面的空间维。请把这些数当作只有一个位置的通道：`{text}`。",
        write(case, given, text, call),
        given,
    )


@finds(errors.CONV_CHANNELS)
def _kernel_for_each_channel(case: Case) -> Finding | None:
    """``F.conv2d(img, kernel)`` of one kernel for each channel, without ``groups``."""
    call = case.find(ast.Call)
    if call is None or called(call) not in ("conv1d", "conv2d", "conv3d") or len(call.args) < 2:
        return None
    if argument_of(call, 6, "groups") is not None:
        return None
    image, weight = shape_at(case, call.args[0]), shape_at(case, call.args[1])
    if image is None or weight is None or len(image) != len(weight) or weight[1] != 1:
        return None
    if weight[0] != image[1] or image[1] < 2:
        return None
    text = f"groups={image[1]}"
    where, where_zh = on_line(definition(case, call.args[1]))
    return finding(
        case,
        f"{code(case, call.args[1])}{where} has the shape {list(weight)}: {weight[0]} kernels of one channel each, one for every channel of"
        f" {code(case, call.args[0])}. For each to go over its own channel, divide them into groups: `{text}`.",
        f"{code(case, call.args[1])}{where_zh} 的形状是 {list(weight)}：{weight[0]} 个单通道的卷积核，{code(case, call.args[0])} 的每个通道一个。要让每个卷积核只作用于自己的"
        f"通道，请分组：`{text}`。",
        case.fix(case.argument(call, text), call),
        call,
    )


@finds(errors.MODULE_ARGUMENT)
def _padding_in_capitals(case: Case) -> Finding | None:
    """``padding="SAME"``, as TensorFlow writes it."""
    call = case.find(ast.Call)
    given = argument_of(call, 4, "padding") if call is not None else None
    word = case.value(given) if given is not None else None
    if (
        call is None
        or given is None
        or not isinstance(word, str)
        or "padding string" not in str(case.details.get("message"))
    ):
        return None
    if word.lower() not in ("same", "valid"):
        return None
    text = f'"{word.lower()}"'
    return finding(
        case,
        f"`padding` in words is written in small letters: {code(case, given)} is how TensorFlow has it. Write `{text}`.",
        f"`padding` 的文字写法用小写字母：{code(case, given)} 是 TensorFlow 的写法。请写 `{text}`。",
        write(case, given, text, call),
        given,
    )


@finds(errors.POOL_PADDING)
def _padding_beyond_half(case: Case) -> Finding | None:
    """``nn.MaxPool2d(2, padding=2)``."""
    outer, call = running(case)
    pad, kernel = case.details.get("pad"), case.details.get("kernel")
    if call is None or not isinstance(pad, int) or not isinstance(kernel, int):
        return None
    layers = [one for one in (outer.modules() if outer is not None else ()) if "Pool" in type(one).__name__]
    made = maker_of(case, layers[0]) if len(layers) == 1 else call if outer is None else None
    if made is None:
        return None
    half = kernel // 2
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} has a window of {kernel} and a padding of {pad}, and at most half of the window, {half}, may lie outside of"
        f" the image. Take a padding of {half} or less, or a larger window.",
        f"第 {line(made)} 行的 {code(case, made)} 的窗口是 {kernel}，填充是 {pad}，而窗口最多只能有一半（{half}）在图片之外。请把填充改为不超过 {half}，或者用更大的窗口。",
        (),
        made,
    )


# -- pools that tell their places --------------------------------------------------------------------------------------


def _pool(case: Case, node: ast.expr) -> tuple[ast.Call, ast.Call] | None:
    """The call that made a layer of pooling, and the call of it that gave a value."""
    made = definition(case, node)
    layer = case.value(made.func) if isinstance(made, ast.Call) else None
    if not isinstance(made, ast.Call) or not isinstance(layer, Layer) or "MaxPool" not in type(layer).__name__:
        return None
    maker = maker_of(case, layer)
    return (maker, made) if maker is not None else None


@finds(errors.INVALID_COMBINATION, errors.ARGUMENT_TYPE, errors.NO_ATTRIBUTE, python.ATTRIBUTE, mistakes.OPERAND_TYPES)
def _places_beside(case: Case) -> Finding | None:
    """``conv(pool(x))`` of a pool with ``return_indices=True``."""
    failed = case.find(ast.expr)
    for node in ast.walk(failed) if failed is not None else ():
        if not isinstance(node, ast.Name | ast.Call) or isinstance(case.parents.get(node), ast.Subscript):
            continue
        found = _pool(case, node)
        flag = (
            next(
                (one for one in found[0].keywords if one.arg == "return_indices" and case.value(one.value) is True),
                None,
            )
            if found is not None
            else None
        )
        if found is None or flag is None:
            continue
        maker, made = found
        text = f"{case.operand(made)}[0]"
        return finding(
            case,
            f"{code(case, made)} gives two things, the largest values and their places, for {code(case, maker)} on line {line(maker)} was told"
            f" `return_indices=True`. Take the values, `{text}`, or, if the places are not needed, leave the argument out there.",
            f"{code(case, made)} 给出两样东西：最大的值和它们的位置，因为第 {line(maker)} 行的 {code(case, maker)} 写了 `return_indices=True`。请取值：`{text}`；如果不需要位置，"
            f"就去掉那里的参数。",
            [case.fix(case.after(made, "[0]"), made), case.fix(case.without_argument(maker, flag), maker)],
            maker,
        )
    return None


@finds(errors.MISSING_PYTHON_ARGUMENT)
def _places_missing(case: Case) -> Finding | None:
    """``unpool(pool(x))`` without the places that the pool found."""
    call = case.find(ast.Call)
    if call is None or "MaxUnpool" not in str(case.details.get("function", "")) or len(call.args) != 1:
        return None
    found = _pool(case, call.args[0])
    if found is None:
        return None
    maker, made = found
    unpack = f"{case.text(call.func)}(*{case.text(made)})"
    text = "return_indices=True"
    edits = [*case.argument(maker, text), *case.before(made, "*")] if made is call.args[0] else []
    return finding(
        case,
        f"`{case.text(call.func)}` puts every value back where it was the largest, and needs these places. {code(case, maker)} on line {line(maker)} gives them"
        f" if it is told `{text}`; hand both on: `{unpack}`.",
        f"`{case.text(call.func)}` 把每个值放回它曾是最大值的位置，所以需要这些位置。第 {line(maker)} 行的 {code(case, maker)} 在写上 `{text}` 时会给出它们；请把两样一起传过去：`{unpack}`。",
        case.fix(edits, call) if edits else (),
        maker,
    )
