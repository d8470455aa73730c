"""Sizes that come back: which sides of an image survive all that halves and doubles it on the way to where they meet."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.findings.layers import constant, written
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import Change, changes, decided_at, operands_of
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.sandbox.positions import argument_of

_MOST = 2000


def returning(case: Case, source: TensorEntry, found: Sequence[Change], back: int) -> tuple[int, int, list[int]] | None:
    """The side that the input has now, what it is to be divisible by, and the nearest such sides.

    ``found`` are the changes after ``source``; those before it count, too. None where a step is of another kind.
    """
    root = root_of(source)
    steps = [*(changes(root, source, back) if root is not source.first else ()), *found]
    factors = [_factor(case, one) for one in steps]
    begin = int(root.array.shape[-back])
    size, whole = Fraction(1), 1
    for factor in factors:
        if factor is None:
            return None
        size *= factor
        whole = lcm(whole, size.denominator)
    own = [one for one in factors[len(steps) - len(found) :] if one is not None]
    result = Fraction(1)
    for one in own:
        result *= one
    if result != 1 or whole == 1 or begin % whole == 0:
        return None
    below = begin // whole * whole
    return begin, whole, [one for one in (below, below + whole) if one > 0]


def side_written(case: Case, source: TensorEntry, side: int, back: int) -> ast.expr | None:
    """Where the side that the input has is written: the number in the call that made it, or the one that its name has."""
    root = root_of(source)
    decided = decided_at(root, root.array.ndim - back).entry
    call = case.at(ast.Call, decided.place)
    given = [part for one in call.args for part in getattr(one, "elts", [one])] if call is not None else []
    one: ast.expr
    for one in given[::-1]:
        if constant(case, one) == side:
            while isinstance(one, ast.Name):
                known = list(Flow(case).assigned(one, one.id))
                if len(known) != 1 or constant(case, known[0]) != side:
                    return one
                one = known[0]
            return one
    return None


def root_of(entry: TensorEntry) -> TensorEntry:
    """The first tensor of as many dimensions that another one was computed from, along its first operands."""
    current = entry.first
    for _ in range(_MOST):
        before = [
            one.first
            for one in operands_of(current)
            if one.array.ndim == current.array.ndim and not (one.is_leaf and one.requires_grad)
        ]
        if not before or before[0] is current:
            break
        current = before[0]
    return current


def _factor(case: Case, change: Change) -> Fraction | None:
    """What a step multiplies each side with, where it does so with all that are divisible."""
    call = case.at(ast.Call, change.entry.place)
    if call is None:
        return None
    before, after = change.before, change.after
    if after > before:
        fixed = called(call) == "interpolate" and argument_of(call, 1, "size") is not None
        return Fraction(after // before) if after % before == 0 and not fixed else None
    layer = case.value(call.func)
    parts = list(layer.modules()) if isinstance(layer, Layer) else []
    pools = [one for one in parts if "Pool" in type(one).__name__]
    convs = [one for one in parts if type(one).__name__.startswith("Conv") and _side(getattr(one, "stride", 1)) != 1]
    if len(pools) + len(convs) == 1 and (one := [*pools, *convs][0]) is not None:
        kernel, stride = _side(getattr(one, "kernel_size", None)), _side(getattr(one, "stride", None))
        return _divided(kernel, stride, _side(getattr(one, "padding", 0)), change)
    if not parts and "pool" in called(call):
        kernel = written(given) if (given := argument_of(call, 1, "kernel_size")) is not None else None
        stride = written(step) if (step := argument_of(call, 2, "stride")) is not None else kernel
        pad = written(border) if (border := argument_of(call, 3, "padding")) is not None else 0
        return _divided(kernel, stride, pad, change)
    return None


def _side(value: object) -> object:
    return value[-1] if isinstance(value, tuple) and value and len(set(value)) == 1 else value


def _divided(kernel: object, stride: object, padding: object, change: Change) -> Fraction | None:
    """``1 / stride``, where what is divisible by the stride is divided by it exactly."""
    if not isinstance(kernel, int) or not isinstance(stride, int) or not isinstance(padding, int) or stride < 2:
        return None
    exact = (2 * padding - kernel) // stride == -1
    if not exact or (change.before + 2 * padding - kernel) // stride + 1 != change.after:
        return None
    return Fraction(1, stride)
