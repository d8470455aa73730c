"""Sizes of layers that are neither linear nor convolutions, and of a sum of what goes in and what comes out."""

from __future__ import annotations

import ast
import re

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import first_size, maker_of, running
from gradflow.engine.diagnosis.findings.sizes_written import size_written
from gradflow.engine.diagnosis.findings.words import code, finding, line, text_with, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer


def _made_for(case: Case, kinds: tuple[str, ...], attribute: str, size: int) -> ast.Call | None:
    """The call that made the layer that ran, of one of these kinds and this size."""
    outer, _ = running(case)
    layers = [
        one
        for one in (outer.modules() if outer is not None else ())
        if type(one).__name__.startswith(kinds) and one.__dict__.get(attribute) == size
    ]
    return maker_of(case, layers[0]) if layers else None


@finds(errors.MODULE_RUNTIME)
def _recurrent_input(case: Case) -> Finding | None:
    """A recurrent layer for inputs of another size."""
    told = re.search(r"input_size\. Expected (\d+), got (\d+)", str(case.details.get("message")))
    if told is None:
        return None
    wanted, given = int(told[1]), int(told[2])
    made = _made_for(case, ("RNN", "LSTM", "GRU"), "input_size", wanted)
    first = first_size(made) if made is not None else None
    if made is None or first is None:
        return None
    text = size_written(case, first, given)
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} takes {wanted} numbers at every step, and its input has {given} in the last"
        f" dimension. Make it for {given}: `{text_with(case, made, first, text)}`.",
        f"第 {line(made)} 行的 {code(case, made)} 每一步要求 {wanted} 个数，而输入的最后一维是 {given} 个。请按 {given} 创建："
        f"`{text_with(case, made, first, text)}`。",
        write(case, first, text, made),
        made,
    )


def _layer_before(case: Case, made: ast.Call) -> ast.Call | None:
    """The layer that stands before one in a list or a row of layers."""
    outer = case.parents.get(made)
    row = outer.elts if isinstance(outer, ast.List | ast.Tuple) else outer.args if isinstance(outer, ast.Call) else []
    before = row[row.index(made) - 1] if made in row and row.index(made) else None
    name = called(before) if isinstance(before, ast.Call) else ""
    return before if isinstance(before, ast.Call) and name.startswith(("Linear", "Conv")) else None


def _normalising(case: Case, wanted: int, given: int) -> ast.Call | None:
    """The call that made the layer that ran: of several of its size the one behind a layer of as many channels as there are."""
    outer, _ = running(case)
    layers = [
        one
        for one in (outer.modules() if outer is not None else ())
        if type(one).__name__.startswith(("BatchNorm", "InstanceNorm")) and one.__dict__.get("num_features") == wanted
    ]
    made = list(dict.fromkeys(call for one in layers if (call := maker_of(case, one)) is not None))
    if len(made) < 2:
        return (
            made[0]
            if made and len(layers) == 1
            else _made_for(case, ("BatchNorm", "InstanceNorm"), "num_features", wanted)
        )
    behind = [one for one in made if _gives_channels(case, _layer_before(case, one)) == given]
    return behind[0] if behind else None


def _gives_channels(case: Case, call: ast.Call | None) -> object:
    """How many channels or features a layer gives."""
    words = {one.arg: one.value for one in call.keywords} if call is not None else {}
    size = words.get("out_channels", words.get("out_features"))
    return case.value(call.args[1] if call is not None and len(call.args) > 1 else size)


@finds(errors.CHANNEL_COUNT)
def _normalised_channels(case: Case) -> Finding | None:
    """Batch normalisation of another number of channels."""
    wanted, given = case.details.get("given"), case.details.get("channels")
    if not isinstance(wanted, int) or not isinstance(given, int):
        return None
    made = _normalising(case, wanted, given)
    first = first_size(made) if made is not None else None
    if made is None or first is None:
        return None
    before = _layer_before(case, made)
    size = before.args[1] if before is not None and len(before.args) > 1 else None
    written = size is None or isinstance(size, ast.Constant)
    text = size_written(case, first, given) if written or size is None else case.text(size)
    shown = f": `{text_with(case, made, first, text)}`" if text != str(given) else ""
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} normalises {wanted} channels, and the layer before it gives {given} (dimension 1"
        f" of its output). Make it for {given}{shown}.",
        f"第 {line(made)} 行的 {code(case, made)} 归一化 {wanted} 个通道，而它前面的层给出 {given} 个（输出的第 1 维）。请按 {given} 创建{shown.replace(': ', '：')}。",
        write(case, first, text, made),
        made,
    )


