"""Errors of einops: patterns that are wrong, or that do not fit the tensor."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind


class EinopsError(RuntimeError):
    """What einops raises for a pattern that is wrong or that does not fit."""


EinopsError.__module__ = "einops"

EINOPS = ErrorKind(
    "einops-pattern",
    EinopsError,
    "{message}",
    """The pattern does not fit the tensor.
    Its left side names the axes of the input in their order, `(h w)` an axis that is split, and its right side the axes of
    the result.""",
    """模式与张量不匹配。
    左边按顺序写出输入的各个轴，`(h w)` 表示要拆开的轴，右边写出结果的各个轴。""",
)
