"""What ``import numpy`` means to a program: the part of NumPy that computes, without files, buffers and pointers.

The functions are NumPy's own, and arrays are NumPy's own arrays, so they print as NumPy prints them. Left out is what
reads or writes memory or files by other ways than indexing (``tofile``, ``frombuffer``, ``ctypes``, ``as_strided``),
and what sets the state of the whole process. ``empty`` gives zeros, for what it gives in NumPy is old memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from gradflow.engine.numerics import bounded_counts
from gradflow.engine.sandbox.gate import NOT_SPECIAL, Module, OpaqueType, allow, read_special_by

_FUNCTIONS: Final = (
    "abs absolute add all allclose amax amin any append apply_along_axis arange arccos arcsin arctan arctan2 argmax"
    " argmin argsort argwhere around array array_equal array_repr array_str asarray atleast_1d atleast_2d average"
    " bincount broadcast_to ceil clip column_stack concatenate conj copy corrcoef cos cosh cov cross cumprod cumsum"
    " deg2rad diag diagonal diff divide dot dstack einsum equal exp exp2 expand_dims expm1 eye flip"
    " fliplr flipud floor floor_divide fmax fmin full full_like greater greater_equal histogram hstack hypot identity"
    " imag indices inner interp isclose isfinite isinf isnan kron less less_equal linspace log log10 log1p log2"
    " logical_and logical_not logical_or logical_xor logspace matmul max maximum mean median meshgrid min minimum mod"
    " moveaxis multiply nan_to_num nanmax nanmean nanmin nansum ndim negative nonzero not_equal ones outer pad"
    " percentile power prod ptp quantile rad2deg ravel real reciprocal remainder repeat reshape resize rint roll round"
    " shape sign sin sinh size sort split sqrt square squeeze stack std subtract sum swapaxes take tan tanh tensordot"
    " tile trace transpose tril triu trunc unique var vdot vstack where zeros zeros_like isreal iscomplex isscalar"
    " ones_like promote_types result_type"
    " array_equiv array_split asanyarray ascontiguousarray argpartition bitwise_and bitwise_or bitwise_xor"
    " cbrt compress count_nonzero degrees diag_indices digitize divmod dsplit ediff1d extract fix float_power"
    " flatnonzero fmod gcd geomspace gradient heaviside hsplit intersect1d invert isin lcm lexsort logaddexp"
    " nanargmax nanargmin nancumsum nanmedian nanprod nanstd nanvar partition polyfit polyval positive"
    " put_along_axis radians ravel_multi_index rot90 searchsorted select setdiff1d signbit sinc"
    " take_along_axis trapezoid tri tril_indices triu_indices union1d unravel_index vander vsplit"
)
_CONSTANTS: Final = "pi e inf nan newaxis"
_DTYPES: Final = (
    "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 intp float16 float32 float64 complex64 complex128 double"
    " single half longlong"
)
_LINALG: Final = "cholesky cond det eig eigh eigvals inv lstsq matrix_power matrix_rank norm pinv qr slogdet solve svd"
_RANDOM: Final = (
    "beta binomial choice exponential gamma laplace logistic lognormal multinomial multivariate_normal normal"
    " permutation poisson rand randint randn random random_sample seed shuffle standard_normal uniform"
)
_GENERATOR: Final = (
    "beta binomial choice exponential gamma integers laplace lognormal multinomial multivariate_normal normal"
    " permutation permuted poisson random shuffle standard_normal uniform"
)
_VALUE: Final = (
    "T all any argmax argmin argsort astype clip conj conjugate copy cumprod cumsum diagonal dtype flatten imag item"
    " itemsize max mean min nbytes ndim nonzero prod ravel real reshape round shape size squeeze std strides sum"
    " swapaxes take tolist transpose var"
)
_ARRAY: Final = _VALUE + " dot fill flat put searchsorted sort trace"
_FINFO: Final = "bits dtype eps max min resolution smallest_normal tiny"

_NDARRAY: Final = OpaqueType(np.ndarray)


def _members(owner: Any, names: str) -> dict[str, object]:
    return {name: getattr(owner, name) for name in names.split()}


def _scalar_types() -> Iterable[type]:
    return {getattr(np, name) for name in _DTYPES.split()}


def _register() -> None:
    allow(np.ndarray, _ARRAY.split(), writable=("shape",), shown_as=_NDARRAY)
    allow(np.generic, _VALUE.split())
    for cls in _scalar_types():
        allow(cls, _VALUE.split(), shown_as=cls)
    allow(np.dtype, ("char", "itemsize", "kind", "name"), shown_as=np.dtype)
    allow(np.ufunc, ("accumulate", "at", "identity", "nin", "nout", "outer", "reduce"))
    allow(np.random.RandomState, _RANDOM.split())
    allow(np.random.Generator, _GENERATOR.split())
    allow(np.finfo, _FINFO.split(), shown_as=np.finfo)
    allow(np.iinfo, ("bits", "dtype", "max", "min"), shown_as=np.iinfo)
    allow(np.flatiter, ("copy",))
    read_special_by(("repeat",), _repeat_method)


def _repeat_method(value: Any, name: str) -> Any:
    """The method ``repeat`` of arrays, which refuses what it would make too many of."""
    if isinstance(value, np.ndarray | np.generic):
        return lambda repeats, axis=None: bounded_counts.repeat(value, repeats, axis)
    return NOT_SPECIAL


def numpy_modules() -> dict[str, Module]:
    """``numpy`` and its modules, by full name, with a random generator of their own."""
    generator = np.random.RandomState()
    random = Module(
        "numpy.random",
        {
            **_members(generator, _RANDOM),
            "RandomState": np.random.RandomState,
            "default_rng": np.random.default_rng,
        },
    )
    linalg = Module("numpy.linalg", {**_members(np.linalg, _LINALG), "LinAlgError": np.linalg.LinAlgError})
    members = {
        **_members(np, _FUNCTIONS),
        "bincount": bounded_counts.bincount,
        "repeat": bounded_counts.repeat,
        **_members(np, _CONSTANTS),
        **_members(np, _DTYPES),
        **_members(np, "dtype finfo iinfo"),
        "bool": np.bool_,
        "empty": np.zeros,
        "empty_like": np.zeros_like,
        "ndarray": _NDARRAY,
        "random": random,
        "linalg": linalg,
        "__version__": np.__version__,
    }
    return {"numpy": Module("numpy", members), "numpy.random": random, "numpy.linalg": linalg}


_register()
