"""Layers and calls that refuse the numbers they are given: which arguments they are, with their values, and what fits."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import shape_at
from gradflow.engine.diagnosis.findings.usage.keyword_tables import entries, given_at
from gradflow.engine.diagnosis.findings.words import code, finding, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.calls import parameters_of
from gradflow.engine.trace import Fix

Given = dict[str, ast.expr]

_DIVISIBLE: Final = re.compile(r"(\w+) must be divisible by (\w+)")


def given_to(case: Case, call: ast.Call) -> Given:
    """The arguments of a call by their names, with those that an unpacked dictionary brings."""
    names = [one for one in parameters_of(case, call) if one != "self"]
    found = dict(zip(names, call.args, strict=False))
    return found | {one.name: one.value for one in entries(case, call)}


@finds(errors.MODULE_ARGUMENT, errors.MODULE_ASSERTION)
def _not_divisible(case: Case) -> Finding | None:
    """``nn.Conv2d(10, 20, 3, groups=3)``."""
    call, told = case.find(ast.Call), _DIVISIBLE.search(str(case.details.get("message", "")))
    if call is None or told is None or told[1] == "embed_dim":
        return None
    given = given_to(case, call)
    names = {"embed_dim": ("embed_dim", "d_model"), "num_heads": ("num_heads", "nhead")}
    whole, parts = (
        next((given[name] for name in names.get(one, (one,)) if name in given), None) for one in told.groups()
    )
    a, b = case.value(whole), case.value(parts)
    if whole is None or parts is None or not isinstance(a, int) or not isinstance(b, int) or b == 0:
        return None
    others = [case.value(given[one]) for one in ("in_channels", "out_channels") if one in given and told[2] == "groups"]
    sizes = [one for one in (a, *others) if isinstance(one, int)]
    fitting = [str(one) for one in range(1, a + 1) if all(size % one == 0 for size in sizes)][:8]
    where, where_zh = given_at(case, call, parts)
    return finding(
        case,
        f"{code(case, call)} divides its `{told[1]}`, {a}, evenly by `{told[2]}`, {b}{where}, and {a} is no multiple of {b}."
        f" Choose a `{told[2]}` that divides it"
        f" ({', '.join(fitting)}), or a multiple of {b} for `{told[1]}`.",
        f"{code(case, call)} 要把 `{told[1]}`（{a}）按 `{told[2]}`（{b}）平均分开{where_zh}，而 {a} 不是 {b} 的倍数。"
        f"请选择能整除的 `{told[2]}`（{'、'.join(fitting)}），或者让"
        f" `{told[1]}` 是 {b} 的倍数。",
        (),
        parts,
    )


@finds(errors.MODULE_ARGUMENT)
def _same_with_stride(case: Case) -> Finding | None:
    """``nn.Conv2d(3, 8, 3, stride=2, padding="same")``."""
    call = case.find(ast.Call)
    if call is None or "padding='same'" not in str(case.details.get("message", "")):
        return None
    given = given_to(case, call)
    padding, stride, kernel = given.get("padding"), given.get("stride"), case.value(given.get("kernel_size"))
    if padding is None or stride is None:
        return None
    text = f"padding={kernel // 2}" if isinstance(kernel, int) else "padding=1"
    return finding(
        case,
        f"`padding={case.text(padding)}` keeps the size of the image, and `stride={case.text(stride)}` makes it smaller, so the"
        " two exclude each other. Give the padding as a"
        f" number: `{text}`.",
        f"`padding={case.text(padding)}` 表示保持图像的大小，而 `stride={case.text(stride)}` 会让它变小，两者互相矛盾。"
        f"请用数字给出填充：`{text}`。",
        write(case, padding, text.removeprefix("padding="), call),
        padding,
    )


@finds(errors.MODULE_ARGUMENT)
def _percent(case: Case) -> Finding | None:
    """``nn.Dropout(50)``."""
    call = case.find(ast.Call)
    told = re.search(r"probability has to be between 0 and 1, but got (\S+)", str(case.details.get("message", "")))
    if call is None or told is None:
        return None
    node = next(
        (one for one in (*call.args, *(word.value for word in call.keywords)) if str(case.value(one)) == told[1]), None
    )
    value = case.value(node)
    if node is None or not isinstance(value, int | float):
        return None
    share = value / 100
    where, where_zh = given_at(case, call, node)
    percent = 1 < value <= 100
    what, what_zh = (f" As percent that is `{share}`.", f"如果指的是百分数，就是 `{share}`。") if percent else ("", "")
    fix: Fix | None = write(case, node, str(share), call) if percent and isinstance(node, ast.Constant) else None
    return finding(
        case,
        f"{code(case, node)}{where} is the probability with which {code(case, call.func)} sets a number to 0, and a probability"
        f" lies between 0 and 1.{what}"
        f"{'' if percent else ' Give one between them, such as `0.5`.'}",
        f"{code(case, node)}{where_zh} 是 {code(case, call.func)} 把数置为 0 的概率，而概率在 0 和 1 之间。"
        f"{what_zh}{'' if percent else '请给出其间的数，例如 `0.5`。'}",
        fix or (),
        node,
    )


@finds(errors.SHUFFLE_CHANNELS)
def _pixels(case: Case) -> Finding | None:
    """``nn.PixelShuffle(2)`` of six channels."""
    told = re.search(
        r"input\.size\(-3\)=(\d+) is not divisible by (\d+)", str(case.details.get("message", "")) or str(case.details)
    )
    call = case.find(ast.Call)
    channels = int(told[1]) if told else case.details.get("channels")
    square = int(told[2]) if told else case.details.get("square")
    if call is None or not call.args or not isinstance(channels, int) or not isinstance(square, int):
        return None
    wanted = -(-channels // square) * square
    factor = round(square**0.5)
    shape = shape_at(case, call.args[0])
    inside = shape is None or channels not in shape
    own = f"What reaches the shuffle inside of {code(case, call.func)}" if inside else code(case, call.args[0])
    own_zh = f"到达 {code(case, call.func)} 里的重排层的输入" if inside else f"{code(case, call.args[0])} "
    return finding(
        case,
        f"{own} has {channels} channels, and every pixel is to become {factor}×{factor} new ones, each from a"
        " channel of its own: their number must be a multiple"
        f" of {square}. Make {wanted} of them in the layer before, {square} for each channel of the result.",
        f"{own_zh}有 {channels} 个通道，而每个像素要变成 {factor}×{factor} 个新像素，各来自一个通道："
        f"通道数必须是 {square} 的倍数。请让前一层给出 {wanted} 个，结果的每个通道需要"
        f" {square} 个。",
        (),
        call.args[0],
    )


@finds(errors.INTERPOLATE_SIZE)
def _image_without_batch(case: Case) -> Finding | None:
    """``F.interpolate(image, size=(64, 64))`` of one image."""
    call = case.find(ast.Call)

    shape = shape_at(case, call.args[0]) if call is not None and call.args else None
    size = given_to(case, call).get("size", None) if call is not None else None
    count = len(size.elts) if isinstance(size, ast.Tuple | ast.List) else 0
    if call is None or shape is None or len(shape) != count + 1:
        return None
    text = f"{case.operand(call.args[0])}.unsqueeze(0)"
    return finding(
        case,
        f"{code(case, call.args[0])} has the shape {list(shape)}, one image without a batch, and {code(case, call.func)} takes"
        f" (batch, channels, ...) and {count} sizes behind them."
        f" Add the batch and take it away again: `{text}`, and `.squeeze(0)` behind the result.",
        f"{code(case, call.args[0])} 的形状是 {list(shape)}，是没有批量维的一张图，而 {code(case, call.func)} 要的是（批量，通道，"
        f"...），后面是 {count} 个大小。请加上批量维，之后再去掉：`{text}`，"
        f"结果后面写 `.squeeze(0)`。",
        case.fix([*case.followed(call.args[0], ".unsqueeze(0)"), *case.after(call, ".squeeze(0)")], call),
        call.args[0],
    )
