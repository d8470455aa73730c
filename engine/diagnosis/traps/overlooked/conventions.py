"""Traps of conventions that others have otherwise: what a momentum is a share of, which class is blank, whose logarithm a loss takes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.trace import Note

MOMENTUM: Final = Trap(
    "batch-norm-follows-last-batch",
    "`momentum` of a batch normalisation is the share of the new batch in PyTorch: with {momentum:g} the running statistics are those of the last batch, and `eval()` uses them. Keras"
    " calls the rest so: there {momentum:g} is `momentum={meant:g}` here.",
    "在 PyTorch 里，批归一化的 `momentum` 是新一批所占的比例：取 {momentum:g} 时滑动统计量几乎就是最后一批的统计量，而 `eval()` 用的正是它们。Keras 的 `momentum`"
    " 指其余部分：那里的 {momentum:g} 在这里是 `momentum={meant:g}`。",
)
BLANK: Final = Trap(
    "blank-among-targets",
    "{count} of the targets are {blank}, and {blank} is the blank of this `ctc_loss`, the class of no sign: the model learns to leave these out. Count the signs from 1, and give the"
    " model one more class, or name another class as `blank`.",
    "目标中有 {count} 个是 {blank}，而 {blank} 正是这个 `ctc_loss` 的空白类，表示“没有字符”：模型学到的是跳过它们。请从 1 开始给字符编号，并让模型多一个类别，或者用 `blank` 指定另一个类别。",
)
RATES: Final = Trap(
    "rate-read-as-logarithm",
    "`{text}` takes the logarithm of the rate unless it is told otherwise, and here it is given the rate itself, which comes out of `{function}`: it raises e to that power once more."
    " Say so: `log_input=False`, or leave `{function}` out.",
    "除非另外说明，`{text}` 接收的是速率的对数，而这里给的是速率本身（来自 `{function}`）：它会再取一次指数。请写明 `log_input=False`，或者去掉 `{function}`。",
)
_MOST: Final = 0.9


def momenta(run: Record) -> Iterator[Note]:
    """``nn.BatchNorm1d(8, momentum=0.99)`` of a model that predicts in evaluation mode."""
    if ".eval()" not in run.program.source or not run.steps:
        return
    for call in run.case.nodes(ast.Call):
        given = argument_of(call, 2, "momentum") if called(call).startswith("BatchNorm") else None
        value = getattr(given, "value", None)
        if given is not None and type(value) is float and _MOST <= value < 1:
            meant = round(1 - value, 6)
            text = f"{meant:g}"
            fix = run.fix(run.case.replace(given, text), f"`momentum={text}`", f"`momentum={text}`")
            yield MOMENTUM.note(run.program.span_of(call), (), fix, momentum=value, meant=meant)


def blanks(run: Record) -> Iterator[Note]:
    """Targets of ``ctc_loss`` that are its blank."""
    for call in run.case.nodes(ast.Call):
        held = run.case.value(call.func)
        if called(call) != "ctc_loss" and type(held).__name__ != "CTCLoss":
            continue
        kept = argument_of(call, 4, "blank") if called(call) == "ctc_loss" else None
        blank = getattr(held, "blank", 0) if kept is None else run.case.value(kept)
        array, sizes = (_numbers(run, argument_of(call, at, name)) for at, name in _TARGETS)
        if array is None or sizes is None or not isinstance(blank, int) or array.ndim != 2:
            continue
        if sizes.shape != array.shape[:1] or sizes.dtype.kind != "i":
            continue
        count = sum(int((row[:size] == blank).sum()) for row, size in zip(array, sizes, strict=True))
        if count:
            yield BLANK.note(run.program.span_of(call), (), None, count=count, blank=blank)


def _numbers(run: Record, node: ast.expr | None) -> np.ndarray | None:
    """What an argument holds: a tensor, a list, or what was made right there."""
    held = run.case.value(node)
    if isinstance(held, list | tuple) and all(isinstance(one, int) for one in held):
        return np.asarray(held)
    return run.array_of(node)


_TARGETS: Final = ((1, "targets"), (3, "target_lengths"))


def rates(run: Record) -> Iterator[Note]:
    """``nn.PoissonNLLLoss()`` behind a model that ends with ``Softplus``."""
    if "poisson" not in run.program.source.lower():
        return
    for call in run.case.nodes(ast.Call):
        held = run.case.value(call.func)
        as_layer = type(held).__name__ == "PoissonNLLLoss"
        if called(call) != "poisson_nll_loss" and not as_layer:
            continue
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        maker = run.case_at_end.assignment(name) if as_layer and name else call.func if as_layer else call
        if not isinstance(maker, ast.Call) or argument_of(maker, 0 if as_layer else 2, "log_input") is not None:
            continue
        first = [node for node in run.made_at(call) if is_call_of(node, "exp")]
        before = first[0].inputs[0].first.node if first and first[0].inputs else None
        if before is None or not is_call_of(before, "softplus exp relu"):
            continue
        fix = run.fix(run.case.argument(maker, "log_input=False"), "`log_input=False`", "`log_input=False`")
        words = {"text": run.case.text(maker.func), "function": before.op.public if before.op is not None else "exp"}
        yield RATES.note(run.program.span_of(call), (), fix, **words)


TRAPS: Final = (momenta, blanks, rates)
