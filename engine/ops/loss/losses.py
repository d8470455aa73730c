"""Losses of one tensor against another, and how they are reduced to one number."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.scalars import ONE
from gradflow.engine.numerics.sums import cascade_mean, cascade_sum
from gradflow.engine.ops.nn.activation import floating
from gradflow.engine.ops.nn.activation_smooth import logsigmoid
from gradflow.engine.ops.pointwise.elementwise import rounded
from gradflow.engine.ops.pointwise.with_numbers import combined
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import dtypes

V = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
W = [[1.4, 2.5, -0.5], [0.35, -2.0, 3.1]]
TIES = [[1.5, 2.5, -0.5], [0.25, -2.0, 3.0]]
P = [[0.5, 0.25, 0.9], [0.75, 0.1, 0.3]]
TARGETS = [[0.1, 0.9, 0.8], [0.7, 0.25, 0.2]]
EVEN = [[0.5, 0.45, 0.6], [0.55, 0.4, 0.52]]
T = [[0.0, 1.0, 1.0], [1.0, 0.25, 0.0]]
SIGNS = [[1.0, -1.0, -1.0], [1.0, 1.0, -1.0]]
REDUCTIONS = ((V, W), (V, W, "sum"), (V, W, "none"))


def reduced(values: np.ndarray, reduction: str) -> Any:
    """The mean, the sum, or the values themselves."""
    if reduction == "none":
        return values
    return cascade_mean(values, None) if reduction == "mean" else cascade_sum(values, None)


@op(
    gradients={"input": "reduced_like(g, reduction)"},
    latex="⟨0⟩",
    functions=(),
    methods=(),
    torch=None,
    samples=((2.0, (2, 3), "mean"), (2.0, (2, 3), "sum"), (V, (2, 3), "none")),
)
def unreduced(input: Array, shape, reduction):
    """The gradient of a reduced loss for each of its terms: spread, and divided by their number for a mean."""
    if reduction == "none":
        return input
    count = max(int(np.prod(shape, dtype=np.int64)), 1)
    return np.broadcast_to(input / input.dtype.type(count) if reduction == "mean" else input, shape)


@op(
    gradients={"input": "unreduced(g, input.shape, reduction)"},
    latex="⟨0⟩",
    functions=(),
    methods=(),
    torch=None,
    samples=((V, "mean"), (V, "sum"), (V, "none")),
)
def reduced_like(input: Array, reduction):
    """The terms of a loss reduced as the loss is."""
    return reduced(input, reduction)


@helper(latex=r"⟦1:⟨1⟩ \odot ⟧⟨0⟩")
def weighted(g, weight):
    """The gradient times the weights, where there are any."""
    return g if weight is None else g * weight


@helper(latex="⟨0⟩")
def averaged(slope, reduction):
    """The gradient of a sum as that of the reduced loss: PyTorch divides it last where that is the mean."""
    return slope / slope.dtype.type(max(slope.size, 1)) if reduction == "mean" else slope


def _loss(name: str, latex: str, setting: str = "", samples: Any = REDUCTIONS, **more: Any) -> dict[str, Any]:
    """The declaration of a symmetric loss: its target's gradient is that of its input with the two exchanged."""
    settings = "reduction" + (f", {setting}" if setting else "")
    return {
        "gradients": {
            "input": f"{name}_loss_backward(g, input, target, {settings})",
            "target": f"{name}_loss_backward(g, target, input, {settings})",
        },
        "latex": latex,
        "symbol": name,
        "functions": (),
        "methods": (),
        "samples": samples,
        "torch": f"nn.functional.{name}_loss",
        "adapt": _by_name,
        **more,
    }


def _by_name(function: Any, input: Any, target: Any, reduction: str = "mean", *rest: Any) -> Any:
    options = {"smooth_l1_loss": "beta", "huber_loss": "delta"}
    own = {options[function.__name__]: rest[0]} if rest else {}
    return function(input, target, reduction=reduction, **own)


