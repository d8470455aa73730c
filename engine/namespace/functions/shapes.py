"""Functions of shapes that PyTorch composes of others: repeating, turning, naming dimensions anew, diagonals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functions import splitting
from gradflow.engine.namespace.functions.composite import broadcast_to, contiguous, flatten, reshape
from gradflow.engine.namespace.functions.elementwise import conj
from gradflow.engine.numerics.bounded_counts import repeat as repeat_array
from gradflow.engine.out_rules import OutRule, has_out
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor, check_dim, dtypes


def _call(name: str, *args: Any, **kwargs: Any) -> Any:
    return REGISTRY[name].call(*args, **kwargs)


# -- repeating ---------------------------------------------------------------------------------------------------------


def tile(input: Tensor, dims: Any) -> Tensor:
    """The whole tensor repeated along its last dimensions, copied."""
    return _call("repeat", input, (1,) * (input._a.ndim - len(dims)) + tuple(dims))


def repeat_interleave(input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: Any = None) -> Tensor:
    """Each element (or slice) repeated in place, ``repeats`` times or by a count of its own."""
    if repeats is None:
        return _copies(input)
    if dim is None:
        input, dim = flatten(input), 0
    if isinstance(repeats, int):
        return _each_repeated(input, repeats, dim)
    axis = check_dim(dim, input._a.ndim)
    length = input._a.shape[axis] if input._a.ndim else 1
    if repeats._a.ndim > 1:
        raise errors.REPEAT_REFUSED(message="repeats must be 0-dim or 1-dim tensor")
    if repeats._a.size == 1:
        repeats = broadcast_to(reshape(repeats, (1,)), (length,))
    if repeats._a.size != length:
        raise errors.REPEAT_REFUSED(
            message="repeats must have the same size as input along dim, but got "
            f"repeats.size(0) = {repeats._a.size} and input.size({axis}) = {length}"
        )
    index = _copies(repeats)
    if output_size is not None and output_size != index._a.size:
        raise errors.REPEAT_REFUSED(message="allocated size does not match required size")
    return _call("index_select", input, axis, index)


def _copies(repeats: Tensor) -> Tensor:
    """The number of each element as often as it is to be repeated."""
    counts = repeats._a
    if counts.dtype not in (np.int64, np.int32):
        raise errors.REPEAT_DTYPE(dtype=repeats.dtype.legacy)
    if (counts < 0).any():
        raise errors.REPEAT_REFUSED(message="repeats can not be negative")
    return Tensor(repeat_array(np.arange(counts.size, dtype=counts.dtype), counts))


def _each_repeated(input: Tensor, repeats: int, dim: int) -> Tensor:
    if repeats < 0:
        raise errors.REPEAT_REFUSED(message="Repeats must be non-negative")
    if not input._a.ndim:
        input = reshape(input, (1,))
    axis = check_dim(dim, input._a.ndim)
    shape = list(input._a.shape)
    shape.insert(axis + 1, repeats)
    copied = _call("contiguous_copy", _call("expand", _call("unsqueeze", input, axis + 1), *shape))
    return flatten(copied, axis, axis + 1)


# -- turning -----------------------------------------------------------------------------------------------------------


def fliplr(input: Tensor) -> Tensor:
    """Columns in reverse order, copied."""
    if input._a.ndim < 2:
        raise errors.ARRANGEMENT_REFUSED(message="Input must be >= 2-d.")
    return _call("flip", input, (1,))


def flipud(input: Tensor) -> Tensor:
    """Rows in reverse order, copied."""
    if not input._a.ndim:
        raise errors.ARRANGEMENT_REFUSED(message="Input must be >= 1-d.")
    return _call("flip", input, (0,))


def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Dimensions moved to other places, the others in their order."""
    ndim = input._a.ndim
    given = [list(d) if isinstance(d, tuple | list) else [d] for d in (source, destination)]
    if len(given[0]) != len(given[1]):
        raise errors.ARRANGEMENT_REFUSED(
            message=f"movedim: Invalid source or destination dims: source ({given[0]} dims) should contain the same "
            f"number of dims as destination ({given[1]} dims)"
        )
    sources, targets = ([check_dim(d, ndim) for d in dims] for dims in given)
    for name, dims, found in (("source", given[0], sources), ("destination", given[1], targets)):
        if len(set(found)) != len(found):
            raise errors.ARRANGEMENT_REFUSED(message=f"movedim: repeated dim in `{name}` ({dims})")
    if not ndim:
        return _call("alias", input)
    order = [d for d in range(ndim) if d not in sources]
    for target, own in sorted(zip(targets, sources, strict=True)):
        order.insert(target, own)
    return _call("permute", input, *order)


