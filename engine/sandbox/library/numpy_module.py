"""What ``import numpy`` means to a program: the part of NumPy that computes, without buffers and pointers.

The functions are NumPy's own, and arrays are NumPy's own arrays, so they print as NumPy prints them. Left out is what
reads or writes memory or files by other ways than indexing (``tofile``, ``as_strided``),
and what sets the state of the whole process. ``empty`` gives zeros, for what it gives in NumPy is old memory.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from types import FrameType
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics import bounded_counts
from gradflow.engine.sandbox.array_elements import (
    Called,
    Checked,
    Texts,
    checked_array,
    checked_members,
    refusal,
    short,
)
from gradflow.engine.sandbox.builtin_types import TEXT as _TEXT
from gradflow.engine.sandbox.classes.kept_whole import unshared
from gradflow.engine.sandbox.gate import NOT_SPECIAL, Module, OpaqueType, Writer, allow, read_special_by
from gradflow.engine.sandbox.library.arrays import error_modes, random_numbers, windows
from gradflow.engine.sandbox.library.files import arrays as array_files
from gradflow.engine.sandbox.library.files.number_tables import loadtxt
from gradflow.engine.sandbox.library.numpy_iterator import nditer
from gradflow.engine.sandbox.library.numpy_memory import frombuffer
from gradflow.engine.sandbox.library.numpy_polynomial import poly1d, polynomial_modules
from gradflow.engine.sandbox.numpy_calls import by_name
from gradflow.engine.sandbox.rules import exact_keywords, write_special_by
from gradflow.engine.sandbox.unbound_methods import PROGRAM_FILE

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
    " acos acosh angle apply_over_axes arccosh arcsinh arctanh array2string asin asinh astype atan atan2 atanh atleast_3d"
    " bartlett base_repr binary_repr bitwise_count bitwise_invert bitwise_left_shift bitwise_not bitwise_right_shift"
    " blackman block broadcast_arrays broadcast_shapes can_cast choose concat convolve copysign copyto correlate"
    " cumulative_prod cumulative_sum delete diag_indices_from diagflat extract fabs fill_diagonal format_float_positional"
    " frexp fromfunction fromiter get_printoptions hamming hanning histogram2d histogram_bin_edges i0 insert iscomplexobj"
    " isneginf isposinf isrealobj issubdtype iterable ix_ kaiser ldexp left_shift logaddexp2 matrix_transpose matvec"
    " may_share_memory modf nancumprod nanpercentile nanquantile nextafter permute_dims piecewise place poly polyadd"
    " polyder polydiv polyint polymul polysub pow put putmask real_if_close right_shift rollaxis roots setxor1d"
    " shares_memory spacing tril_indices_from trim_zeros triu_indices_from unique_counts unique_values unstack vecdot"
    " vecmat"
    " asfortranarray common_type einsum_path format_float_scientific histogramdd isdtype isfortran isnat mask_indices"
    " min_scalar_type packbits require sort_complex true_divide typename unique_all unique_inverse unpackbits unwrap"
)
_CONSTANTS: Final = "pi e inf nan newaxis euler_gamma c_ r_ s_ index_exp mgrid ogrid"
_CLASSES: Final = "ndenumerate ndindex"
_ABSTRACT: Final = (
    "generic number integer signedinteger unsignedinteger inexact floating complexfloating flexible character"
)
_DTYPES: Final = (
    "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 intp float16 float32 float64 complex64 complex128 double"
    " single half longlong int_ uint uintp intc uintc short ushort byte ubyte long ulong ulonglong csingle cdouble"
    " datetime64 timedelta64"
)
_LINALG: Final = (
    "cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul matrix_norm matrix_power matrix_rank"
    " matrix_transpose multi_dot norm outer pinv qr slogdet solve svd svdvals tensordot tensorinv tensorsolve trace"
    " vecdot vector_norm"
)
_FFT: Final = (
    "fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft rfft2 rfftfreq rfftn"
)
_TESTING: Final = (
    "assert_ assert_allclose assert_almost_equal assert_approx_equal assert_array_almost_equal assert_array_equal"
    " assert_array_less assert_equal"
)
_VALUE: Final = "T conj conjugate copy dtype flatten imag item itemsize nbytes ndim nonzero ravel real shape size strides swapaxes tolist"
_ARRAY: Final = _VALUE + " device flags mT tobytes"
_OF_ONE: Final = "all any argmax argmin argsort diagonal max min reshape round squeeze take transpose"
_OF_ARRAYS: Final = frozenset({"argpartition", "compress", "fill", "partition", "put", "searchsorted", "sort"})
_LOOKED_AT: Final = frozenset(
    {"astype", "choose", "clip", "cumprod", "cumsum", "dot", "mean", "prod", "repeat", "std", "sum", "trace", "var"}
    | set(_OF_ONE.split())
    | _OF_ARRAYS
)
"""Methods that can give elements of another kind, and those that take lists: of sizes, axes, places, elements."""
_FORMER: Final[dict[str, str]] = dict(np.__former_attrs__)  # type: ignore[arg-type]  # its texts
_EXPIRED: Final[dict[str, str]] = dict(np.__expired_attributes__)  # type: ignore[arg-type]
_FLAGS: Final = "aligned behaved c_contiguous carray contiguous f_contiguous farray fnc forc fortran owndata writeable"
_FINFO: Final = "bits dtype eps max min resolution smallest_normal tiny"

_NDARRAY: Final = OpaqueType(np.ndarray)


def _members(owner: Any, names: str) -> dict[str, object]:
    return {name: getattr(owner, name) for name in names.split()}


def _scalar_types() -> Iterable[type]:
    return {getattr(np, name) for name in _DTYPES.split()}


def _register() -> None:
    for kind, called in ((np.ndarray, None), (Texts, lambda _: "numpy.ndarray")):
        allow(
            kind,
            _ARRAY.split(),
            of_class=_is_looked_at,
            shown_as=_NDARRAY,
            called=called,
            copyable=True,
        )
    allow(np.generic, _VALUE.split(), of_class=_is_looked_at, copyable=True)
    for cls in (*_scalar_types(), *(getattr(np, name) for name in _ABSTRACT.split())):
        allow(cls, _VALUE.split(), of_class=_is_looked_at, shown_as=cls, copyable=True)
    allow(np.dtype, ("byteorder", "char", "itemsize", "kind", "name", "str"), shown_as=_Described(np.dtype))
    random_numbers.register()
    allow(np.str_, f"{_TEXT} {_VALUE}".split(), of_class=_is_looked_at, shown_as=np.str_, copyable=True)
    allow(np.finfo, _FINFO.split(), shown_as=_Described(np.finfo))
    allow(np.iinfo, ("bits", "dtype", "max", "min"), shown_as=_Described(np.iinfo))
    allow(np.flatiter, ("copy",))
    allow(type(np.zeros(1).flags), _FLAGS.split(), writable=("writeable",))
    for cls in (np.ndenumerate, np.ndindex):
        allow(cls, shown_as=cls)
    for module in ("numpy.linalg._linalg", "numpy.lib._arraysetops_impl"):  # some of their results are named tuples
        for kind in vars(sys.modules[module]).values():
            if isinstance(kind, type) and hasattr(kind, "_fields"):
                allow(kind, kind._fields)
    read_special_by(_LOOKED_AT, _looking_method)
    read_special_by(("flat",), by_name.flat)
    write_special_by(("shape",), _write_shape)


class _Described(OpaqueType):
    """A class of which objects are made of the description of a dtype. NumPy asks the program for numbers while it goes through
    the lists in one, so it gets copies of them."""

    __slots__ = ()

    def __call__(self, *given: Any, **named: Any) -> Any:
        found = self.kind(*map(unshared, given), **{name: unshared(value) for name, value in named.items()})
        short(found if isinstance(found, np.dtype) else found.dtype)
        return found


_DESCRIBED: Final = (np.dtype, np.finfo, np.iinfo)


_PRINTING: Final = "precision threshold edgeitems linewidth suppress nanstr infstr formatter sign floatmode legacy"
"""How arrays are printed; not ``override_repr``, which would be called with any array that NumPy tells of in a message."""


def _print_settings(given: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    names = _PRINTING.split()
    settings = {**dict(zip(names, given, strict=False)), **exact_keywords(named)}
    if unknown := settings.keys() - set(names):
        raise errors.CALL_REFUSED(name=f"printing arrays with {min(unknown)}")
    return {name: unshared(value) for name, value in settings.items()}


@contextlib.contextmanager
def _printing(*given: Any, **named: Any) -> Iterator[Any]:
    """``np.printoptions``."""
    with np.printoptions(**_print_settings(given, named)):
        yield np.get_printoptions()


def _set_printing(*given: Any, **named: Any) -> None:
    """``np.set_printoptions``."""
    np.set_printoptions(**_print_settings(given, named))


def _vectorize(pyfunc: Callable[..., Any], otypes: Any = None, **options: Any) -> Checked:
    """``np.vectorize``, of a function that is given: an object that can be called, and nothing else."""
    vectorized = np.vectorize(Called(pyfunc), unshared(otypes), **options)
    if options.get("signature") is None:
        return Checked(vectorized, "vectorize")

    def call(*given: Any, **named: Any) -> Any:
        return vectorized(*map(checked_array, given), **{name: checked_array(value) for name, value in named.items()})

    return Checked(call, "vectorize")


def _of_testing(name: str) -> Callable[..., Any]:
    """A function of ``numpy.testing``, which takes long to import."""

    def check(*given: Any, **named: Any) -> Any:
        from numpy import testing

        return getattr(testing, name)(*given, **named)

    check.__name__ = check.__qualname__ = name
    return check


def removed(name: str) -> Exception | None:
    """NumPy's own error for a name that it no longer has: ``np.float``, ``np.Inf``."""
    if name in _FORMER:
        return errors.REMOVED_FROM_NUMPY(message=_FORMER[name], name=name)
    if name in _EXPIRED:
        advice = _EXPIRED[name]
        return errors.REMOVED_FROM_NUMPY(
            message=f"`np.{name}` was removed in the NumPy 2.0 release. {advice}", name=name
        )
    return None


