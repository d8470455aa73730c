"""Elements by their number in the flattened tensor, and elements that a mask marks."""

from __future__ import annotations

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch.operands import broadcast_error
from gradflow.engine.numerics.checked_cast import checked_cast
from gradflow.engine.ops.formula_helpers import composed
from gradflow.engine.out_rules import SELF, exactly
from gradflow.engine.registry import Array, op
from gradflow.engine.tensor import dtypes

V = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
W = [[1.5, 2.5, -0.5], [0.25, -2.0, 3.0]]
MASK = [[True, False, True], [False, True, False]]
OUT = "out of range: tried to access index {} on a tensor of {} elements."


def _flat(name: str, input: np.ndarray, index: np.ndarray) -> np.ndarray:
    """The index. Raises as PyTorch where it is no index of the flattened tensor."""
    if index.dtype != np.int64:
        legacy = dtypes.of(index).legacy
        raise errors.INDEX_KIND(message=f"{name}: Expected a long tensor for index, but got {legacy}")
    wrong = np.atleast_1d((index < -input.size) | (index >= input.size))
    if wrong.any():
        raise errors.SLICE_RANGE(message=OUT.format(int(np.atleast_1d(index)[wrong][0]), input.size))
    return index


@op(
    gradients={"input": "put(zeros_like_array(input), index, g, True)"},
    inplace=False,
    latex=r"⟨0⟩_{⟨1⟩}",
    symbol="take",
    samples=((V, [0, 5, 0]), (V, [[-1], [2]]), (V, 3)),
    edges=(([1, 2], [1]), (V, np.zeros(0, "int64"))),
    errors=(
        (V, [6], OUT.format(6, 6)),
        (V, [-7], OUT.format(-7, 6)),
        (V, [0.5], "take(): Expected a long tensor for index, but got Float"),
    ),
    out=exactly(
        "{name}(): self and out expected to have the same dtype, but got self.dtype = {R} and out.dtype = {O}", apart=0
    ),
)
def take(input: Array, index: Array):
    """The elements with the given numbers in the flattened tensor, in the shape of the index."""
    return input.reshape(-1)[_flat("take()", input, index)]


@composed(r"\operatorname{keep}_{⟨1⟩}\left(⟨0⟩\right)")
def kept_by_put(run, g, index, source, accumulate):
    """The gradient without the places that were overwritten."""
    return g if accumulate else run("put")(g, index, run("zeros_like_array")(source), False)


@composed(r"⟨0⟩_{⟨1⟩}")
def taken_by_put(run, g, index, source):
    """The gradient at the places that were written, in the shape of what was written."""
    return run("take")(g, index).reshape(source.shape)


@op(
    gradients={"input": "kept_by_put(g, index, source, accumulate)", "source": "taken_by_put(g, index, source)"},
    functions=("put",),
    methods=("put",),
    inplace=True,
    latex=r"⟨0⟩_{⟨1⟩} \leftarrow ⟨2⟩",
    symbol="put",
    samples=((V, [0, 5], [1.0, 2.0]), (V, [[-1], [2]], [[3.0], [4.0]]), (V, [0, 0, 3], [1.0, 2.0, 3.0], True)),
    edges=(([1, 2], [1], [7]),),
    errors=(
        (V, [6], [1.0], OUT.format(6, 6)),
        (
            V,
            [0],
            [1.0, 2.0],
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = 2, index.numel() = 1",
        ),
        (
            V,
            [0],
            [1],
            "put_(): self and source expected to have the same dtype, but got self.dtype = Float and source.dtype = Long",
        ),
        (V, [0.5], [1.0], "put_(): Expected a long tensor for index, but got Float"),
    ),
    overlap="none",
)
def put(input: Array, index: Array, source: Array, accumulate=False):
    """The input with ``source`` written (or added) at the given numbers in the flattened tensor."""
    if index.dtype == np.int64 and input.dtype != source.dtype:
        raise errors.SAME_DTYPE(
            message=f"put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{dtypes.of(input).legacy} and source.dtype = {dtypes.of(source).legacy}"
        )
    if index.dtype == np.int64 and source.size != index.size:
        raise errors.SLICE_RANGE(
            message="put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.size}, index.numel() = {index.size}"
        )
    result, spots = input.flatten(), _flat("put_()", input, index).reshape(-1)
    if accumulate:
        np.add.at(result, spots, source.reshape(-1))
    else:
        result[spots] = source.reshape(-1)
    return result.reshape(input.shape)


# -- masks -------------------------------------------------------------------------------------------------------------