@finds(errors.SHAPE_BROADCAST)
def _residual(case: Case) -> Finding | None:
    """``x + self.conv(x)``, where the convolution changes the size."""
    node = case.find(ast.BinOp)
    if node is None or not isinstance(node.op, ast.Add):
        return None
    flow = Flow(case)
    for side, other in ((node.left, node.right), (node.right, node.left)):
        inner = [one for one in ast.walk(side) if isinstance(one, ast.Call) and isinstance(case.value(one.func), Layer)]
        before, after = flow.tensor(other), flow.tensor(side)
        if (
            not isinstance(other, ast.Name)
            or not inner
            or before is None
            or after is None
            or before.dim() != after.dim()
        ):
            continue
        layer = case.value(inner[-1].func)
        kind, sizes = type(layer).__name__, (list(before.shape), list(after.shape))
        made = maker_of(case, layer) if isinstance(layer, Layer) and kind.startswith("Conv") else None
        if made is None or case.text(inner[-1].args[0]) != other.id:
            continue
        first = flow.tensor(inner[-1])
        if first is not None and list(first.shape) == sizes[0]:
            return _shrunk_later(case, inner, other, sizes)
        if sizes[0][1] == sizes[1][1] and sizes[0][2:] != sizes[1][2:]:
            return _shrunk(case, made, other, sizes, int(layer.kernel_size[0]))  # type: ignore[attr-defined]
        strided = sizes[0][2:] != sizes[1][2:]
        stride = next((case.text(one.value) for one in made.keywords if one.arg == "stride"), "") if strided else ""
        also = f" and `stride={stride}`, which brings it to the same size as well" if stride else ""
        also_zh = f"、`stride={stride}`（让大小也一起变小）" if stride else ""
        return finding(
            case,
            f"{code(case, made)} on line {line(made)} makes {sizes[1]} of `{other.id}`, which is {sizes[0]}, and the two are added. Bring `{other.id}` to"
            f" {sizes[1][1]} channels in the same way, with a convolution of kernel size 1{also}.",
            f"第 {line(made)} 行的 {code(case, made)} 把形状是 {sizes[0]} 的 `{other.id}` 变成 {sizes[1]}，而两者要相加。请用卷积核大小为 1{also_zh} 的卷积把"
            f" `{other.id}` 也变成 {sizes[1][1]} 个通道。",
            (),
            made,
        )
    return None


def _shrunk_later(
    case: Case, calls: list[ast.Call], other: ast.Name, sizes: tuple[list[int], list[int]]
) -> Finding | None:
    """``x + self.pool(self.conv(x))``: the convolution keeps the size, and another layer does not."""
    flow = Flow(case)
    for call in calls[::-1]:
        after, layer = flow.tensor(call), case.value(call.func)
        if after is None or list(after.shape) == sizes[0] or not isinstance(layer, Layer):
            continue
        made = maker_of(case, layer)
        where, where_zh = (
            (f" ({code(case, made)}, line {line(made)})", f"（第 {line(made)} 行的 {code(case, made)}）")
            if made is not None
            else ("", "")
        )
        text = f"{case.text(call.func)}({other.id})"
        return finding(
            case,
            f"{code(case, call.func)}{where} makes {list(after.shape)} of {sizes[0]}, so it is added to `{other.id}`, which still has {sizes[0]}. Do the"
            f" same to `{other.id}`, `{text}`, or add before the size changes.",
            f"{code(case, call.func)}{where_zh} 把 {sizes[0]} 变成 {list(after.shape)}，再与仍是 {sizes[0]} 的 `{other.id}` 相加。请对 `{other.id}` 做同样的事"
            f" `{text}`，或者在大小改变之前相加。",
            case.fix(case.replace(other, text), case.parents.get(other)) if sizes[0][1] == sizes[1][1] else (),
            made,
        )
    return None


def _shrunk(case: Case, made: ast.Call, other: ast.Name, sizes: tuple[list[int], list[int]], kernel: int) -> Finding:
    padded = kernel % 2 == 1 and not any(keyword.arg == "padding" for keyword in made.keywords)
    text = f"padding={kernel // 2}"
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} has no padding that keeps the size: it makes {sizes[1]} of {sizes[0]}, and the two"
        f" are added. Keep the size: `{text}`.",
        f"第 {line(made)} 行的 {code(case, made)} 没有保持大小的填充：它把 {sizes[0]} 变成 {sizes[1]}，而两者要相加。请保持大小：`{text}`。",
        case.fix(case.argument(made, text), made) if padded else (),
        made,
    )


