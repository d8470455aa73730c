"""Views: other shapes, orders and lengths of dimensions of the same elements. Nothing is computed."""

from __future__ import annotations

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.bounded_counts import check_view
from gradflow.engine.numerics.strides import view_inside
from gradflow.engine.ops.reduce.axes import axes
from gradflow.engine.ops.shape import reshaping
from gradflow.engine.ops.shape.reshaping import resolve
from gradflow.engine.registry import REGISTRY, Array, Spread, helper, op
from gradflow.engine.tensor import check_dim, dtypes

V = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
CUBE = [[[0.5, -1.25], [2.0, 1.0]], [[1.5, 0.75], [-0.5, 3.0]]]


@op(
    gradients={"input": "reshape(g, input.shape)"},
    latex=r"\operatorname{view}\left(⟨0⟩\right)",
    symbol="view",
    view=True,
    functions=(),
    samples=((V, 3, 2), (V, -1), (V, (6,))),
)
def view(input: Array, size: Spread):
    """The same elements in another shape, in the same memory."""
    target = resolve(size, input.size)
    try:
        return input.reshape(target, copy=False)
    except ValueError:
        raise errors.VIEW_SIZE() from None


@helper(latex=r"\operatorname{view}\left(⟨0⟩\right)", tensors=reshaping.reshape)
def reshape(input, shape):
    """The same elements in another shape."""
    return input.reshape(shape)


@op(
    gradients={"input": "reshape(g, input.shape)"},
    latex=r"\operatorname{view}\left(⟨0⟩\right)",
    symbol="view",
    grad_fn="UnsafeViewBackward0",
    functions=(),
    methods=(),
    inplace=False,
    samples=((V, (3, 2)),),
    torch="ops.aten._unsafe_view",
)
def unsafe_view(input: Array, shape):
    """A fresh tensor in another shape: what `reshape` runs after it had to copy."""
    return input.reshape(shape)


@op(
    gradients={"input": "reshape(g, input.shape)"},
    latex=r"\operatorname{view}\left(⟨0⟩\right)",
    symbol="view",
    grad_fn="ReshapeAliasBackward0",
    view=True,
    functions=(),
    methods=(),
    inplace=False,
    samples=((V, (3, 2)),),
    torch=None,
)
def reshape_alias(input: Array, shape):
    """A view in another shape: what `reshape` runs on memory that is not in row-major order."""
    return input.reshape(shape, copy=False)


@op(
    gradients={"input": "transpose(g, dim0, dim1)"},
    latex=r"⟨0⟩^{\top}",
    symbol="⊤",
    view=True,
    samples=((V, 0, 1), (CUBE, -1, 0)),
    inplace=False,
)
def transpose(input: Array, dim0, dim1):
    """Two dimensions swapped."""
    first, second = check_dim(dim0, input.ndim), check_dim(dim1, input.ndim)
    return input.swapaxes(first, second) if input.ndim else input.view()


@op(gradients={"input": "t(g)"}, latex=r"⟨0⟩^{\top}", symbol="⊤", view=True, samples=((V,), ([1.0, 2.0],)))
def t(input: Array):
    """The transpose of a matrix; a vector as it is."""
    if input.ndim > 2:
        raise errors.T_DIMENSIONS(name="t", dimensions=input.ndim)
    return input.T


@op(
    gradients={"input": "permute(g, inverse(dims))"},
    latex=r"\operatorname{permute}\left(⟨0⟩\right)",
    symbol="permute",
    view=True,
    samples=((CUBE, 2, 0, 1), (V, (1, 0))),
)
def permute(input: Array, dims: Spread):
    """The dimensions in another order."""
    if len(dims) != input.ndim:
        raise errors.PERMUTE_COUNT(dimensions=input.ndim, given=len(dims))
    order = [check_dim(d, input.ndim) for d in dims]
    if len(set(order)) != len(order):
        raise errors.PERMUTE_REPEATED()
    return input.transpose(order)


@helper()
def inverse(dims):
    """The order that undoes ``permute(dims)``."""
    return tuple(int(i) for i in np.argsort([d % len(dims) for d in dims])) if dims else ()


@op(
    gradients={"input": ("squeeze_as(g, input.shape)", "unsqueezed(g, input.shape, None)")},
    grad_fn="SqueezeBackward0",
    symbol="squeeze",
    latex="⟨0⟩",
    view=True,
    functions=(),
    methods=(),
    samples=(([[1.0, 2.0]],),),
    torch="squeeze",
)
def squeeze_all(input: Array):
    """Without the dimensions of length 1."""
    return input.reshape(tuple(n for n in input.shape if n != 1))


