"""How two Jacobians differ: by their sign, by a factor, by which side is which, or by everything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from gradflow.engine.namespace.autograd.gradcheck import Difference

Value = np.ndarray | float
_NUMBERS: Final = (2.0, 0.5, 3.0, 1.5, 4.0, 0.25, -2.0, -0.5)


@dataclass(frozen=True)
class Factor:
    """What a gradient lacks: it is to be multiplied by this, or divided. ``at_hand``: whether ``backward`` has it."""

    text: str
    divides: bool = False
    at_hand: bool = True
    number: float = 0.0


@dataclass(frozen=True)
class Fact:
    """What is told of the difference, to stand behind the formula."""

    kind: str
    en: str
    zh: str
    factor: Factor | None = None

    @property
    def text(self) -> str:
        """The factor, as it is written; nothing where none is known."""
        return self.factor.text if self.factor is not None else ""


def compared(difference: Difference, known: Mapping[str, tuple[Value, bool]]) -> Fact:
    """The plainest account of the difference."""
    own, other = difference.analytical, difference.numerical
    if own.dtype.kind == "c":
        return _by_example(own, other)
    if _alike(own, np.zeros_like(own)):
        return Fact("zero", "gives zero everywhere, and the output does change", "处处给出零，而输出确实在变化")
    if _alike(own, -other):
        return Fact("sign", "has the sign turned, everywhere", "处处符号相反", Factor("-1"))
    if own.shape[0] == own.shape[1] and _alike(own.T, other):
        return Fact("transposed", "gives the transposed Jacobian", "给出的是转置的雅可比矩阵")
    found = _constant(own, other, known) or _elementwise(own, other, known)
    return found or _by_example(own, other)


def _alike(one: np.ndarray, other: np.ndarray) -> bool:
    return bool(np.allclose(one, other, 1e-3, 1e-5))


def _constant(own: np.ndarray, other: np.ndarray, known: Mapping[str, tuple[Value, bool]]) -> Fact | None:
    """One factor for all elements."""
    at = np.unravel_index(int(np.abs(own).argmax()), own.shape)
    ratio = float(other[at] / own[at])
    if not np.isfinite(ratio) or abs(ratio) < 1e-6 or not _alike(own * ratio, other):
        return None
    factor = _named(ratio, known)
    number = f"{ratio:.4g}"
    named = factor is not None and not factor.number
    text = f", which is `{'1 / ' if factor.divides else ''}{factor.text}`" if factor is not None and named else ""
    text_zh = text.replace(", which is", "，即")
    return Fact(
        "factor", f"lacks one factor everywhere, {number}{text}", f"处处缺少同一个因子 {number}{text_zh}", factor
    )


def _named(ratio: float, known: Mapping[str, tuple[Value, bool]]) -> Factor | None:
    """A factor as one of the numbers that the function was given, or a plain one."""
    single = {
        name: (float(np.asarray(value).reshape(-1)[0]), here)
        for name, (value, here) in known.items()
        if np.size(value) == 1
    }
    for divides in (False, True):
        for name, (value, here) in single.items():
            if value not in (0.0, 1.0) and np.isclose(1 / value if divides else value, ratio, 1e-4):
                return Factor(name, divides, here)
    near = next((one for one in _NUMBERS if np.isclose(one, ratio, 1e-4)), None)
    if near is None:
        for name, (held, here) in known.items():
            if np.size(held) > 1 and np.isclose(1 / np.size(held), ratio, 1e-4):
                return Factor(f"{name}.numel()", True, here)
    return Factor(f"{near:.4g}", number=near) if near is not None else None


def _elementwise(own: np.ndarray, other: np.ndarray, known: Mapping[str, tuple[Value, bool]]) -> Fact | None:
    """A factor that is another one for each element, and the elements of an input."""
    if (
        own.shape[0] != own.shape[1]
        or not _alike(other, np.diag(np.diag(other)))
        or not _alike(own, np.diag(np.diag(own)))
    ):
        return None
    mine, right = np.diag(own), np.diag(other)
    for name, (value, here) in known.items():
        values = np.asarray(value).reshape(-1)
        if values.size != mine.size or values.size < 2:
            continue
        if _alike(mine * values, right):
            return Fact(
                "factor",
                f"lacks the factor `{name}` in each element",
                f"每个元素都缺少因子 `{name}`",
                Factor(name, False, here),
            )
        if values.all() and _alike(mine / values, right):
            return Fact(
                "factor",
                f"has a factor `{name}` too many in each element",
                f"每个元素都多了一个因子 `{name}`",
                Factor(name, True, here),
            )
    return None


def _by_example(own: np.ndarray, other: np.ndarray) -> Fact:
    """The element that differs most, and by what kind of ratio."""
    row, column = (int(one) for one in np.unravel_index(int(np.abs(own - other).argmax()), own.shape))
    mine, right = f"{own[row, column]:.4g}", f"{other[row, column]:.4g}"
    exact = own.dtype.itemsize >= 8  # the steps of fewer digits are rough
    alone, alone_zh = (", and no one factor makes up for it", "，也不是只差一个因子") if exact else ("", "")
    return Fact(
        "other",
        f"is not the derivative of `forward`: from element {row} of the input to element {column} of the output it gives {mine} where the steps give {right}{alone}",
        f"不是 `forward` 的导数：从输入的第 {row} 个元素到输出的第 {column} 个元素，它给出 {mine}，而差分给出 {right}{alone_zh}",
    )