def _is_looked_at(value: object, name: str) -> bool:
    cls = value if isinstance(value, type) else type(value)
    return name in _LOOKED_AT and (name not in _OF_ARRAYS or issubclass(cls, np.ndarray))


def _write_shape(value: Any, name: str, new: Any) -> bool:
    """``array.shape = ...``, as a statement of the module itself: NumPy goes through no array then.

    In a function that NumPy calls meanwhile, an array would change under its hands, and it would write beyond the memory.
    """
    if not isinstance(value, np.ndarray):
        return False
    asked, statement = sys._getframe(2), sys._getframe(3)
    if asked.f_code is not Writer.__setattr__.__code__ or not _is_by_itself(statement):
        raise errors.READ_ONLY(type="numpy.ndarray", name=name)
    value.shape = unshared(new)
    return True


def _is_by_itself(statement: FrameType) -> bool:
    """Whether a statement is one of the module that no function of the program runs, as an evaluated text within one would."""
    if statement.f_code.co_name != "<module>":
        return False
    frame = statement.f_back
    while frame is not None:
        if frame.f_code.co_filename == PROGRAM_FILE:
            return False
        frame = frame.f_back
    return True


def _looking_method(value: Any, name: str) -> Any:
    """A method whose results are looked at, and of some the arguments."""
    if not (issubclass(value, _ARRAYS) if isinstance(value, type) else isinstance(value, _ARRAYS)):
        return NOT_SPECIAL
    if isinstance(value, np.ndarray) and value.dtype.hasobject:
        raise refusal(value.dtype)
    return by_name.method(value, name) or Checked(getattr(value, name))