@op(
    gradients={"input": "masked_scatter(zeros_of_both(input, mask), mask, g)"},
    elementwise=True,
    inplace=False,
    latex=r"⟨0⟩_{⟨1⟩}",
    symbol="[mask]",
    samples=((V, MASK), (V, [True, False, True]), ([1.0, 2.0, 3.0], MASK), (V, [[True], [False]])),
    edges=(([1, 2], [True, False]), (V, [False, False, False]), (2.5, True)),
    errors=(
        (V, V, "masked_select: expected BoolTensor for mask"),
        (V, [True, False], "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1"),
    ),
    out=exactly(SELF, apart=0),
)
def masked_select(input: Array, mask: Array):
    """The elements that the mask marks, in one dimension; both broadcast."""
    if mask.dtype != np.bool_:
        raise errors.MASK_REFUSED(message="masked_select: expected BoolTensor for mask")
    try:
        whole, where = np.broadcast_arrays(input, mask.astype(np.bool_))
    except ValueError:
        raise broadcast_error(ValueError(), (mask, input)) from None
    return whole[where]


@op(functions=(), methods=(), latex="0", torch=None)
def zeros_of_both(input: Array, mask: Array):
    """Zeros of the dtype of the input, and of the shape to which input and mask broadcast."""
    return np.zeros(np.broadcast_shapes(input.shape, mask.shape), input.dtype)


@op(
    gradients={"input": "masked_fill(g, mask, 0.0)", "source": "masked_scatter_backward(g, mask, source.shape)"},
    functions=(),
    methods=(),
    torch="masked_scatter",
    inplace=True,
    latex=r"⟨0⟩_{⟨1⟩} \leftarrow ⟨2⟩",
    symbol="[mask]=",
    samples=((V, MASK, [1.0, 2.0, 3.0]), (V, MASK, W), (V, [True, False, True], W)),
    edges=(([1, 2], [True, False], [7]),),
    errors=(
        (V, MASK, [1.0], "Number of elements of source < number of ones in mask"),
        (V, V, W, "masked_scatter_ only supports boolean masks, but got mask with dtype Float"),
        (V, MASK, [1, 2, 3], "masked_scatter: expected self and source to have same dtypes but gotFloat and Long"),
    ),
)
def masked_scatter(input: Array, mask: Array, source: Array):
    """The input with the elements that the mask marks replaced, in order, by those of ``source``."""
    if input.dtype != source.dtype:
        raise errors.SAME_DTYPE(
            message="masked_scatter: expected self and source to have same dtypes but got"
            f"{dtypes.of(input).legacy} and {dtypes.of(source).legacy}"
        )
    if mask.dtype != np.bool_:
        raise errors.MASK_REFUSED(
            message=f"masked_scatter_ only supports boolean masks, but got mask with dtype {dtypes.of(mask).legacy}"
        )
    shape = np.broadcast_shapes(input.shape, mask.shape)
    result = np.array(np.broadcast_to(input, shape))
    where = np.broadcast_to(mask, shape)
    count = int(where.sum())
    if count > source.size:
        raise errors.MASK_REFUSED(message="Number of elements of source < number of ones in mask")
    result[where] = source.reshape(-1)[:count]
    return result


@op(
    gradients={"input": "masked_scatter(zeros_of(g, input.shape), mask, g)"},
    functions=(),
    methods=(),
    symbol="[mask]",
    latex=r"⟨0⟩_{⟨1⟩}",
    grad_fn="MaskedScatterBackwardBackward0",
    samples=((V, MASK, (2, 2)),),
    torch=None,
)
def masked_scatter_backward(input: Array, mask: Array, shape):
    """The elements that the mask marks, in order, and zeros after them up to the given shape."""
    picked = input[np.broadcast_to(mask, input.shape)]
    result = np.zeros(int(np.prod(shape, dtype=np.int64)), input.dtype)
    result[: picked.size] = picked
    return result.reshape(shape)


@op(
    gradients={
        "input": "masked_fill(g, mask, 0.0)",
        "value": ("sum_all(where(mask, g, 0.0))", "sum_all(masked_select(g, mask))"),
    },
    elementwise=True,
    functions=(),
    methods=(),
    inplace=True,
    grad_fn="MaskedFillBackward1",
    torch="masked_fill",
    symbol="fill",
    latex=r"\operatorname{fill}\left(⟨0⟩, ⟨1⟩\right)",
    samples=((V, MASK, 2.5), (V, [True, False, True], 1.5)),
    edges=(([1, 2], [True, False], 7),),
    errors=(
        (
            V,
            MASK,
            [1.0, 2.0],
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s).",
        ),
    ),
    overlap="any",
)
def masked_fill_tensor(input: Array, mask: Array, value: Array):
    """The input with the number that a tensor holds where the mask is true; the mask broadcasts."""
    if value.ndim:
        raise errors.MASK_REFUSED(
            message="masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value.ndim} dimension(s)."
        )
    return np.where(mask, checked_cast(value.item(), input.dtype), input)