@finds(errors.SHAPE_BROADCAST, errors.BCE_SIZE, errors.BCE_LOGITS_SIZE)
def _output_size(case: Case) -> Finding | None:
    """A last layer with another number of outputs than the target has columns."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2:
        return None
    flow = Flow(case)
    output, target = flow.tensor(call.args[0]), flow.tensor(call.args[1])
    if output is None or target is None or output.dim() != target.dim() or output.dim() < 2:
        return None
    given, wanted = int(output.shape[-1]), int(target.shape[-1])
    if given == wanted or 1 in (given, wanted) or list(output.shape)[:-1] != list(target.shape)[:-1]:
        return None
    models = [case.value(one.func) for one in flow.behind(call.args[0]) if isinstance(one, ast.Call)]
    layers = [
        one for model in models if isinstance(model, Layer) for one in model.modules() if hasattr(one, "out_features")
    ]
    fitting = [one for one in layers if one.out_features == given]
    made = maker_of(case, fitting[-1]) if fitting else None
    if made is None or len(made.args) < 2:
        return None
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} gives {given} numbers for each sample, and the target {code(case, call.args[1])} has"
        f" {wanted}. Make the layer with {wanted} outputs.",
        f"第 {line(made)} 行的 {code(case, made)} 为每个样本给出 {given} 个数，而目标 {code(case, call.args[1])} 有 {wanted} 个。请让这一层有"
        f" {wanted} 个输出。",
        write(case, made.args[1], size_written(case, made.args[1], wanted), made),
        made,
    )


@finds(errors.CONV_KERNEL)
def _window(case: Case) -> Finding | None:
    """A convolution whose window is larger than what the layers before have left of the image."""
    outer, _ = running(case)
    size, kernel = str(case.details.get("size", "")), str(case.details.get("kernel", ""))
    wanted = [int(one) for one in re.findall(r"\d+", kernel)]
    layers = [
        one
        for one in (outer.modules() if outer is not None else ())
        if type(one).__name__.startswith("Conv") and list(getattr(one, "kernel_size", ())) == wanted
    ]
    made = maker_of(case, layers[-1]) if layers else None
    if made is None:
        return None
    if (short := _short_input(case, outer, made, kernel)) is not None:
        return short
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} has a window of {kernel}, and only {size} is left of its input by then, for each"
        f" layer before makes it smaller. Use a smaller window, `padding`, fewer layers, or a larger image.",
        f"第 {line(made)} 行的 {code(case, made)} 的窗口是 {kernel}，而这时输入只剩 {size}，因为前面每一层都会把它变小。请用更小的窗口、`padding`、更少的"
        f"层，或者更大的图片。",
        (),
        made,
    )


def _short_input(case: Case, outer: Layer | None, made: ast.Call, kernel: str) -> Finding | None:
    """An input that is too small from the beginning: the convolution is the layer that is called."""
    call = case.find(ast.Call)
    if call is None or not call.args or not type(outer).__name__.startswith("Conv"):
        return None
    given = Flow(case).tensor(call.args[0])
    if given is None:
        return None
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} has a window of {kernel}, and its input {code(case, call.args[0])}, of shape {list(given.shape)}, is"
        f" smaller than that behind batch and channels. Fill the input up to at least the window, give the layer `padding`, or take a smaller window.",
        f"第 {line(made)} 行的 {code(case, made)} 的窗口是 {kernel}，而输入 {code(case, call.args[0])} 的形状是 {list(given.shape)}，批量和通道之后的大小比窗口小。请把输入补到"
        f"至少窗口那么大，给这一层加上 `padding`，或者用更小的窗口。",
        (),
        made,
    )


@finds(errors.NORMALIZED_SHAPE)
def _normalised_size(case: Case) -> Finding | None:
    """Layer normalisation of another size."""
    outer, call = running(case)
    layers = [one for one in (outer.modules() if outer is not None else ()) if type(one).__name__ == "LayerNorm"]
    made = [one for one in case.nodes(ast.Call) if getattr(one.func, "attr", "") == "LayerNorm"]
    told = re.search(r"input of size\[(.*)\]", str(case.details.get("message", "")))
    given = Flow(case).tensor(call.args[0]) if call is not None and call.args and outer in layers else None
    last = int(given.shape[-1]) if given is not None else int(told[1].split(",")[-1]) if told else None
    if len(layers) != 1 or len(made) != 1 or not made[0].args or last is None:
        return None
    text = size_written(case, made[0].args[0], last)
    shown = text_with(case, made[0], made[0].args[0], text)
    return finding(
        case,
        f"{code(case, made[0])} on line {line(made[0])} normalises the last dimension, which is {last} here. Make it for {last}: `{shown}`.",
        f"第 {line(made[0])} 行的 {code(case, made[0])} 归一化最后一维，而这里最后一维是 {last}。请按 {last} 创建：`{shown}`。",
        write(case, made[0].args[0], text, made[0]),
        made[0],
    )
