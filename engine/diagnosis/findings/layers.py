"""Sizes of layers that do not fit what they are given: the cause stands where the layer was made, or its input."""

from __future__ import annotations

import ast
from math import prod
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.causes.births import called_elsewhere, joined_elsewhere
from gradflow.engine.diagnosis.findings.elsewhere.settings import set_elsewhere
from gradflow.engine.diagnosis.findings.kindred.flattened import size_of_maps
from gradflow.engine.diagnosis.findings.nearer.computed_sizes import is_swapped
from gradflow.engine.diagnosis.findings.origins.directions import both_ways
from gradflow.engine.diagnosis.findings.sizes_written import size_written
from gradflow.engine.diagnosis.findings.words import code, finding, line, text_with, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import operands_of
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

LAYER_OF: Final = {
    "relu": "ReLU",
    "tanh": "Tanh",
    "sigmoid": "Sigmoid",
    "softplus": "Softplus",
    "gelu": "GELU",
    "elu": "ELU",
    "selu": "SELU",
    "silu": "SiLU",
    "leaky_relu": "LeakyReLU",
    "flatten": "Flatten",
}
"""The layer that does what a function does."""
MADE_LAYER_OF: Final = {function: f"{layer}()" for function, layer in LAYER_OF.items()} | {
    "softmax": "Softmax(dim=-1)",
    "log_softmax": "LogSoftmax(dim=-1)",
    "dropout": "Dropout()",
    "mish": "Mish()",
    "hardtanh": "Hardtanh()",
    "logsigmoid": "LogSigmoid()",
}
"""How the layer is made that does what a function does."""
_SIZE = {
    "Linear": ("in_features", 0),
    "Conv1d": ("in_channels", 0),
    "Conv2d": ("in_channels", 0),
    "Conv3d": ("in_channels", 0),
    "BatchNorm1d": ("num_features", 0),
    "BatchNorm2d": ("num_features", 0),
    "RNN": ("input_size", 0),
    "LSTM": ("input_size", 0),
    "GRU": ("input_size", 0),
}

PAIRS = ("RNN", "LSTM", "GRU", "MultiheadAttention")
"""Layers that give two things."""
_REDUCTIONS = frozenset({"sum", "mean", "amax", "amin", "prod", "logsumexp", "select"})


def maker_of(case: Case, layer: Layer) -> ast.Call | None:
    """The call of the program that made a layer: where its parameters were made, or the only one of its class and sizes."""
    name = type(layer).__name__
    calls = [one for one in case.nodes(ast.Call) if called(one) == name]
    for parameter in layer.parameters(recurse=False):
        entry = parameter._entry
        if entry is not None and (made := case.at(ast.Call, entry.first.place)) in calls:
            return made
    if len(calls) == 1:
        return calls[0]
    sizes = [getattr(layer, word, None) for word in ("in_features", "in_channels", "num_features", "input_size")]
    wanted = next((size for size in sizes if size is not None), None)
    outer = [getattr(layer, word, None) for word in ("out_features", "out_channels", "hidden_size")]
    fitting = [one for one in calls if constant(case, _first(one, name)) == wanted]
    exact = [one for one in fitting if constant(case, _second(one)) in (None, *outer)]
    return next((chosen[0] for chosen in (exact, fitting) if len(chosen) == 1), None)


def _first(call: ast.Call, name: str) -> ast.expr | None:
    word = _SIZE.get(name, ("", 0))[0]
    return call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == word), None)


def first_size(call: ast.Call) -> ast.expr | None:
    """The argument that says for inputs of which size a layer is made."""
    return _first(call, called(call))


def _second(call: ast.Call) -> ast.expr | None:
    names = ("out_features", "out_channels", "hidden_size")
    return call.args[1] if len(call.args) > 1 else next((k.value for k in call.keywords if k.arg in names), None)


def constant(case: Case, node: ast.expr | None) -> object:
    """The value of a number, or of a product of numbers, as it is written; of a name where it has one value."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.BinOp(left=left, op=op, right=right):
            a, b = constant(case, left), constant(case, right)
            if isinstance(a, int) and isinstance(b, int):
                match op:
                    case ast.Mult():
                        return a * b
                    case ast.Add():
                        return a + b
                    case ast.FloorDiv() if b:
                        return a // b
        case ast.Name():
            held = case.value(node)
            if isinstance(held, int):
                return held
            for given in Flow(case).assigned(node, node.id):
                return constant(case, given)
    return None


def written(node: ast.expr | None) -> object:
    """A number as it is written, with its sign."""
    try:
        return None if node is None else ast.literal_eval(node)
    except ValueError:
        return None


def running(case: Case) -> tuple[Layer | None, ast.Call | None]:
    """The innermost layer of PyTorch's that was running when the error was raised, and the call of the program."""
    call = case.find(ast.Call)
    value = case.value(call.func) if call is not None else None
    if not isinstance(value, Layer):
        return None, call
    return value, call