@op(**_loss("mse", r"\overline{(⟨0⟩-⟨1⟩)^2}"))
def mse_loss(input: Array, target: Array, reduction="mean"):
    """Squared differences, their mean or their sum."""
    difference = floating(input, "mse_cpu") - target
    return reduced(difference * difference, reduction)


@op(
    **_loss(
        "smooth_l1",
        r"\overline{\operatorname{smooth}\left(⟨0⟩-⟨1⟩\right)}",
        "beta",
        (*REDUCTIONS, (V, W, "mean", 2.0), (V, W, "sum", 0.5)),
        edges=((V, V), (V, TIES), ([1.0, 2.0], [2.0, 2.0], "none")),
    )
)
def smooth_l1_loss(input: Array, target: Array, reduction="mean", beta=1.0):
    """Half the squared difference over ``beta`` where the difference is below ``beta``, else its size less beta / 2."""
    size = np.abs(floating(input, "smooth_l1_cpu") - target)
    scalar_type = input.dtype.type
    return reduced(
        np.where(size < beta, scalar_type(0.5) * size * size / scalar_type(beta), size - scalar_type(0.5 * beta)),
        reduction,
    )


@op(
    **_loss(
        "huber",
        r"\overline{\operatorname{huber}\left(⟨0⟩-⟨1⟩\right)}",
        "delta",
        (*REDUCTIONS, (V, W, "mean", 2.0), (V, W, "sum", 0.5)),
        edges=((V, V), (V, TIES), ([1.0, 2.0], [2.0, 2.0], "none")),
    )
)
def huber_loss(input: Array, target: Array, reduction="mean", delta=1.0):
    """Half the squared difference where the difference is below ``delta``, else delta * (its size less delta / 2)."""
    size = np.abs(floating(input, "huber_cpu") - target)
    scalar_type = input.dtype.type
    return reduced(
        np.where(size <= delta, scalar_type(0.5) * size * size, scalar_type(delta) * (size - scalar_type(0.5 * delta))),
        reduction,
    )


@helper(latex=r"\text{no derivative}")
def found_dtype(g, input, target):
    """Raises RuntimeError: PyTorch has the loss of two dtypes, and not its gradient."""
    raise errors.FOUND_DTYPE(found=dtypes.of(target).legacy, expected=dtypes.of(input).legacy)


@op(
    gradients={"input": "found_dtype(g, input, target)", "target": "found_dtype(g, target, input)"},
    latex=r"\overline{\operatorname{huber}\left(⟨0⟩-⟨1⟩\right)}",
    symbol="huber",
    grad_fn="HuberLossBackward0",
    functions=(),
    methods=(),
    torch=None,
)
def huber_loss_mixed(input: Array, target: Array, reduction="mean", delta=1.0):
    """`huber_loss` of two dtypes, in that of the input."""
    dtype = dtypes.result_type(input, target)
    return reduced(huber_loss(input.astype(dtype), target.astype(dtype), "none", delta).astype(input.dtype), reduction)


@op(
    gradients={"input": "soft_margin_loss_backward(g, input, target, reduction)"},
    latex=r"\overline{\ln\left(1+e^{-⟨1⟩ \odot ⟨0⟩}\right)}",
    symbol="soft margin",
    functions=(),
    methods=(),
    torch="nn.functional.soft_margin_loss",
    adapt=_by_name,
    samples=((V, SIGNS), (V, SIGNS, "sum"), (V, SIGNS, "none")),
)
def soft_margin_loss(input: Array, target: Array, reduction="mean"):
    """log(1 + exp(-target * input)) for targets -1 and 1."""
    return reduced(rounded(np.log1p, rounded(np.exp, -target * input)), reduction)


# -- binary cross entropy ----------------------------------------------------------------------------------------------


def _weight_by_name(function: Any, input: Any, target: Any, weight: Any = None, *rest: Any) -> Any:
    names = ("pos_weight", "reduction") if "logits" in function.__name__ else ("reduction",)
    return function(input, target, weight=weight, **dict(zip(names, rest, strict=False)))


def spread(input: np.ndarray) -> np.ndarray:
    """The variance of a truth value with this probability, kept above 0."""
    return np.maximum((ONE[input.dtype] - input) * input, input.dtype.type(np.float32(1e-12)))