_ARRAYS: Final = (np.ndarray, np.generic)


def _of_arrays(name: str, place: int) -> Checked:
    """A function that hands parts of an array to the program: it is made of what a program may have an array of."""
    function = getattr(np, name)

    def call(*given: Any, **named: Any) -> Any:
        return function(*given[:place], checked_array(given[place]), *given[place + 1 :], **named)

    return Checked(call, name)


@cache
def _functions() -> dict[str, object]:
    """What computes, for all runs."""
    return {
        **checked_members(_members(np, f"{_FUNCTIONS} {_CONSTANTS}")),
        **{name: _of_arrays(name, place) for name, place in _HANDING.items()},
        **by_name.FUNCTIONS,
        "bincount": bounded_counts.bincount,
        "repeat": Checked(bounded_counts.repeat),
        "tile": Checked(bounded_counts.tile),
        "empty": Checked(np.zeros, "empty"),
        "empty_like": Checked(np.zeros_like, "empty_like"),
    }


_HANDING: Final = {"apply_along_axis": 2, "apply_over_axes": 1, "piecewise": 0}
"""Functions that call the program with parts of an array, and the place of that array among their arguments."""


def _transforms() -> dict[str, Any]:
    """The functions of ``numpy.fft``: those that transform look at how many elements there are."""
    return {
        name: bounded_counts.padded(function)
        if callable(function) and name.endswith(("fft", "fft2", "fftn"))
        else function
        for name, function in _members(np.fft, _FFT).items()
    }


def numpy_modules() -> dict[str, Module]:
    """``numpy`` and its modules, by full name, with a random generator of their own."""
    linalg = Module(
        "numpy.linalg",
        {**checked_members(_members(np.linalg, _LINALG)), **by_name.LINALG, "LinAlgError": np.linalg.LinAlgError},
    )
    inner = {
        "numpy.random": random_numbers.random_module(),
        "numpy.linalg": linalg,
        "numpy.fft": Module("numpy.fft", checked_members(_transforms())),
        "numpy.testing": Module("numpy.testing", {name: _of_testing(name) for name in _TESTING.split()}),
        "numpy.typing": Module("numpy.typing", {"NDArray": list, "ArrayLike": Any, "DTypeLike": Any}),
        **polynomial_modules(),
        **windows.modules(),
    }
    members = {
        **_functions(),
        **_members(np, _DTYPES),
        **_members(np, f"{_CLASSES} {_ABSTRACT}"),
        **{kind.__name__: _Described(kind) for kind in _DESCRIBED},
        "nditer": nditer,
        **error_modes.members(),
        **array_files.members(),
        "vectorize": _vectorize,
        "printoptions": _printing,
        "set_printoptions": _set_printing,
        "bool": np.bool_,
        "True_": np.True_,
        "False_": np.False_,
        "poly1d": poly1d,
        "ndarray": _NDARRAY,
        "frombuffer": frombuffer,
        "loadtxt": loadtxt,
        "str_": np.str_,
        **{name.partition(".")[2]: module for name, module in inner.items() if name.count(".") == 1},
        "__version__": np.__version__,
    }
    return {"numpy": Module("numpy", members, error_for=removed), **inner}


_register()