def _failing(case: Case, layer: Layer, matches: tuple[int, ...]) -> Layer | None:
    """Of the layers inside of one the one whose weight has this shape."""
    found = [
        one
        for one in layer.modules()
        if isinstance(getattr(one, "weight", None), Tensor) and tuple(one.weight.shape) == matches
    ]
    return found[0] if len({id(one) for one in found}) == 1 else None


def _begins_with(outer: Layer, layer: Layer) -> bool:
    """Whether a row of layers begins with this one."""
    return type(outer).__name__ == "Sequential" and next(iter(outer.children()), None) is layer


def failing_linear(case: Case, outer: Layer | None) -> Layer | None:
    """The linear layer inside of one whose weight did not fit."""
    given, weight = _shape(case, "mat1"), _shape(case, "mat2")
    return (
        _failing(case, outer, (weight[1], weight[0])) if outer is not None and len(given) == len(weight) == 2 else None
    )


@finds(errors.MM_SHAPE)
def _reduced_features(case: Case) -> Finding | None:
    """``x.sum(dim=2)`` in front of a layer that needs the features of dimension 2."""
    outer, call = running(case)
    layer = failing_linear(case, outer)
    if layer is None or call is None or not call.args:
        return None
    flow = Flow(case)
    needed, given = int(layer.in_features), flow.tensor(call.args[0])
    for node in flow.behind(call.args[0]):
        made = flow.tensor(node)
        if isinstance(made, Tensor) and given is not None and made.shape != given.shape:
            return None
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr not in _REDUCTIONS or made is None:
            continue
        of_torch = isinstance(node.func.value, ast.Name) and node.func.value.id == case.module_alias("torch")
        source = node.args[0] if of_torch and node.args else node.func.value
        before, dim = flow.tensor(source), argument_of(node, 1 if of_torch else 0, "dim")
        number = written(dim)
        if before is None or dim is None or not isinstance(number, int) or before.dim() < 3:
            return None
        if number % before.dim() != before.dim() - 1 or int(before.shape[-1]) != needed:
            return None
        other = before.dim() - 2
        return finding(
            case,
            f"{code(case, node)} on line {line(node)} takes the last dimension of {code(case, source)}, of shape"
            f" {list(before.shape)}, away, and its {needed} features are what {code(case, call.func)} needs. Reduce over dimension"
            f" {other}: `dim={other}`.",
            f"第 {line(node)} 行的 {code(case, node)} 去掉了 {code(case, source)}（形状 {list(before.shape)}）的最后一维，而其中的 {needed} 个"
            f"特征正是 {code(case, call.func)} 需要的。请沿第 {other} 维计算：`dim={other}`。",
            case.fix(case.replace(dim, str(other)), node),
            node,
        )
    return None


@finds(errors.MM_SHAPE)
def _linear(case: Case) -> Finding | None:
    """A linear layer for inputs of another size."""
    given, weight = _shape(case, "mat1"), _shape(case, "mat2")
    outer, call = running(case)
    if (layer := failing_linear(case, outer)) is None or call is None:
        return None
    source = Flow(case).tensor(call.args[0]) if call.args else None
    shape = tuple(source.shape) if isinstance(source, Tensor) else given
    size = given[1]
    first_of_all = outer is layer or (outer is not None and _begins_with(outer, layer))
    if first_of_all and len(shape) > 2 and prod(shape[1:]) == weight[0]:
        return finding(
            case,
            f"{code(case, call.args[0])} has the shape {list(shape)}, and the layer looks at the last dimension alone, of"
            f" {size}; it was made for the {weight[0]} numbers of a whole sample. Flatten each sample first: `.flatten(1)`.",
            f"{code(case, call.args[0])} 的形状是 {list(shape)}，而这一层只看最后一维的 {size} 个数；它是为整个样本的 {weight[0]} 个数"
            f"创建的。请先把每个样本展平：`.flatten(1)`。",
            case.fix(case.followed(call.args[0], ".flatten(1)"), call),
            call,
        )
    if isinstance(source, Tensor) and source.dim() == 1 and weight[0] == 1:
        return _column(case, call, shape)
    made = maker_of(case, layer)
    if made is None:
        return None
    first = _first(made, "Linear")
    if first is not None and (images := _images(case, call, made, first, given)) is not None:
        return images
    text, maps, maps_zh = size_of_maps(case, call, first, given) if first is not None else (str(size), "", "")
    if first is not None and weight[1] == size and is_swapped(case, made):
        return _swapped(case, made, weight, size)
    fix = write(case, first, text, made) if first is not None else None
    if outer is layer and len(shape) == 2 and shape[0] == weight[0] != shape[1]:
        return _across(case, call, made, shape, fix)
    needs = f"{weight[0]} numbers for each sample", f"每个样本有 {weight[0]} 个数"
    has = (
        f"here each sample has {size} (the input is {given[0]}×{size})",
        f"这里每个样本有 {size} 个（输入是 {given[0]}×{size}）",
    )
    sizes = weight[0], size, text
    if fix is not None and (setting := set_elsewhere(case, made, first, sizes, needs, has)) is not None:
        return setting
    why, why_zh = both_ways(case, call.args[0], size) if call.args else ("", "")
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} takes {needs[0]}, and {has[0]}.{maps}{why} Make the layer for {size}:"
        f" `{_with_size(case, made, first, text)}`.",
        f"第 {line(made)} 行的 {code(case, made)} 要求{needs[1]}，而{has[1]}。{maps_zh}{why_zh}请按 {size} 创建这一层：`{_with_size(case, made, first, text)}`。",
        fix,
        made,
    )