@op(
    gradients={
        "input": "g * odds_curve(input, target)",
        "target": "-g / clamp_scalar((1 - input) * input, 1e-12, None)",
    },
    latex=r"(⟨0⟩-⟨1⟩) \oslash \left(⟨0⟩ \odot (1-⟨0⟩)\right)",
    functions=(),
    methods=(),
    torch=None,
    samples=((P, T),),
)
def odds_slope(input: Array, target: Array):
    """The slope of a binary cross entropy; the second derivative is PyTorch's, kept finite at 0 and 1."""
    return (input - target) / spread(input)


@helper(latex=r"\frac{⟨0⟩^2-2⟨0⟩⟨1⟩+⟨1⟩}{⟨0⟩^2(1-⟨0⟩)^2}")
def odds_curve(input, target):
    """The second derivative of a binary cross entropy, kept finite at 0 and 1 as PyTorch has it."""
    below, above = input + 1e-12, 1 - input + 1e-12
    return (input * input - 2 * input * target + target) / (below * below * above * above)


@helper()
def bce_target_backward(g, input, target, weight, reduction):
    """The gradient of `binary_cross_entropy` for the targets: the mean is taken last."""
    mul = REGISTRY["mul"].call
    slope = mul(REGISTRY["neg"].call(REGISTRY["logit"].call(input)), g)
    slope = slope if weight is None else mul(slope, weight)
    return combined("div", slope, target._a.size) if reduction == "mean" else slope


@helper()
def bce_logits_target_backward(g, input, target, weight, pos_weight, reduction):
    """The same of `binary_cross_entropy_with_logits`."""
    call = {name: REGISTRY[name].call for name in ("mul", "neg", "sub", "logsigmoid")}
    if pos_weight is None:
        slope = call["mul"](call["neg"](input), g)
    else:
        negative = call["logsigmoid"](call["neg"](input))
        slope = call["mul"](call["sub"](negative, call["mul"](call["logsigmoid"](input), pos_weight)), g)
    slope = slope if weight is None else call["mul"](slope, weight)
    return combined("div", slope, target._a.size) if reduction == "mean" else slope


def bounded(logarithm: np.ndarray) -> np.ndarray:
    """A logarithm, at least -100, so that a probability of 0 costs a finite amount."""
    return np.maximum(logarithm, logarithm.dtype.type(-100))


@op(
    gradients={
        "input": "binary_cross_entropy_backward(g, input, target, weight, reduction)",
        "target": (
            "averaged(weighted(-logit(input) * g, weight), reduction)",
            "bce_target_backward(g, input, target, weight, reduction)",
        ),
    },
    latex=r"-\overline{⟦2:⟨2⟩ \odot \left(⟧⟨1⟩ \odot \ln ⟨0⟩+(1-⟨1⟩) \odot \ln(1-⟨0⟩)⟦2:\right)⟧}",
    symbol="bce",
    functions=(),
    methods=(),
    torch="nn.functional.binary_cross_entropy",
    adapt=_weight_by_name,
    samples=((EVEN, TARGETS), (EVEN, TARGETS, None, "sum"), (EVEN, TARGETS, V, "none"), (EVEN, TARGETS, W)),
    edges=((EVEN, T), ([0.0, 1.0, 0.5], [1.0, 0.0, 0.5]), ([0.0, 1.0], [0.0, 1.0])),
    errors=((V, T, "all elements of input should be between 0 and 1"),),
)
def binary_cross_entropy(input: Array, target: Array, weight: Array | None = None, reduction="mean"):
    """The cost of predicting probabilities for targets 0 and 1; no term costs more than 100."""
    if target.dtype != input.dtype:
        raise errors.FOUND_DTYPE(found=dtypes.of(target).legacy, expected=dtypes.of(input).legacy)
    floating(input, "binary_cross_entropy")
    for name, values in (("input", input), ("target", target)):
        if not np.all((values >= 0) & (values <= 1)):
            raise errors.BCE_RANGE(name=name)
    one = ONE[input.dtype]
    with np.errstate(divide="ignore"):
        of_zero, of_one = bounded(rounded(np.log1p, -input)), bounded(rounded(np.log, input))
    loss = (target - one) * of_zero - target * of_one
    return reduced(loss if weight is None else loss * weight, reduction)


