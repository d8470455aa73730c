"""A linear layer made for the maps that a convolution would give with padding, and one of the convolutions has none."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import constant, failing_linear, first_size, maker_of, running
from gradflow.engine.diagnosis.findings.origins.returning import root_of
from gradflow.engine.diagnosis.findings.words import code, finding, joined, line, text_with, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import Change, changes, operands_of
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.sandbox.positions import argument_of

_DEPTH = 8


@dataclass(frozen=True)
class _Step:
    """What changed a side; ``key`` tells the layers apart."""

    key: int
    before: int
    after: int


@dataclass(frozen=True)
class _Maps:
    """What is flattened for a linear layer: its channels and sides, the changes of each side, and the convolutions without padding."""

    shape: tuple[int, ...]
    start: tuple[int, ...]
    steps: Sequence[Sequence[_Step]]
    convs: dict[int, ast.Call]

    @property
    def choices(self) -> list[dict[int, ast.Call]]:
        """Each convolution alone, and all together."""
        return [*({one: made} for one, made in self.convs.items()), *([self.convs] if len(self.convs) > 1 else [])]


@finds(errors.MM_SHAPE)
def _without_padding(case: Case) -> Finding | None:
    """``nn.Linear(32 * 8 * 8, ...)`` behind a ``nn.Conv2d(16, 32, 3)`` that makes 14 of 16."""
    outer, call = running(case)
    layer = failing_linear(case, outer)
    made = maker_of(case, layer) if layer is not None else None
    first = first_size(made) if made is not None else None
    maps = (_maps_of_row(case, outer, layer, call) or _maps(case, call)) if call is not None else None
    if layer is None or made is None or first is None or maps is None or not _pads_elsewhere(case):
        return None
    wanted, size = int(layer.in_features), _product(maps.shape)
    if int(case.details["mat1"][1]) != size:  # type: ignore[index]  # a shape
        return None
    for chosen in maps.choices:
        sides = [_padded(one, begin, chosen) for one, begin in zip(maps.steps, maps.start, strict=True)]
        if None not in sides and maps.shape[0] * _product([one or 0 for one in sides]) == wanted:
            return _told(case, made, first, maps, chosen, [one or 0 for one in sides])
    return None


def _pads_elsewhere(case: Case) -> bool:
    """Whether another convolution of the program keeps the border: the one without may then have been forgotten."""
    convs = [one for one in case.nodes(ast.Call) if called(one).startswith("Conv")]
    return any(argument_of(one, 4, "padding") is not None for one in convs)


def _told(
    case: Case, made: ast.Call, first: ast.expr, maps: _Maps, chosen: dict[int, ast.Call], sides: Sequence[int]
) -> Finding:
    convs = list(dict.fromkeys(chosen.values()))
    borders = [_border(case, one) for one in convs]
    edits = [edit for one, pad in zip(convs, borders, strict=True) for edit in case.argument(one, f"padding={pad}")]
    size = _written(case, first, maps.shape)
    changed = [[one for one in steps if one.key in chosen] for steps in maps.steps]
    first_steps = [(one[0].before, one[0].after) for one in changed if one]
    before, after = ("×".join(map(str, sizes)) for sizes in zip(*first_steps, strict=True))
    own, meant = ("×".join(map(str, one)) for one in (maps.shape[1:], sides))
    wanted, given = constant(case, first), _product(maps.shape)
    which = joined([f"{code(case, one)} on line {line(one)}" for one in convs], "en")
    which_zh = joined([f"第 {line(one)} 行的 {code(case, one)}" for one in convs], "zh")
    alone = len(convs) == 1
    lost = f"has no padding and makes {after} of {before}" if alone else "have no padding and lose the border"
    lost_zh = f"没有填充，把 {before} 变成 {after}" if alone else "都没有填充，会丢掉边缘"
    pads, pads_zh = (joined([f"`padding={one}`" for one in dict.fromkeys(borders)], each) for each in ("en", "zh"))
    new = text_with(case, made, first, size)
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} takes {wanted} numbers for each sample, and {given} arrive. {which} {lost}, so the maps end as {own}, not {meant}."
        f" Keep the border there, {pads}; or make the layer for what arrives: `{new}`.",
        f"第 {line(made)} 行的 {code(case, made)} 要求每个样本有 {wanted} 个数，而到达的是 {given} 个。"
        f"{which_zh} {lost_zh}，所以最后的特征图是 {own}，而不是"
        f" {meant}。请在那里保留边缘 {pads_zh}；或者按实际到达的个数创建这一层：`{new}`。",
        [case.fix(edits, convs[0]), write(case, first, size, made)],
        convs[0],
    )


def _product(sizes: Sequence[int]) -> int:
    result = 1
    for one in sizes:
        result *= one
    return result


def _written(case: Case, first: ast.expr, shape: tuple[int, ...]) -> str:
    """The size as channels and sides, where it was written so."""
    if not isinstance(first, ast.BinOp):
        return str(_product(shape))
    left: ast.expr = first
    while isinstance(left, ast.BinOp):
        left = left.left
    head = case.text(left) if constant(case, left) == shape[0] else str(shape[0])
    return " * ".join([head, *map(str, shape[1:])])


def _maps(case: Case, call: ast.Call) -> _Maps | None:
    """The last maps on the way to the layer, and how their sides came about."""
    span = case.program.span_of(call)
    inside = (
        [each for one in case.context.within_call(span) for each in (one, *operands_of(one))]
        if span is not None
        else []
    )
    source = Flow(case).tensor(call.args[0]) if call.args else None
    count = _product(case.details["mat1"])  # type: ignore[arg-type]  # a shape
    entries = [one for one in inside if one.array.ndim in (3, 4) and one.array.size == count]
    last = max(entries, key=lambda one: one.number, default=None)
    entry = last if last is not None else source._entry if source is not None else None
    for _ in range(_DEPTH):
        if entry is None or entry.array.ndim in (3, 4):
            break
        entry = next(iter(operands_of(entry)), None)
    if entry is None or entry.array.ndim not in (3, 4):
        return None
    sides = entry.array.ndim - 2
    root: TensorEntry = root_of(entry)
    start = tuple(int(one) for one in root.array.shape[-sides:])
    found = [changes(root, entry, back) for back in range(sides, 0, -1)]
    steps = [[_Step(one.entry.number, one.before, one.after) for one in each] for each in found]
    convs = {one.entry.number: made for each in found for one in each if (made := _conv(case, one)) is not None}
    return _Maps(tuple(int(one) for one in entry.array.shape[1:]), start, steps, convs)


def _conv(case: Case, change: Change) -> ast.Call | None:
    """Where the convolution without padding was made that changed a side."""
    operands = operands_of(change.entry)
    weight = operands[1] if len(operands) > 1 else None
    made = case.at(ast.Call, weight.first.place) if weight is not None else None
    return made if made is not None and called(made).startswith("Conv") and _border(case, made) else None


def _maps_of_row(case: Case, outer: Layer | None, layer: Layer | None, call: ast.Call) -> _Maps | None:
    """The same by the layers of one ``nn.Sequential``, which holds the linear layer, too."""
    row = list(outer.children()) if outer is not None and type(outer).__name__ == "Sequential" else []
    given = Flow(case).tensor(call.args[0]) if call.args else None
    if given is None or given.dim() not in (3, 4) or not any(one is layer for one in row):
        return None
    sides, channels = [int(one) for one in given.shape[2:]], int(given.shape[1])
    start, steps, convs = tuple(sides), list[list[_Step]]([] for _ in sides), dict[int, ast.Call]()
    for at, one in enumerate(row):
        name = type(one).__name__
        if name == "Flatten":
            return _Maps((channels, *sides), start, steps, convs)
        if name.startswith(("Conv", "MaxPool", "AvgPool")):
            made = maker_of(case, one) if name.startswith("Conv") else None
            channels = int(getattr(one, "out_channels", channels))
            if made is not None and _border(case, made):
                convs[at] = made
            new = [_side(one, axis, size) for axis, size in enumerate(sides)]
            for each, size, after in zip(steps, sides, new, strict=True):
                each += [_Step(at, size, after)] if size != after else []
            sides = new
        elif any(hasattr(one, word) for word in ("in_features", "kernel_size", "output_size", "scale_factor")):
            return None
    return None


def _side(layer: Layer, axis: int, size: int) -> int:
    """The side that a convolution or a pooling makes of one."""
    words = getattr(layer, "kernel_size", 1), getattr(layer, "padding", 0), getattr(layer, "dilation", 1)
    kernel, pad, gap = (one[axis] if isinstance(one, tuple) else int(one) for one in words)
    stride = getattr(layer, "stride", kernel)
    step = stride[axis] if isinstance(stride, tuple) else int(stride)
    return int((size + 2 * pad - gap * (kernel - 1) - 1) // step + 1)


def _border(case: Case, made: ast.Call) -> int:
    """What padding keeps the size, of a convolution that has none."""
    kernel = argument_of(made, 2, "kernel_size")
    size = constant(case, kernel) if kernel is not None else None
    step = argument_of(made, 3, "stride")
    plain = argument_of(made, 4, "padding") is None and (step is None or constant(case, step) == 1)
    return size // 2 if plain and isinstance(size, int) and size % 2 == 1 else 0


def _padded(steps: Sequence[_Step], size: int, chosen: dict[int, ast.Call]) -> int | None:
    """The side at the end, if the chosen convolutions kept it."""
    for one in steps:
        if one.key in chosen:
            continue
        if one.before - one.after < one.after and one.before // 2 != one.after:
            size -= one.before - one.after
            continue
        ratio = round(one.before / one.after)
        if one.before // ratio != one.after:
            return None
        size //= ratio
    return size
