"""Element types and PyTorch's rules for promoting them (https://pytorch.org/docs/stable/tensor_attributes.html)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import ml_dtypes
import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.limits import limits as limits
from gradflow.engine.state import STATE
from gradflow.engine.tensor.closed import Closed, close

BOOL, INT, FLOAT, COMPLEX = range(4)


class dtype(Closed):
    """An element type, as ``torch.float32`` is one. ``numpy`` is NumPy's dtype of the same layout."""

    __slots__ = ("category", "legacy", "name", "numpy")

    def __init__(self, name: str, numpy: str, category: int, legacy: str) -> None:
        self.name, self.numpy, self.category, self.legacy = name, np.dtype(numpy), category, legacy

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    @property
    def is_floating_point(self) -> bool:
        """Whether elements are real floating point numbers."""
        return self.category == FLOAT

    @property
    def is_complex(self) -> bool:
        """Whether elements are complex numbers."""
        return self.category == COMPLEX

    @property
    def is_signed(self) -> bool:
        """Whether there are negative numbers."""
        return self.numpy.kind not in "ub"

    def to_complex(self) -> dtype:
        """The complex dtype of this precision."""
        return BY_NUMPY[np.dtype(f"c{16 if self.numpy.itemsize >= 8 else 8}")] if self.category < COMPLEX else self

    def to_real(self) -> dtype:
        """The real dtype of this precision."""
        return BY_NUMPY[np.dtype(f"f{self.numpy.itemsize // 2}")] if self.category == COMPLEX else self

    @property
    def itemsize(self) -> int:
        """Bytes for an element."""
        return self.numpy.itemsize


class _Reduced(dtype):
    """`bfloat16`. NumPy's dtype is that of ml_dtypes, whose kind is ``V``; who asks for it makes functions look for it."""

    __slots__ = ()

    def __init__(self, name: str, legacy: str) -> None:
        self.name, self.category, self.legacy = name, FLOAT, legacy

    @property
    def numpy(self) -> np.dtype:  # type: ignore[override]  # a slot of the others
        """NumPy's dtype of the same layout."""
        STATE.reduced = True
        return BFLOAT16

    def to_complex(self) -> dtype:
        """complex64, the smallest that there is."""
        return complex64


BFLOAT16: Final[np.dtype] = np.dtype(ml_dtypes.bfloat16)
"""The layout of bfloat16. Functions compute in float32 and round once (`gradflow.engine.dispatch.reduced`)."""
bool_ = dtype("bool", "bool", BOOL, "Bool")
uint8 = dtype("uint8", "uint8", INT, "Byte")
int8 = dtype("int8", "int8", INT, "Char")
int16 = dtype("int16", "int16", INT, "Short")
int32 = dtype("int32", "int32", INT, "Int")
int64 = dtype("int64", "int64", INT, "Long")
float16 = dtype("float16", "float16", FLOAT, "Half")
bfloat16 = _Reduced("bfloat16", "BFloat16")
float32 = dtype("float32", "float32", FLOAT, "Float")
float64 = dtype("float64", "float64", FLOAT, "Double")
complex64 = dtype("complex64", "complex64", COMPLEX, "ComplexFloat")
complex128 = dtype("complex128", "complex128", COMPLEX, "ComplexDouble")

ALL: Final = (
    bool_, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128,
)  # fmt: skip
close(dtype)
BY_NAME: Final = {d.name: d for d in ALL}
BY_NUMPY: Final = {BFLOAT16 if d is bfloat16 else d.numpy: d for d in ALL}  # nobody has asked for bfloat16 yet
C_NAMES: Final = {
    "bool": "bool", "uint8": "unsigned char", "int8": "signed char", "int16": "short int", "int32": "int",
    "int64": "long int", "float16": "c10::Half", "bfloat16": "c10::BFloat16", "float32": "float",
    "float64": "double",
    "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
}  # fmt: skip
"""What the compiler of PyTorch calls the types, as a few messages have it."""
ALIASES: Final = {
    "float": float32, "double": float64, "half": float16, "int": int32, "long": int64, "short": int16,
    "cfloat": complex64, "cdouble": complex128,
}  # fmt: skip
PYTHON: Final[dict[type, dtype]] = {bool: bool_, int: int64, float: float32, complex: complex64}

DEFAULT: np.dtype = np.dtype("float32")
"""The dtype of numbers with a decimal point: read it as ``dtypes.DEFAULT``, for programs can change it."""
DEFAULT_COMPLEX: np.dtype = np.dtype("complex64")
_FLOAT16, _FLOAT32 = np.dtype("float16"), np.dtype("float32")
_BOOL, _INT64, _COMPLEX64 = np.dtype("bool"), np.dtype("int64"), np.dtype("complex64")
_CATEGORY: Final = {"b": BOOL, "i": INT, "u": INT, "f": FLOAT, "V": FLOAT, "c": COMPLEX}