@helper()
def unsqueezed(input, shape, dim):
    """Each dimension of length 1 back, by an operation of its own."""
    for each in sorted(range(len(shape)) if dim is None else axes(dim, len(shape)) or ()):
        if shape[each] == 1:
            input = REGISTRY["unsqueeze"].call(input, each)
    return input


@helper(latex="⟨0⟩", tensors=reshaping.reshape)
def squeeze_as(input, shape):
    """The dimensions of length 1 back."""
    return input.reshape(shape)


@op(
    gradients={"input": ("squeeze_as(g, input.shape)", "unsqueezed(g, input.shape, dim)")},
    grad_fn="SqueezeBackward1",
    symbol="squeeze",
    latex="⟨0⟩",
    view=True,
    functions=(),
    methods=(),
    samples=(([[1.0, 2.0]], 0), (V, 0)),
    torch="squeeze",
)
def squeeze_dim(input: Array, dim):
    """Without the given dimensions where they have length 1."""
    picked = axes(dim, input.ndim) or ()
    return input.reshape(tuple(n for i, n in enumerate(input.shape) if i not in picked or n != 1))


@op(
    gradients={"input": ("squeeze_as(g, input.shape)", "unsqueezed(g, input.shape, 0)")},
    grad_fn="SqueezeBackward4",
    symbol="squeeze",
    latex="⟨0⟩",
    functions=(),
    methods=(),
    samples=(([[1.0, 2.0]],),),
    torch=None,
)
def squeeze_row(input: Array):
    """A matrix of one row as a vector: the end of vector times matrix."""
    return input.reshape(input.shape[1:])


@op(
    gradients={"input": "squeeze_dim(g, dim)"},
    latex="⟨0⟩",
    symbol="unsqueeze",
    view=True,
    samples=((V, 0), (V, -1)),
)
def unsqueeze(input: Array, dim):
    """With a new dimension of length 1 at ``dim``."""
    return np.expand_dims(input, check_dim(dim, input.ndim + 1))


@op(
    gradients={"input": "unexpand(g, input.shape)"},
    latex=r"\operatorname{expand}\left(⟨0⟩\right)",
    symbol="expand",
    view=True,
    functions=(),
    samples=(([[1.0], [2.0]], 2, 3), ([1.0, 2.0], (3, -1))),
)
def expand(input: Array, size: Spread):
    """Dimensions of length 1 repeated without copying; -1 keeps a length."""
    missing = len(size) - input.ndim
    if missing < 0:
        raise errors.EXPAND_DIMENSIONS(
            dtype_type=_type_name(input),
            shape=list(input.shape),
            targets=list(size),
            given=len(size),
            dimensions=input.ndim,
        )
    target = []
    for i, n in reversed(list(enumerate(size))):  # the last dimension is looked at first
        own = input.shape[i - missing] if i >= missing else None
        if n == -1 and own is None:
            raise errors.EXPAND_LEADING(target=n, dim=i)
        if own is not None and n not in (-1, own) and own != 1:
            raise errors.EXPAND_SIZE(target=n, size=own, dim=i, targets=list(size), shape=list(input.shape))
        target.append(own if n == -1 and own is not None else n)
    shape = tuple(target[::-1])
    check_view(shape, input.itemsize)
    writeable = shape == (1,) * missing + input.shape  # unlike what is repeated
    result = input.reshape(shape, copy=False) if writeable else np.broadcast_to(input, shape)
    strides = _expanded_strides(input, shape)
    return result if result.strides == strides else view_inside(input, shape, strides, writeable)


def _expanded_strides(input: np.ndarray, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides in bytes: 0 where a dimension is repeated, and those of contiguous memory where one is added."""
    strides: list[int] = []
    own = list(zip(input.shape, input.strides, strict=True))
    for i, n in reversed(list(enumerate(shape))):
        following = shape[i + 1] * strides[-1] if strides else 0
        length, stride = own.pop() if own else (1, following)
        strides.append(stride if n == length else 0)
    return tuple(reversed(strides))


def _type_name(input: np.ndarray) -> str:
    return f"torch.{dtypes.of(input).legacy}Tensor"


@op(
    gradients={"input": "g"},
    latex="⟨0⟩",
    symbol="alias",
    view=True,
    functions=(),
    methods=(),
    samples=((V,),),
    torch="ops.aten.alias",
)
def alias(input: Array):
    """A view of the whole tensor."""
    return input.view()