def _images(case: Case, call: ast.Call, made: ast.Call, first: ast.expr, given: tuple[int, ...]) -> Finding | None:
    """What convolutions give, (batch, channels, height, width), for a linear layer that nothing flattens before."""
    span = case.program.span_of(call)
    inside = case.context.within_call(span) if span is not None else ()
    source = Flow(case).tensor(call.args[0]) if call.args else None
    arrays = [each.array for one in inside for each in (one, *operands_of(one))]
    arrays += [source._a] if source is not None else []
    shapes = [tuple(map(int, one.shape)) for one in arrays]
    fitting = [one for one in shapes if len(one) == 4 and prod(one[:-1]) == given[0] and one[-1] == given[1]]
    if not fitting:
        return None
    shape = fitting[-1]
    convolved = [one for one in Flow(case).behind(call) if isinstance(one, ast.Call)]
    names = {name for one in convolved if isinstance(value := case.value(one.func), Layer) for name in _kinds(value)}
    if not any(name.startswith(("Conv", "MaxPool", "AvgPool")) for name in names):
        return None
    each = prod(shape[1:])
    nn = case.text(made.func).rpartition(".")[0]
    listed = isinstance(case.parents.get(made), ast.Call | ast.List)
    flat = f"{nn + '.' if nn else ''}Flatten()" if listed else f"{case.operand(call.args[0])}.flatten(1)"
    size = f"{shape[1]} * {shape[2]} * {shape[3]}"
    edits = [*case.replace(first, size)] if constant(case, first) != each else []
    edits += case.before(made, f"{flat}, ") if listed else case.followed(call.args[0], ".flatten(1)")
    text = text_with(case, made, first, size)
    return finding(
        case,
        f"What reaches {code(case, made)} (line {line(made)}) has the shape {list(shape)}, images with their channels, and the layer looks at the last"
        f" dimension alone. Lay each sample out in a row before it, `{flat}`, and make the layer for these {each} numbers: `{text}`.",
        f"到达第 {line(made)} 行 {code(case, made)} 的是形状 {list(shape)} 的图片（含通道），而这一层只看最后一维。请先把每个样本排成一行 `{flat}`，并按这 {each} 个数创建这一层："
        f"`{text}`。",
        case.fix(edits, made),
        made,
    )


def _kinds(layer: Layer) -> set[str]:
    return {type(one).__name__ for one in layer.modules()}


def _column(case: Case, call: ast.Call, shape: tuple[int, ...]) -> Finding:
    """A vector of samples for a layer that takes one number of each."""
    given = call.args[0]
    return finding(
        case,
        f"{code(case, given)} is a vector of {shape[0]} numbers, and a layer takes a vector for one sample; here each number is a"
        f" sample of its own. Make it a column, one row for each sample: `.unsqueeze(1)`.",
        f"{code(case, given)} 是含 {shape[0]} 个数的向量，而层会把一个向量当作一个样本；这里每个数各是一个样本。请变成一列，每个样本一行："
        f"`.unsqueeze(1)`。",
        case.fix(case.followed(given, ".unsqueeze(1)"), call),
        given,
    )


