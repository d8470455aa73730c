"""Connectionist temporal classification (Graves et al. 2006): the cost of all alignments of a target with a sequence."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine.numerics.scalars import ZERO
from gradflow.engine.ops.nn.composed_backward import without_second
from gradflow.engine.ops.pointwise.elementwise import rounded
from gradflow.engine.registry import Array, helper, op
from gradflow.engine.tensor import Tensor


def _sum_of_powers(*parts: np.ndarray) -> np.ndarray:
    """log(exp(a) + exp(b) + ...), -inf where all are."""
    stacked = np.stack(parts)
    top = stacked.max(0)
    top = np.where(top == -np.inf, ZERO[stacked.dtype], top)
    with np.errstate(divide="ignore"):
        return np.asarray(rounded(np.log, rounded(np.exp, stacked - top).sum(0)) + top)


def _labels(targets: np.ndarray, lengths: Any, blank: int) -> tuple[np.ndarray, np.ndarray]:
    """For each sequence its target with a blank before, between and after: (N, 2 L + 1), and where two steps are allowed."""
    longest = max(lengths, default=0)
    labels = np.full((len(lengths), 2 * longest + 1), blank, np.int64)
    start = 0
    for row, length in enumerate(lengths):
        own = targets[row, :length] if targets.ndim == 2 else targets[start : start + length]
        labels[row, 1 : 2 * length + 1 : 2] = own
        start += length
    skip = np.zeros(labels.shape, bool)
    skip[:, 2:] = labels[:, 2:] != labels[:, :-2]
    return labels, skip


def _behind(line: np.ndarray, steps: int) -> np.ndarray:
    """Each element that of so many places before, -inf where there is none."""
    result = np.full_like(line, -np.inf)
    if steps < line.shape[1]:
        result[:, steps:] = line[:, : line.shape[1] - steps]
    return result


def forward(scores: np.ndarray, labels: np.ndarray, skip: np.ndarray) -> np.ndarray:
    """The logarithm of the probability of all ways to each label at each time: (T, N, 2 L + 1)."""
    steps, batch = scores.shape[:2]
    own = np.take_along_axis(scores, np.broadcast_to(labels, (steps, *labels.shape)), 2)
    result = np.full((steps, batch, labels.shape[1]), -np.inf, scores.dtype)
    for t in range(steps):
        if t == 0:
            result[0, :, :2] = own[0, :, :2]
            continue
        two = np.where(skip, _behind(result[t - 1], 2), -np.inf)
        result[t] = _sum_of_powers(result[t - 1], _behind(result[t - 1], 1), two) + own[t]
    return result


def costs(ways: np.ndarray, input_lengths: Any, target_lengths: Any) -> np.ndarray:
    """Minus the logarithm of the probability of each target."""
    result = np.zeros(len(input_lengths), ways.dtype)
    for row, (steps, length) in enumerate(zip(input_lengths, target_lengths, strict=True)):
        if not steps:
            result[row] = np.inf if length else 0
            continue
        ends = ways[steps - 1, row, max(2 * length - 1, 0) : 2 * length + 1]
        result[row] = -_sum_of_powers(*ends)
    return result


def backward(scores: np.ndarray, labels: np.ndarray, skip: np.ndarray, steps: int, length: int) -> np.ndarray:
    """`forward` from the end, for one sequence: (T, 2 L + 1)."""
    size = 2 * length + 1
    own = scores[:, labels[:size]]
    result = np.full((len(scores), size), -np.inf, scores.dtype)
    ahead = np.zeros(size, bool)
    ahead[:-2] = skip[2:size]
    for t in range(steps - 1, -1, -1):
        if t == steps - 1:
            result[t, -2:] = own[t, -2:]
            continue
        later = result[t + 1][None, ::-1]
        one, two = _behind(later, 1)[0, ::-1], np.where(ahead, _behind(later, 2)[0, ::-1], -np.inf)
        result[t] = _sum_of_powers(result[t + 1], one, two) + own[t]
    return result


def _gradient(g: Any, scores: Any, targets: Any, inputs: Any, lengths: Any, blank: int, zero: bool) -> np.ndarray:
    labels, skip = _labels(targets, lengths, blank)
    ways = forward(scores, labels, skip)
    cost = costs(ways, inputs, lengths)
    result = np.zeros_like(scores)
    for row, (steps, length) in enumerate(zip(inputs, lengths, strict=True)):
        if zero and cost[row] == np.inf:
            continue
        size, own = 2 * length + 1, scores[:steps, row]
        both = ways[:steps, row, :size] + backward(scores[:, row], labels[row], skip[row], steps, length)[:steps]
        total = np.full(own.shape, -np.inf, scores.dtype)
        for place, label in enumerate(labels[row, :size]):
            total[:, label] = _sum_of_powers(total[:, label], both[:, place])
        with np.errstate(all="ignore"):
            result[:steps, row] = (rounded(np.exp, own) - rounded(np.exp, total + cost[row] - own)) * g[row]
    return result


def _as_tensor(g: Any, scores: Any, targets: Any, *settings: Any) -> Tensor:
    result = _gradient(g._a, scores._a, targets._a if isinstance(targets, Tensor) else targets, *settings)
    return without_second(result, "_ctc_loss_backward", g, scores)


@helper(latex=r"\operatorname{align}\left(⟨0⟩\right)", tensors=_as_tensor)
def alignment_slopes(g, scores, targets, input_lengths, target_lengths, blank, zero_infinity):
    """The gradient of the costs for the scores, which as in PyTorch counts on scores from log_softmax."""
    return _gradient(g, scores, targets, input_lengths, target_lengths, blank, zero_infinity)


@op(
    gradients={
        "log_probs": "alignment_slopes(g, log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)"
    },
    grad_fn="CtcLossBackward0",
    latex=r"-\ln p\left(⟨1⟩ \mid ⟨0⟩\right)",
    symbol="ctc",
    functions=(),
    methods=(),
    torch=None,
)
def ctc_costs(log_probs: Array, targets: Array, input_lengths, target_lengths, blank, zero_infinity):
    """The cost of each target: scores (T, N, C), targets (N, S) or one after the other."""
    return costs(forward(log_probs, *_labels(targets, target_lengths, blank)), input_lengths, target_lengths)
