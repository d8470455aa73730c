"""Clamping, and choosing between elements."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.checked_cast import checked_cast
from gradflow.engine.numerics.scalars import ZERO
from gradflow.engine.ops.pointwise.elementwise import COLUMN, INF, NAN, SPECIAL, WHOLE, V, W, named
from gradflow.engine.ops.pointwise.with_numbers import combined
from gradflow.engine.out_rules import exactly
from gradflow.engine.registry import REGISTRY, Array, Operand, helper, op
from gradflow.engine.tensor import Tensor, dtypes

_BITS = {2: np.int16, 4: np.int32, 8: np.int64}
COMPLEX_CLAMP = partial(errors.COMPLEX_REFUSED, name="clamp", what="types")


@op(
    gradients={"input": "threshold_backward(g, out)"},
    latex=r"\operatorname{relu}\left(⟨0⟩\right)",
    symbol="relu",
    elementwise=True,
    samples=((V,),),
    edges=(([-0.0, 0.0, NAN, INF, -INF],),),
)
def relu(input: Array):
    """The element where it is positive, else 0. The gradient at 0 is 0; NaN stays NaN."""
    if input.dtype.kind in "bc":
        raise errors.NO_ORDER() if input.dtype.kind == "c" else errors.BOOLEANS(kind="Boolean", name="relu")
    return np.maximum(ZERO[input.dtype], input)  # of two zeros NumPy takes the second: the element keeps its sign


@op(
    gradients={"input": "threshold_backward(g, activation)", "activation": "zeros_like_array(g)"},
    latex=r"⟨0⟩ \odot [⟨1⟩ > 0]",
    symbol="relu′",
    grad_fn="ThresholdBackwardBackward0",
    functions=(),
    methods=(),
    samples=((V, W),),
    torch="ops.aten.threshold_backward",
    adapt=lambda f, *args: f(*args, 0),
)
def threshold_backward(input: Array, activation: Array):
    """The gradient where relu let its input through, 0 elsewhere. NaN let through passes the gradient on."""
    blocked = activation <= 0
    bits = _BITS.get(input.dtype.itemsize) if input.dtype.kind == "f" else None
    if bits is None or blocked.shape != input.shape:
        return np.where(blocked, ZERO[input.dtype], input)
    # all bits of what is let through: nine times as fast as a choice of elements, and as exact
    return (input.view(bits) & (blocked.view(np.int8) - np.int8(1)).astype(bits)).view(input.dtype)


@op(
    refuses={"c": COMPLEX_CLAMP},
    gradients={"input": "where(inside(input, min, max), g, 0.0)"},
    name="clamp_scalar",
    grad_fn="ClampBackward1",
    latex=r"⟦2:\min\left(⟧⟦1:\max\left(⟧⟨0⟩⟦1:, ⟨1⟩\right)⟧⟦2:, ⟨2⟩\right)⟧",
    symbol="clamp",
    elementwise=True,
    functions=(),
    methods=(),
    samples=((V, -0.6, 1.0), (V, 0), (V, None, 0.85), (V, 1.0, -1.0)),
    torch="clamp",
)
def clamp_scalar(input: Array, min=None, max=None):
    """Elements below ``min`` become ``min``, above ``max`` become ``max``; the gradient is 1 on the bounds."""
    return _clip(input, min, max)


@op(
    refuses={"c": COMPLEX_CLAMP},
    gradients={
        name: (text, text)  # in PyTorch's order
        for name, text in (
            ("min", "where(below(input, min, max), g, 0.0)"),
            ("max", "where(above(input, min, max), g, 0.0)"),
            ("input", "where(inside(input, min, max), g, 0.0)"),
        )
    },
    name="clamp_tensor",
    grad_fn="ClampBackward0",
    symbol="clamp",
    latex=r"⟦2:\min\left(⟧⟦1:\max\left(⟧⟨0⟩⟦1:, ⟨1⟩\right)⟧⟦2:, ⟨2⟩\right)⟧",
    promote="common",
    functions=(),
    methods=(),
    samples=((V, COLUMN, W), (V, W), (V, None, W)),
    torch="clamp",
)
def clamp_tensor(input: Operand, min: Operand | None = None, max: Operand | None = None):
    """Clamp between tensors, broadcast; a tie gives its gradient to the input."""
    return _clip(input, min, max)


ORDERLESS = ([NAN, 1.0, NAN, INF, 2.0], [1.0, NAN, NAN, INF, 2.0])
SIGNED = ([0.0, 0.0, -0.0, -0.0], [0.0, -0.0, 0.0, -0.0])
TIES = ([1.0, 2.0, NAN, 1.0, INF], [1.0, 1.0, 1.0, NAN, INF])


def _one_bound(name: str, keeps: str, crosses: str) -> dict[str, Any]:
    """The declaration of clamping from one side."""
    return {
        "gradients": {"input": f"where(input {keeps} {name}, g, 0.0)"},
        "symbol": name,
        "functions": (),
        "methods": (),
        "latex": rf"\{'max' if name == 'min' else 'min'}\left(⟨0⟩, ⟨1⟩\right)",
        "promote": "common",
        "torch": f"clamp_{name}",
    }


@op(
    refuses={"b": "clamp_min_scalar_cpu", "c": COMPLEX_CLAMP},
    **_one_bound("min", ">=", "<"),
    grad_fn="ClampMinBackward0",
    samples=((V, 0.6), (V, -1)),
    edges=((SPECIAL, 1.0), (WHOLE, 0.5)),
)
def clamp_min_scalar(input: Operand, min: Operand):
    """Elements below a number become that number."""
    return np.maximum(min, input)


@op(
    refuses={"b": "clamp_max_scalar_cpu", "c": COMPLEX_CLAMP},
    **_one_bound("max", "<=", ">"),
    grad_fn="ClampMaxBackward0",
    samples=((V, 0.6), (V, 1)),
    edges=((SPECIAL, 1.0), (WHOLE, 0.5)),
)
def clamp_max_scalar(input: Operand, max: Operand):
    """Elements above a number become that number."""
    return np.minimum(max, input)


def _other_bound(name: str, keeps: str, crosses: str) -> dict[str, Any]:
    own = _one_bound(name, keeps, crosses)
    own["gradients"] = {**own["gradients"], name: f"where(input {crosses} {name}, g, 0.0)"}
    return {**own, "samples": ((V, W), (V, COLUMN)), "edges": (TIES,)}


@op(refuses={"c": "maximum_cpu"}, **_other_bound("min", ">=", "<"), grad_fn="ClampMinBackward1")
def clamp_min_tensor(input: Operand, min: Operand):
    """Elements below those of another tensor become those."""
    return np.maximum(min, input)


@op(refuses={"c": "minimum_cpu"}, **_other_bound("max", "<=", ">"), grad_fn="ClampMaxBackward1")
def clamp_max_tensor(input: Operand, max: Operand):
    """Elements above those of another tensor become those."""
    return np.minimum(max, input)


def _clip(input: Any, low: Any, high: Any) -> Any:
    if low is None and high is None:
        raise errors.CLAMP_BOUNDS()
    result = input
    if low is not None:
        result = np.maximum(low, result)
    return result if high is None else np.minimum(high, result)


@op(latex=r"\left[⟦1:⟨1⟩ \le ⟧⟨0⟩⟦2: \le ⟨2⟩⟧\right]", functions=(), methods=(), torch=None)
def inside(input: Operand, min: Operand | None, max: Operand | None):
    """Where an element lies between the bounds, the bounds included."""
    result = np.ones(np.broadcast_shapes(*(np.shape(x) for x in (input, min, max) if x is not None)), bool)
    if min is not None:
        result &= input >= min
    return result if max is None else result & (input <= max)


@op(latex=r"\left[⟨0⟩ < ⟨1⟩\right]", functions=(), methods=(), torch=None)
def below(input: Operand, min: Operand, max: Operand | None):
    """Where an element lies below ``min``, and ``min`` is the bound that counts."""
    return input < min if max is None else (input < min) & (min < max)


@op(latex=r"\left[⟨0⟩ > ⟨2⟩\right]", functions=(), methods=(), torch=None)
def above(input: Operand, min: Operand | None, max: Operand):
    """Where an element lies above ``max``, or the bounds are crossed."""
    return input > max if min is None else (input > max) | (max < min)


@op(
    refuses={"c": errors.COMPLEX_UNORDERED},
    gradients={
        "other": ("g * share_of_larger(other, input)", "to_larger(g, other, input)"),
        "input": ("g * share_of_larger(input, other)", "to_larger(g, input, other)"),
    },
    latex=r"\max\left(⟨0⟩, ⟨1⟩\right)",
    symbol="max",
    promote="common",
    samples=((V, W), (V, COLUMN), (COLUMN, W)),
    inplace=False,
    edges=(ORDERLESS, SIGNED),
)
def maximum(input: Operand, other: Operand):
    """The larger of two elements; equal ones share the gradient evenly. NaN wins."""
    return np.maximum(other, input)


@op(
    refuses={"c": errors.COMPLEX_UNORDERED},
    gradients={
        "other": ("g * share_of_larger(input, other)", "to_larger(g, input, other)"),
        "input": ("g * share_of_larger(other, input)", "to_larger(g, other, input)"),
    },
    latex=r"\min\left(⟨0⟩, ⟨1⟩\right)",
    symbol="min",
    promote="common",
    samples=((V, W), (V, COLUMN), (COLUMN, W)),
    inplace=False,
    edges=(ORDERLESS, SIGNED),
)
def minimum(input: Operand, other: Operand):
    """The smaller of two elements; equal ones share the gradient evenly. NaN wins."""
    return np.minimum(other, input)


@op(latex=r"\left[⟨0⟩ > ⟨1⟩\right]", promote="float", functions=(), methods=(), torch=None)
def share_of_larger(input: Operand, other: Operand):
    """1 where ``input`` is the larger one or either is NaN, 0.5 where both are equal."""
    dtype = np.result_type(input, other)
    return np.where(input == other, dtype.type(0.5), np.asarray(~(input < other)).astype(dtype))


@helper()
def to_larger(g, input, other):
    """The gradient where ``input`` is the larger one or either is NaN, half of it where both are equal."""
    half = combined("div", g, 2)
    shared = REGISTRY["where"].call(Tensor(np.asarray(input._a == other._a)), half, g)
    return REGISTRY["masked_fill"].call(shared, Tensor(np.asarray(input._a < other._a)), 0.0)


@op(
    gradients={"input": "where(condition, g, 0.0)", "other": "where(condition, 0.0, g)"},
    latex=r"\operatorname{where}\left(⟨0⟩, ⟨1⟩, ⟨2⟩\right)",
    symbol="where",
    promote="common",
    inplace=False,
    functions=(),
    methods=(),
    samples=(
        ([[True, False, True]], V, W),
        ([[True], [False]], V, 2.0),
        ([[True], [False]], 1.5, W),
        ([True, False, True], COLUMN, W),
    ),
    torch="where",
)
def where(condition: Array, input: Operand, other: Operand):
    """``input`` where the condition holds, else ``other``, broadcast."""
    if condition.dtype != np.bool_:
        raise errors.WHERE_CONDITION(dtype=dtypes.of(condition).legacy)
    return np.where(condition, input, other)


@op(
    gradients={"input": "masked_fill(g, mask, 0.0)"},
    latex=r"\operatorname{fill}\left(⟨0⟩, ⟨1⟩\right)",
    symbol="fill",
    elementwise=True,
    samples=((V, [[True, False, True]], 2.0), (V, [[True], [False]], 0.0)),
    errors=((V, [[True, False, True]], 1e300, "value cannot be converted to type float without overflow"),),
)
def masked_fill(input: Array, mask: Array, value):
    """The input with ``value`` where the mask is true; the mask broadcasts."""
    return np.where(mask, checked_cast(value.item() if hasattr(value, "item") else value, input.dtype), input)


@op(
    refuses={"c": errors.COMPLEX_UNORDERED},
    gradients={
        "other": ("where(takes_first(input, other), 0.0, g)", "kept_where(g, takes_first(input, other), 0)"),
        "input": ("where(takes_first(input, other), g, 0.0)", "kept_where(g, takes_first(input, other), 1)"),
    },
    latex=r"\max\left(⟨0⟩, ⟨1⟩\right)",
    symbol="fmax",
    promote="common",
    inplace=False,
    samples=((V, W), (V, COLUMN)),
    edges=(TIES, (WHOLE, WHOLE)),
)
def fmax(input: Operand, other: Operand):
    """The larger of two elements; a number wins against NaN. A tie gives its gradient to the input."""
    return np.where(input == other, input, np.fmax(input, other))  # of two zeros the first


@op(
    refuses={"c": errors.COMPLEX_UNORDERED},
    gradients={
        "other": ("where(takes_first(-input, -other), 0.0, g)", "kept_where(g, takes_last(input, other), 0)"),
        "input": ("where(takes_first(-input, -other), g, 0.0)", "kept_where(g, takes_last(input, other), 1)"),
    },
    latex=r"\min\left(⟨0⟩, ⟨1⟩\right)",
    symbol="fmin",
    promote="common",
    inplace=False,
    samples=((V, W), (V, COLUMN)),
    edges=(TIES, (WHOLE, WHOLE)),
)
def fmin(input: Operand, other: Operand):
    """The smaller of two elements; a number wins against NaN. A tie gives its gradient to the input."""
    return np.where(input == other, input, np.fmin(input, other))  # of two zeros the first


@helper()
def kept_where(g, condition, value):
    """The gradient where a condition has this truth value, else 0."""
    return REGISTRY["masked_fill"].call(g, Tensor(np.asarray(condition._a != bool(value))), 0.0)


@helper()
def takes_last(input, other):
    """Where the input is not the larger one, NaN counting as the largest."""
    return Tensor(np.asarray((input._a <= other._a) | np.isnan(other._a)))


@op(latex=r"\left[⟨0⟩ \ge ⟨1⟩\right]", functions=(), methods=(), torch=None)
def takes_first(input: Operand, other: Operand):
    """Where the input is not the smaller one, NaN counting as the smallest."""
    return (input >= other) | np.isnan(other)


@op(
    gradients={"input": ("where(is_finite(input), g, 0.0)", "g * is_finite(input)")},
    latex=named("nan_to_num"),
    symbol="nan→0",
    elementwise=True,
    samples=((V,), (V, 1.0, 2.0, 3.0)),
    edges=((SPECIAL,), (SPECIAL, 1.5), (SPECIAL, 0.0, 1.0, -1.0), (WHOLE,)),
    out=exactly("{name}: dtype of out: {O} should be same as input: {R}"),
)
def nan_to_num(input: Array, nan=None, posinf=None, neginf=None):
    """Numbers in the place of NaN and the infinities: 0, and the largest and smallest of the dtype."""
    if input.dtype.kind not in "fcV":
        return input.copy()
    return np.nan_to_num(input, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)


@op(latex=r"\left[|⟨0⟩| < \infty\right]", functions=(), methods=(), torch=None)
def is_finite(input: Array):
    """Where an element is finite."""
    return np.isfinite(input)