def _swapped(case: Case, made: ast.Call, weight: tuple[int, ...], size: int) -> Finding:
    """``nn.Linear(outputs, inputs)``."""
    first, second = made.args[0], made.args[1]
    text = f"{case.text(second)}, {case.text(first)}"
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} takes {weight[0]} numbers and gives {weight[1]}, and each sample has {size}: the"
        f" two sizes are swapped, for the inputs come first. Write `{case.text(made.func)}({text})`.",
        f"第 {line(made)} 行的 {code(case, made)} 接受 {weight[0]} 个数、给出 {weight[1]} 个，而每个样本有 {size} 个数：两个大小写反了，输入在前。"
        f"请写成 `{case.text(made.func)}({text})`。",
        case.fix([*case.replace(first, case.text(second)), *case.replace(second, case.text(first))], made),
        made,
    )


def _across(case: Case, call: ast.Call, made: ast.Call, shape: tuple[int, ...], other: Fix | None) -> Finding:
    """A column where rows were meant: the matrix lies across."""
    return finding(
        case,
        f"{code(case, call.args[0])} is {shape[0]}×{shape[1]}, and {code(case, made)} on line {line(made)} takes rows of {shape[0]}"
        f" numbers. If the samples stand in its columns, transpose it: `.t()`; else make the layer for {shape[1]}.",
        f"{code(case, call.args[0])} 是 {shape[0]}×{shape[1]} 的，而第 {line(made)} 行的 {code(case, made)} 要求每行 {shape[0]} 个数。如果样本"
        f"排在列上，请转置：`.t()`；否则请按 {shape[1]} 创建这一层。",
        [case.fix(case.followed(call.args[0], ".t()"), call), other],
        made,
    )


def _with_size(case: Case, made: ast.Call, first: ast.expr | None, text: str) -> str:
    whole = " ".join(case.text(made).split())
    return text_with(case, made, first, text) if first is not None else whole


def _shape(case: Case, name: str) -> tuple[int, ...]:
    shape = case.details.get(name)
    return tuple(shape) if isinstance(shape, tuple | list) else ()


@finds(errors.CONV_CHANNELS)
def _channels(case: Case) -> Finding | None:
    """A convolution for another number of channels."""
    outer, call = running(case)
    source = Flow(case).tensor(call.args[0]) if call is not None and call.args else None
    weight = _shape(case, "weight")
    if outer is None or call is None or not weight:
        return None
    layer = _failing(case, outer, weight)
    given = case.details.get("given")
    if layer is None:
        return None
    wanted, spatial = weight[1], len(weight) - 2
    first_of_all = outer is layer or (outer is not None and _begins_with(outer, layer))
    shape = tuple(source.shape) if isinstance(source, Tensor) and first_of_all else ()
    if shape and len(shape) == spatial + 2 and shape[-1] == wanted != shape[1]:
        order = ", ".join(map(str, (0, spatial + 1, *range(1, spatial + 1))))
        place, place_zh = joined_elsewhere(case, call.args[0])
        return finding(
            case,
            f"{code(case, call.args[0])}{place} has the shape {list(shape)}: its {wanted} channels stand last, and a convolution of"
            f" PyTorch has them right behind the batch. Move them there: `.permute({order})`.",
            f"{code(case, call.args[0])}{place_zh} 的形状是 {list(shape)}：{wanted} 个通道排在最后，而 PyTorch 的卷积要求通道紧跟在批量之后。请移动"
            f"它们：`.permute({order})`。",
            case.fix(case.followed(call.args[0], f".permute({order})"), call),
            call,
        )
    if shape and len(shape) == spatial + 1 and wanted == 1:
        place, place_zh = called_elsewhere(case, call.args[0])
        return finding(
            case,
            f"{code(case, call.args[0])}{place} has the shape {list(shape)}, without a dimension for its one channel. Add it behind"
            f" the batch: `.unsqueeze(1)`.",
            f"{code(case, call.args[0])}{place_zh} 的形状是 {list(shape)}，缺少唯一那个通道的维度。请在批量之后加上：`.unsqueeze(1)`。",
            case.fix(case.followed(call.args[0], ".unsqueeze(1)"), call),
            call,
        )
    size = shape[-spatial - 1] if len(shape) > spatial else given
    made = maker_of(case, layer)
    first = _first(made, type(layer).__name__) if made is not None else None
    if made is None or first is None or not isinstance(size, int):
        return None
    text = size_written(case, first, int(size))
    needs = f"images of {wanted} channels", f"输入有 {wanted} 个通道"
    has = f"it is given {size}", f"给它的有 {size} 个"
    if (setting := set_elsewhere(case, made, first, (wanted, int(size), text), needs, has)) is not None:
        return setting
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} takes {needs[0]}, and {has[0]}. Make the layer for {size} channels: `{_with_size(case, made, first, text)}`.",
        f"第 {line(made)} 行的 {code(case, made)} 要求{needs[1]}，而{has[1]}。请按 {size} 个通道创建这一层：`{_with_size(case, made, first, text)}`。",
        write(case, first, text, made),
        made,
    )