def of(array: np.ndarray) -> dtype:
    """The dtype of an array."""
    return BY_NUMPY[array.dtype]


def check_numpy(given: np.dtype) -> None:
    """Raise TypeError for a dtype that NumPy does not know by itself, and for what is no dtype of tensors."""
    if given.kind == "V" or given not in BY_NUMPY:
        raise errors.NUMPY_DTYPE(dtype=BY_NUMPY[given].legacy if given in BY_NUMPY else str(given))


def as_numpy(given: object) -> np.dtype:
    """NumPy's dtype for ``torch.float64``, Python's ``float`` and the like. Raises TypeError for anything else."""
    if isinstance(given, dtype):
        return given.numpy
    if isinstance(given, type) and given in PYTHON:
        return np.dtype(given)
    raise errors.KEYWORD_TYPE(function="tensor", argument="dtype", expected="torch.dtype", actual=type(given).__name__)


def category(value: object) -> int:
    """BOOL, INT, FLOAT or COMPLEX, of an array or a Python number."""
    if isinstance(value, np.ndarray):
        return _CATEGORY[value.dtype.kind]
    return PYTHON[type(value)].category


def default_for(kind: int) -> np.dtype:
    """The dtype of Python numbers of a category."""
    return (_BOOL, _INT64, DEFAULT, DEFAULT_COMPLEX)[kind]


def set_default(dtype: np.dtype) -> None:
    """Change the dtype of numbers with a decimal point, and of complex ones with it."""
    global DEFAULT, DEFAULT_COMPLEX
    DEFAULT = dtype
    DEFAULT_COMPLEX = np.dtype("complex128") if dtype.itemsize == 8 else _COMPLEX64
    PYTHON[float], PYTHON[complex] = BY_NUMPY[dtype], BY_NUMPY[DEFAULT_COMPLEX]


def is_default(element_dtype: dtype) -> bool:
    """Whether this is what numbers of its category become by themselves."""
    return element_dtype.numpy in (_BOOL, _INT64, DEFAULT, DEFAULT_COMPLEX)


def result_type(*operands: object) -> np.dtype:
    """The common dtype of arrays and Python numbers.

    Arrays with dimensions outrank 0-d arrays, and those outrank Python numbers: a lower rank only decides when its
    category (bool < int < float < complex) is higher.
    """
    ranks: list[list[np.dtype]] = [[], [], []]
    for operand in operands:
        if isinstance(operand, np.ndarray):
            ranks[0 if operand.ndim else 1].append(operand.dtype)
        else:
            ranks[2].append(default_for(category(operand)))
    result: np.dtype | None = None
    for rank in ranks:
        for each in rank and [_join(rank)]:
            if result is None:
                result = each
            elif _CATEGORY[each.kind] > _CATEGORY[result.kind]:
                result = _complexify(result, each)
    assert result is not None
    return result


def joined(kinds: Iterable[np.dtype]) -> np.dtype:
    """The common dtype of several; the default one of none."""
    return _join(list(kinds) or [DEFAULT])


def _complexify(low: np.dtype, high: np.dtype) -> np.dtype:
    """A float tensor times a complex number keeps its own precision: the number's does not count."""
    if high.kind != "c" or low.kind not in "fV":
        return high
    return np.dtype("complex128") if low.itemsize == 8 else _COMPLEX64


def _join(types: list[np.dtype]) -> np.dtype:
    result = types[0]
    for other in types[1:]:
        result = _pair(result, other)
    return result


def _pair(a: np.dtype, b: np.dtype) -> np.dtype:
    if a == b:
        return a
    low, high = sorted((a, b), key=lambda t: _CATEGORY[t.kind])
    if _CATEGORY[low.kind] < FLOAT <= _CATEGORY[high.kind]:
        return high
    if high.kind == "c" and low.kind in "fV":
        return np.dtype("complex128") if low.itemsize == 8 or high.itemsize == 16 else _COMPLEX64
    return _FLOAT32 if {a, b} == {BFLOAT16, _FLOAT16} else np.promote_types(a, b)


def to_float(array: np.ndarray) -> np.ndarray:
    """Integers and booleans as the default float; anything else as it is."""
    return array if array.dtype.kind in "fcV" else array.astype(DEFAULT)


_NAMELESS: Final = ("bool", "bfloat16", "complex64", "complex128")
"""Dtypes whose type of tensor has no name in Python."""


def tensor_type(array: np.ndarray) -> str:
    """The type of a tensor as messages name it."""
    dtype = of(array)
    return f"CPU{dtype.legacy}Type" if dtype.name in _NAMELESS else f"torch.{dtype.legacy}Tensor"


def options_of(element_dtype: dtype) -> str:
    """What PyTorch calls a dtype together with all else that it says of a new tensor."""
    return (
        f"TensorOptions(dtype={C_NAMES[element_dtype.name]}, device=cpu, layout=Strided, requires_grad=false (default), "
        "pinned_memory=false (default), memory_format=(nullopt))"
    )
