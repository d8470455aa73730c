"""Connectionist temporal classification: arguments made regular, then the operation, then the reduction."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch import autocast
from gradflow.engine.namespace.checked_calls import checked
from gradflow.engine.namespace.functional.activation import call
from gradflow.engine.namespace.functional.loss import reduction_of
from gradflow.engine.namespace.functions import composite
from gradflow.engine.tensor import Tensor, dtypes

_REDUCTIONS = ("none", "mean", "sum")


@autocast.takes("float32")
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """The cost of all alignments of targets (N, S) with scores (T, N, C), which log_softmax gives."""
    number = _REDUCTIONS.index(reduction_of(reduction))
    return torch_ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, number, zero_infinity)


@autocast.takes("float32")
def torch_ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 1,
    zero_infinity: bool = False,
) -> Tensor:
    """`ctc_loss` as ``torch.ctc_loss``: the reduction is a number."""
    return checked("ctc_loss", _ctc_loss)(
        log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity
    )


def _lengths(name: str, value: Any) -> list[int]:
    if not isinstance(value, Tensor):
        return [int(v) for v in value]
    if value._a.dtype.kind not in "iub":
        raise errors.CTC_INTEGRAL(name=name)
    return [int(v) for v in value._a.reshape(-1)]


def _ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 1,
    zero_infinity: bool = False,
) -> Tensor:
    steps, lengths = _lengths("input_lengths", input_lengths), _lengths("target_lengths", target_lengths)
    scores = log_probs if log_probs._a.ndim == 3 else call("unsqueeze", log_probs, 1)
    labels = targets._a.astype(np.int64)
    _check(scores._a, labels, steps, lengths, blank)
    result = call("ctc_costs", scores, Tensor(labels), tuple(steps), tuple(lengths), blank, zero_infinity)
    if log_probs._a.ndim != 3:
        result = call("squeeze_dim", result, 0)
    if zero_infinity:
        result = composite.where(call("eq", result, np.inf), call("tensor", np.zeros((), result._a.dtype)), result)
    if reduction == 1:
        counts = np.maximum(np.array(lengths, np.int64), 1).astype(result._a.dtype)
        return composite.mean(call("div", result, Tensor(counts)))
    return composite.sum(result) if reduction == 2 else result


def _check(scores: np.ndarray, labels: np.ndarray, steps: list[int], lengths: list[int], blank: int) -> None:
    if scores.ndim != 3:
        raise _wrong(f"3-dimensional tensor, but got {scores.ndim}-dimensional tensor for argument #1 'log_probs'")
    if labels.ndim not in (1, 2):
        raise _wrong(f"1 to 2 dimensions, but got {labels.ndim}-dimensional tensor for argument #2 'targets'")
    longest, batch, classes = scores.shape
    if not scores.size:
        raise errors.CTC_EMPTY()
    if not 0 <= blank < classes:
        raise errors.CTC_BLANK()
    for name, values in (("input_lengths", steps), ("target_lengths", lengths)):
        if len(values) != batch:
            raise errors.CTC_BATCH(name=name)
    for value in lengths:
        if value < 0:
            raise _wrong(f"target_lengths to have value at least 0, but got value {value}")
    _check_targets(labels, batch, lengths)
    for value in steps:
        if value < 0:
            raise _wrong(f"input_lengths to have value at least 0, but got value {value}")
        if value > longest:
            raise errors.CTC_LENGTH(limit=longest, value=value)
    if scores.dtype.kind not in "fV":
        raise errors.NOT_IMPLEMENTED_DTYPE(name="ctc_loss_cpu", dtype=dtypes.of(scores).legacy)


def _check_targets(labels: np.ndarray, batch: int, lengths: list[int]) -> None:
    if labels.ndim == 1:
        if labels.size != sum(lengths):
            raise _wrong(
                f"tensor to have size {sum(lengths)} at dimension 0, but got size {labels.size} for argument #2 'targets'"
            )
        return
    if labels.shape[0] != batch:
        raise _wrong(
            f"tensor to have size {batch} at dimension 0, but got size {labels.shape[0]} for argument #2 'targets'"
        )
    if lengths and max(lengths) > labels.shape[1]:
        raise _wrong(
            f"tensor to have size at least {max(lengths)} at dimension 1, but got size {labels.shape[1]}"
            " for argument #2 'targets'"
        )


def _wrong(what: str) -> Exception:
    return errors.CTC_SHAPE(what=what)