@helper(latex=r"\left(⟦2:\left(⟨2⟩ \odot ⟨1⟩+1-⟨1⟩\right) \odot ⟧\sigma\left(⟨0⟩\right)-⟦2:⟨2⟩ \odot ⟧⟨1⟩\right)")
def logits_slope(input, target, pos_weight):
    """The slope of `binary_cross_entropy_with_logits`."""
    gate = REGISTRY["sigmoid"].body(input)
    if pos_weight is None:
        return gate - target
    share = pos_weight * target
    return (share + 1 - target) * gate - share


@helper(latex=r"⟦1:\left(\ln \sigma\left(-⟨0⟩\right)-⟨1⟩ \odot \ln \sigma\left(⟨0⟩\right)\right)¦\left(-⟨0⟩\right)⟧")
def targets_slope(input, pos_weight):
    """Its slope for the targets."""
    return -input if pos_weight is None else logsigmoid(-input) - logsigmoid(input) * pos_weight


@helper()
def bce_logits_pieces(g, input, target, weight, pos_weight, reduction):
    """The gradient of `binary_cross_entropy_with_logits`: the mean is taken last."""
    call = {name: REGISTRY[name].call for name in ("sigmoid", "sub", "mul", "add_scalar")}
    if pos_weight is None:
        slope = call["mul"](call["sub"](call["sigmoid"](input), target), g)
    else:
        share = call["mul"](pos_weight, target)
        factor = call["sub"](call["add_scalar"](share, 1), target)
        slope = call["mul"](call["sub"](call["mul"](factor, call["sigmoid"](input)), share), g)
    slope = slope if weight is None else call["mul"](slope, weight)
    return combined("div", slope, input._a.size) if reduction == "mean" else slope


@op(
    gradients={
        "input": (
            "averaged(weighted(logits_slope(input, target, pos_weight) * g, weight), reduction)",
            "bce_logits_pieces(g, input, target, weight, pos_weight, reduction)",
        ),
        "target": (
            "averaged(weighted(targets_slope(input, pos_weight) * g, weight), reduction)",
            "bce_logits_target_backward(g, input, target, weight, pos_weight, reduction)",
        ),
    },
    latex=r"-\overline{⟦2:⟨2⟩ \odot \left(⟧⟦4:⟨4⟩ \odot ⟧⟨1⟩ \odot \ln \sigma(⟨0⟩)+(1-⟨1⟩) \odot \ln \sigma(-⟨0⟩)⟦2:\right)⟧}",
    symbol="bce",
    functions=(),
    methods=(),
    torch="nn.functional.binary_cross_entropy_with_logits",
    adapt=_weight_by_name,
    samples=(
        (V, T),
        (V, T, None, None, "sum"),
        (V, T, P, None, "none"),
        (V, T, None, [2.0, 0.5, 3.0]),
        (V, T, W, [2.0]),
    ),
    edges=(([60.0, -60.0, 0.0], [0.0, 1.0, 0.5]),),
)
def binary_cross_entropy_with_logits(
    input: Array, target: Array, weight: Array | None = None, pos_weight: Array | None = None, reduction="mean"
):
    """`binary_cross_entropy` of sigmoid(input), without overflow."""
    one, dtype = ONE[target.dtype], target.dtype  # PyTorch writes each step into 1 - target
    logarithm = logsigmoid(input)
    if pos_weight is not None:
        share = (pos_weight - ONE[pos_weight.dtype]) * target + one
        logarithm = (share * logarithm).astype(share.dtype, copy=False)
    loss = ((one - target) * input).astype(dtype, copy=False)
    loss = (loss - logarithm).astype(dtype, copy=False)
    return reduced(loss if weight is None else (loss * weight).astype(dtype, copy=False), reduction)
