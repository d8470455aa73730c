"""The gradients of losses for their inputs, as functions of their own: what PyTorch names ``...LossBackwardBackward0``.

Each takes the upstream gradient of the reduced loss first, then the input and the target. The gradient for the target is
mostly the same with the two in each other's place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine.numerics.scalars import ONE
from gradflow.engine.ops.loss.losses import averaged, spread, weighted
from gradflow.engine.ops.nn.activation_backward import V, W, rule
from gradflow.engine.ops.pointwise.elementwise import rounded
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import Tensor

_EACH = "unreduced(input, saved.shape, reduction)"
_SIGNS = [[1.0, -1.0, -1.0], [1.0, 1.0, -1.0]]


def _samples(*settings: Any, target: Any = W) -> tuple[Any, ...]:
    return (
        (2.0, V, target, "mean", *settings),
        (0.5, V, target, "sum", *settings),
        (W, V, target, "none", *settings),
    )


def _share(saved: np.ndarray, reduction: str, factor: int = 1) -> Any:
    """What the slope of each term is multiplied by: PyTorch takes the count into it before the upstream gradient."""
    return saved.dtype.type(factor / max(saved.size, 1) if reduction == "mean" else factor)


def _symmetric(
    name: str, latex: str, slope: str, curve: str, samples: Any, pieces: str | None = None
) -> dict[str, Any]:
    """That of a loss of the difference: ``slope`` and ``curve`` are its first derivative, and its second times something."""
    title = {"mse_loss": "MseLoss", "smooth_l1_loss": "SmoothL1Loss", "huber_loss": "HuberLoss"}[name]
    own = curve.format(f"g * {_EACH}")
    return rule(
        title,
        latex,
        samples,
        input=f"reduced_like(g * {slope}, reduction)",
        saved=own if pieces is None else (own, pieces),
        target=f"-({own})" if pieces is None else (f"-({own})", f"-{pieces}"),
    )


@op(
    **_symmetric(
        "mse_loss",
        r"⟨0⟩ \odot 2\,(⟨1⟩-⟨2⟩)",
        "(2 * (saved - target))",
        "2 * ({})",
        _samples(),
        "mse_twice(g, input, saved.shape, reduction)",
    )
)
def mse_loss_backward(input: Array, saved: Array, target: Array, reduction):
    """The gradient of the squared difference."""
    return _share(saved, reduction, 2) * (saved - target) * input


@op(
    **_symmetric(
        "smooth_l1_loss",
        r"⟨0⟩ \odot \operatorname{smooth}'\left(⟨1⟩-⟨2⟩\right)",
        "where(abs(saved - target) < beta, (saved - target) / beta, sgn(saved - target))",
        "where(abs(saved - target) < beta, ({}) / beta, 0.0)",
        _samples(1.1),
    )
)
def smooth_l1_loss_backward(input: Array, saved: Array, target: Array, reduction, beta):
    """The gradient of the smooth absolute difference."""
    gap = saved - target
    slope = np.where(np.abs(gap) < beta, gap / gap.dtype.type(beta), np.sign(gap))
    return _share(saved, reduction) * slope * input


@op(
    **_symmetric(
        "huber_loss",
        r"⟨0⟩ \odot \operatorname{huber}'\left(⟨1⟩-⟨2⟩\right)",
        "where(abs(saved - target) < delta, saved - target, delta * sgn(saved - target))",
        "where(abs(saved - target) < delta, {}, 0.0)",
        _samples(1.1),
    )
)
def huber_loss_backward(input: Array, saved: Array, target: Array, reduction, delta):
    """The gradient of Huber's loss."""
    gap = saved - target
    slope = np.where(np.abs(gap) < delta, gap, gap.dtype.type(delta) * np.sign(gap))
    return _share(saved, reduction) * slope * input


@op(
    **rule(
        "SoftMarginLoss",
        r"⟨0⟩ \odot \left(-⟨2⟩ \odot \sigma(-⟨2⟩ \odot ⟨1⟩)\right)",
        _samples(target=_SIGNS),
        input="reduced_like(g * (-target * sigmoid(-target * saved)), reduction)",
        saved=f"g * {_EACH} * (target * target * sigmoid(target * saved) * sigmoid(-target * saved))",
    )
)
def soft_margin_loss_backward(input: Array, saved: Array, target: Array, reduction):
    """The gradient of log(1 + exp(-target * saved))."""
    powers = rounded(np.exp, -target * saved)
    return target * powers * -_share(saved, reduction) / (powers + ONE[powers.dtype]) * input


@helper()
def odds_pieces(g, input, saved, target, weight, reduction):
    """The gradient through that of a binary cross entropy for the probabilities, as PyTorch records it."""
    add, power, times = (REGISTRY[name].call for name in ("add_scalar", "pow_scalar", "mul_scalar"))
    shifted = add(saved, 1e-12)
    rest = add(REGISTRY["sub"].call(Tensor(np.ones((), saved._a.dtype)), saved), 1e-12)
    squared = power(rest, 2)
    below = power(shifted, 2) * squared
    twice = times(saved, 2) * target
    above = saved * saved - twice + target
    quotient = above / below
    result = quotient * (g * input)
    if weight is not None:
        result = result * weight
    return REGISTRY["div_scalar"].call(result, saved._a.size) if reduction == "mean" else result


@op(
    **rule(
        "BinaryCrossEntropy",
        r"⟨0⟩ \odot (⟨1⟩-⟨2⟩) \oslash \left(⟨1⟩ \odot (1-⟨1⟩)\right)",
        (
            (2.0, [[0.5, 0.25]], [[0.1, 0.9]], None, "mean"),
            (0.5, [[0.5, 0.25]], [[0.1, 0.9]], [[2.0, 3.0]], "sum"),
            ([[1.5, 0.5]], [[0.5, 0.25]], [[0.1, 0.9]], None, "none"),
        ),
        input="reduced_like(weighted(g * odds_slope(saved, target), weight), reduction)",
        saved=(
            "weighted(g * unreduced(input, saved.shape, reduction), weight) * odds_curve(saved, target)",
            "odds_pieces(g, input, saved, target, weight, reduction)",
        ),
        target="-weighted(g * unreduced(input, saved.shape, reduction), weight)"
        " / clamp_scalar((1 - saved) * saved, 1e-12, None)",
    )
)
def binary_cross_entropy_backward(input: Array, saved: Array, target: Array, weight: Array | None, reduction):
    """The gradient of a binary cross entropy for the probabilities."""
    slope = input * (saved - target) / spread(saved)
    return averaged(weighted(slope, weight), reduction)
