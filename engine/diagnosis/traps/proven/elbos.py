"""Traps of sums of a reconstruction and a divergence: one averaged over all numbers, the other summed over all samples."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.traps.proven.signs import log_variance
from gradflow.engine.diagnosis.traps.record import Record, Trap, attributes_of, is_call_of
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.recording.entries import NodeEntry, PassEntry, TensorEntry
from gradflow.engine.trace import Edit, Fix, Note

DIVERGENCE_OUTWEIGHS: Final = Trap(
    "divergence-outweighs-reconstruction",
    "`{text}` is a mean over all {count} numbers of {samples} samples, and the divergence on line {line} is summed over all samples: in their sum the divergence weighs {count} times as"
    ' much as where both are summed, and the codes tend to the prior whatever the input. Reduce both alike: `reduction="sum"`, or divide the divergence by {count}, too.',
    "`{text}` 对 {samples} 个样本的全部 {count} 个数取平均，而第 {line} 行的散度对所有样本求和：两者相加时，散度的分量是都求和时的 {count} 倍，编码会趋向先验，与输入无关。"
    '请让两者的归约方式一致：写 `reduction="sum"`，或者把散度也除以 {count}。',
)
_LOSSES: Final = "mse_loss binary_cross_entropy binary_cross_entropy_with_logits smooth_l1_loss"
_FEWEST: Final = 3
_NUMBERS: Final = 8
"""Numbers of a sample from which on the two weigh differently enough to be told of."""
_HALF: Final = 0.5


def outweighed(run: Record) -> Iterator[Note]:
    """``F.mse_loss(x_hat, x)`` and ``-0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())``, added as they are."""
    if "exp" not in run.program.source or len(run.passes) < _FEWEST or not run.steps:
        return
    last = run.passes[-1]
    divergence = next((one for one in _divergences(run) if _is_summed(last, one)), None)
    if divergence is None:
        return
    for node in run.calls(_LOSSES):
        given = node.inputs[0] if node.inputs else None
        made = next((last.gradients.get(one) for one in node.outputs), None)
        if given is None or made is None or np.size(made) != 1 or float(np.asarray(made)) != 1.0:
            continue
        call, shape = run.call_at(run.span(node.place)), given.array.shape
        alike = shape and shape[0] == divergence.array.shape[0]
        if call is None or not alike or given.array.size < _NUMBERS * shape[0] or not _is_mean(run, call):
            continue
        words = {"text": " ".join(run.case.text(call).split()), "count": given.array.size, "samples": shape[0]}
        yield DIVERGENCE_OUTWEIGHS.note(
            run.program.span_of(call), [divergence], _summed(run, call, node), line=run.line(divergence.place), **words
        )
        return


def _divergences(run: Record) -> Iterator[TensorEntry]:
    """The last of what each ``1 + L - M**2 - exp(L)`` gave, of several samples."""
    for node in run.case.nodes(ast.BinOp):
        span = run.program.span_of(node)
        if log_variance(run, node):
            made = [one for one in run.recorder.entries if run.span(one.place) == span and one.requires_grad]
            yield from (one for one in made[-1:] if one.array.ndim > 1 and one.array.shape[0] > 1)


def _is_summed(last: PassEntry, entry: TensorEntry) -> bool:
    """Whether the loss moves by a half for each term: they are added up, and weigh as they are."""
    grad = last.gradients.get(entry)
    return grad is not None and bool((np.abs(np.asarray(grad)) == _HALF).all())


def _is_mean(run: Record, call: ast.Call) -> bool:
    """Whether a loss is averaged over all numbers: a function without another reduction, or a module of that one."""
    held = attributes_of(run.case.value(call.func)).get("reduction")
    given = next((one.value for one in call.keywords if one.arg == "reduction"), None)
    if isinstance(held, str) or "torch" not in run.program.source:
        return held == "mean"
    if any(one.arg in ("weight", "size_average", "reduce") for one in call.keywords) or len(call.args) != len("xy"):
        return False
    functional = run.case.text(call.func).rpartition(".")[2] in _LOSSES.split()
    return functional and (given is None or (isinstance(given, ast.Constant) and given.value == "mean"))


def _summed(run: Record, call: ast.Call, node: NodeEntry) -> Fix | None:
    """The sum of a function's loss, where the optimizer's steps do not grow with it."""
    optimizers = [held for held in run.held() if isinstance(held, Optimizer)]
    if not optimizers or not all(type(one).__name__.startswith(("Adam", "NAdam", "RAdam")) for one in optimizers):
        return None
    if run.case.text(call.func).rpartition(".")[2] not in _LOSSES.split() or not is_call_of(node, _LOSSES):
        return None
    given = next((one.value for one in call.keywords if one.arg == "reduction"), None)
    text = 'reduction="sum"'
    edits: list[Edit] = run.case.replace(given, '"sum"') if given is not None else run.case.argument(call, text)
    return run.fix(edits, f"`{text}`", f"`{text}`")


TRAPS: Final = (outweighed,)
