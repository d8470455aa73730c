"""Results written into tensors that are given: `out=`, and tensors that get another shape in place."""

from __future__ import annotations

from typing import Final

from gradflow.engine.errors.error_kind import ErrorKind

OUT_GRADIENT: Final = ErrorKind(
    "out-gradient",
    RuntimeError,
    "{function}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments"
    " requires grad.",
    """What is written with `out=` is not recorded, and one of the tensors requires grad.
    Use the returned value instead of `out=`, or write inside `with torch.no_grad():`.""",
    """用 `out=` 写入的结果不会被记录，而其中一个张量需要梯度。
    请改用返回值，或在 `with torch.no_grad():` 中写入。""",
)
OUT_DTYPE: Final = ErrorKind(
    "out-dtype",
    RuntimeError,
    "{message}",
    """The tensor given as `out` has a dtype that cannot take the result.
    Make it with the dtype of the result, or leave `out=` away.""",
    """作为 `out` 给出的张量的 dtype 装不下结果。
    请用结果的 dtype 创建它，或去掉 `out=`。""",
)
OUT_COUNT: Final = ErrorKind(
    "out-count",
    TypeError,
    "expected tuple of {expected} elements but got {actual}",
    """The function has {expected} results, and `out` has {actual} tensors.
    Give a tuple of as many tensors as there are results.""",
    """函数有 {expected} 个结果，而 `out` 给了 {actual} 个张量。
    请给出同样多张量的元组。""",
)
RESIZE_GRADIENT: Final = ErrorKind(
    "resize-gradient",
    RuntimeError,
    "cannot resize variables that require grad",
    """A tensor that requires grad cannot change its shape in place.
    See it in another shape, `x.view(...)`, or resize a copy: `x.detach().clone()`.""",
    """需要梯度的张量不能原地改变形状。
    请用 `x.view(...)` 换一种形状来看，或者改变副本 `x.detach().clone()` 的形状。""",
)
MEMORY_REFUSED: Final = ErrorKind(
    "memory-refused",
    RuntimeError,
    "{message}",
    """The memory of one tensor cannot become that of the other.
    Compare dtypes, shapes and strides.""",
    """一个张量的内存不能变成另一个张量的内存。
    请对照 dtype、形状和步幅。""",
)