def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Without dimensions of length 1."""
    if dim is None:
        return _call("squeeze_all", input)
    return _call("squeeze_dims" if isinstance(dim, (tuple, list)) else "squeeze_dim", input, dim)


def _conjugated(input: Tensor, title: str) -> Tensor:
    if input._a.ndim < 2:
        raise errors.H_DIMENSIONS(
            message=f"{title} is only supported on matrices or batches of matrices. Got {input._a.ndim}-D tensor."
        )
    swapped: Tensor = _call("transpose", input, -2, -1)
    return conj(swapped) if swapped.is_complex() else swapped


def adjoint(input: Tensor) -> Tensor:
    """The last two dimensions swapped, complex numbers conjugated."""
    return _conjugated(input, "tensor.adjoint()")


def batch_adjoint(input: Tensor) -> Tensor:
    """``x.mH``: the last two dimensions swapped, complex numbers conjugated."""
    return _conjugated(input, "tensor.mH")


def matrix_adjoint(input: Tensor) -> Tensor:
    """``x.H``: a matrix transposed, complex numbers conjugated."""
    if input._a.ndim != 2:
        more = " For batches of matrices, consider using tensor.mH" if input._a.ndim > 2 else ""
        raise errors.H_DIMENSIONS(
            message=f"tensor.H is only supported on matrices (2-D tensors). Got {input._a.ndim}-D tensor.{more}"
        )
    return _conjugated(input, "tensor.H")


def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """One dimension as several."""
    axis, sizes = check_dim(dim, input._a.ndim), tuple(sizes)
    length = input._a.shape[axis] if input._a.ndim else 1
    if not sizes:
        raise errors.CUT_REFUSED(message="unflatten: sizes must be non-empty")
    known = math.prod(n for n in sizes if n != -1)
    if sizes.count(-1) == 1 and known and length % known == 0:
        sizes = tuple(length // known if n == -1 else n for n in sizes)
    if -1 in sizes or math.prod(sizes) != length:
        raise errors.CUT_REFUSED(
            message=f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {axis} ({length}) in "
            "the input tensor"
        )
    return _call("view", input, *input._a.shape[:axis], *sizes, *input._a.shape[axis + 1 :])


def view(input: Tensor, *size: Any, dtype: Any = None, **named: Any) -> Tensor:
    """The same memory in another shape, or read as another dtype."""
    wanted = named.get("size", size)
    if dtype is None and len(size) == 1 and isinstance(size[0], dtypes.dtype):
        dtype = size[0]
    if dtype is None:
        return _call("view", input, *wanted)
    return _reinterpreted(input, dtype)


def _reinterpreted(input: Tensor, dtype: dtypes.dtype) -> Tensor:
    own, size = input._a.itemsize, dtype.itemsize
    title = f"to view {input.dtype.legacy} as {dtype.legacy} (different element sizes)"
    if own != size and not input._a.ndim:
        raise errors.VIEW_DTYPE(message=f"self.dim() cannot be 0 {title}")
    if size > own and input._a.shape[-1] % (size // own):
        raise errors.VIEW_DTYPE(
            message=f"self.size(-1) must be divisible by {size // own} {title}, but got {input._a.shape[-1]}"
        )
    if own != size and input._a.strides[-1] != own:
        raise errors.VIEW_DTYPE(message=f"self.stride(-1) must be 1 {title}, but got {input._a.strides[-1] // own}")
    result = Tensor(input._a.view(dtype.numpy), input._st)
    if STATE.recorder is not None:
        STATE.recorder.alias(input, result, "view_dtype")
    return result


# -- diagonals and triangles -------------------------------------------------------------------------------------------


@has_out(OutRule("{name}: result type {R} can't be cast to the desired out= type {O}", gradient=None))
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """A vector as the diagonal of a matrix, or the diagonal of a matrix as a vector, copied."""
    if input._a.ndim not in (1, 2):
        raise errors.ARRANGEMENT_REFUSED(message=f"diag(): Supports 1D or 2D tensors. Got {input._a.ndim}D")
    return _call("diag_embed" if input._a.ndim == 1 else "diagonal_copy", input, diagonal)


def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """All elements as the diagonal of a matrix."""
    return diag(_call("view", contiguous(input), -1), offset)


def _triangle(name: str, upper: bool) -> Callable[..., Tensor]:
    def indices(row: int, col: int, offset: int = 0, *, dtype: Any = dtypes.int64) -> Tensor:
        for title, n in (("row", row), ("col", col)):
            if n < 0:
                raise errors.ARRANGEMENT_REFUSED(message=f"{title} must be non-negative, got{n}")
        if dtype is dtypes.bool_:
            raise errors.NOT_IMPLEMENTED_DTYPE(name=f"{name}_indices", dtype="Bool")
        found = (np.triu_indices if upper else np.tril_indices)(row, offset, col)
        return Tensor(np.stack(found).astype(dtype.numpy))

    indices.__doc__ = f"The rows and columns of the {'upper' if upper else 'lower'} triangle of a matrix."
    return indices


tril_indices, triu_indices = _triangle("tril", upper=False), _triangle("triu", upper=True)


# -- names -------------------------------------------------------------------------------------------------------------

_SHARED = (
    "tile", "repeat_interleave", "fliplr", "flipud", "movedim", "squeeze", "unflatten", "adjoint", "diag", "diagflat",
)  # fmt: skip
_TABLE = globals()

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _TABLE[name] for name in (*_SHARED, "tril_indices", "triu_indices")},
    "moveaxis": movedim,
    **splitting.FUNCTIONS,
}
"""Under ``torch``."""

METHODS: dict[str, Callable[..., Any]] = {
    **{name: _TABLE[name] for name in _SHARED},
    "moveaxis": movedim,
    "view": view,
    **splitting.FUNCTIONS,
    "split": splitting.method_split,
}
"""On Tensor."""
