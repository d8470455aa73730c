"""Traps of numbers that are none: losses that are nan, told where the first nan was made of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.traps.proven.trails import behind
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of, producer
from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.trace import Note, Text

LOSS_IS_NAN: Final = Trap(
    "loss-is-nan",
    "`{text}` makes the first nan on the way to the loss: {why} From here on everything is nan, the loss and all gradients.",
    "`{text}` 在通往损失的路上得到了第一个 nan：{why}从这里开始一切都是 nan，包括损失和所有梯度。",
)


def loss_is_nan(run: Record) -> Iterator[Note]:
    """A pass that begins at nan, where a function gave nan of numbers, or of infinities."""
    for one in run.passes[:50]:
        for root, *_ in one.roots if one.kind == "backward" and one.accumulations else ():
            if root.array.size != 1 or not _has_nan(root):
                continue
            made = [node for entry in behind(root) if (node := producer(entry)) is not None and _begins(node)]
            if not made:
                continue
            node = min(made, key=lambda each: each.number)
            why = _why(node)
            if why is not None:
                text = " ".join((run.builder.expression(node.place) or str(node.op and node.op.name)).split())
                yield LOSS_IS_NAN.note(run.span(node.place), node.outputs, None, text=text, why=Text(*why))
                return


def _has_nan(entry: TensorEntry) -> bool:
    return entry.array.dtype.kind == "f" and bool(np.isnan(entry.array).any())


def _begins(node: NodeEntry) -> bool:
    """Whether a function gave nan of operands without it."""
    return any(map(_has_nan, node.outputs)) and not any(map(_has_nan, node.inputs))


def why_nan(node: NodeEntry) -> tuple[str, str] | None:
    """Why a function gave nan of numbers, in both languages; None of one that gave none, or was given nan."""
    return _why(node) if _begins(node) else None


def _why(node: NodeEntry) -> tuple[str, str] | None:
    first = node.inputs[0].array if node.inputs else np.zeros(0)
    if is_call_of(node, "softmax_dim log_softmax_dim"):
        return (
            "a row is minus infinity as a whole, all of it masked, and softmax of it is 0 divided by 0. Leave one place of every row unmasked, or mask with a large negative"
            " number, as -1e9.",
            "有一行全部是负无穷（整行都被掩盖），softmax 就是 0 除以 0。请让每一行至少留一个位置，或者用很大的负数（如 -1e9）来掩盖。",
        )
    if is_call_of(node, "std var std_mean var_mean"):
        return (
            "the spread of a single number is 0 divided by 0. Take more than one, or `unbiased=False`.",
            "单个数的离散程度是 0 除以 0。请取多于一个数，或者写 `unbiased=False`。",
        )
    if is_call_of(node, "log log2 log10 log1p sqrt rsqrt pow_scalar acos asin") and bool(
        (first < 0).any() or is_call_of(node, "acos asin")
    ):
        low = f"{float(np.min(first)):g}"
        return (
            f"it is given {low}, for which it is not defined. Keep its input where it is, with `clamp` or a function that is above 0.",
            f"给它的数里有 {low}，它在那里没有定义。请用 `clamp` 或恒为正的函数让输入留在定义域内。",
        )
    if is_call_of(node, "mul mul_scalar div") and any(np.isinf(one.array).any() for one in node.inputs):
        return (
            "it multiplies 0 by infinity, or divides infinities. Keep the infinity from coming up: look at what is infinite in it.",
            "这里是 0 乘以无穷，或者无穷除以无穷。请避免出现无穷：看看其中哪个是无穷。",
        )
    if is_call_of(node, "div"):
        return (
            "it divides 0 by 0. Add a small number to the divisor, as 1e-8.",
            "这里是 0 除以 0。请给除数加上一个很小的数，如 1e-8。",
        )
    if is_call_of(node, "mean_all mean_dim") and not first.size:
        return (
            "it is the mean of nothing. Look why nothing is left.",
            "这是对空张量求平均。请检查为什么什么也没有剩下。",
        )
    if is_call_of(node, "sub add"):
        return (
            "it subtracts infinity from infinity. Look at what is infinite in it.",
            "这里是无穷减无穷。请看看其中哪个是无穷。",
        )
    return None


TRAPS: Final = (loss_is_nan,)
