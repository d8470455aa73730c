"""Which elements arrays of a program may have: numbers, truth values, texts and dates, never Python's objects.

NumPy's loops over objects call methods of these, and hold the objects by their addresses alone meanwhile: a method that
writes into the array leaves the loop with memory that is no more. So no array of objects reaches a program. Everything that
makes arrays answers through `checked`; where an operator would make one, the operand's class says so by ``__array_ufunc__``.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.bounded_counts import MOST_IN_VIEW
from gradflow.engine.sandbox.classes.kept_whole import (
    NO_ARRAY,
    gives_array,
    unshared,
)
from gradflow.engine.sandbox.gate import OpaqueType, allow, is_program_class
from gradflow.engine.sandbox.numpy_calls.single_objects import are_single, computed, in_place_of_loop, of_objects
from gradflow.engine.sandbox.numpy_calls.under_masks import accumulating, masked

_ELEMENTS: Final = frozenset("biufcUSMm")
_LONG: Final = (np.longdouble, np.clongdouble)
"""Numbers of which some bytes are never written: what was in memory before."""
_NUMBERS: Final = (np.generic, int, float)
_TEXTS: Final = frozenset("US")
_NO_SUM: Final = (
    "Concatenation operation is not implemented for NumPy arrays, use np.concatenate() instead. Please do not rely on this"
    " error; it may not be given on all Python implementations."
)


class Texts(np.ndarray):
    """An array of texts: an operator with an object (``texts % obj``) is refused where it would give objects."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **settings: Any) -> Any:
        return carried_out(ufunc, method, inputs, settings, Texts)

    def __add__(self, other: Any) -> Any:
        found = super().__add__(other)
        if found is NotImplemented:
            found = getattr(type(other), "__radd__", lambda *_: NotImplemented)(other, self)
        if found is NotImplemented:
            raise TypeError(_NO_SUM)
        return found

    def __repr__(self) -> str:
        return repr(self.view(np.ndarray))


Texts.__name__ = Texts.__qualname__ = "numpy.ndarray"  # as Python names NumPy's own in its messages


def checked(result: Any) -> Any:
    """What a function of NumPy gave, where a program may have it. Raises TypeError for arrays of other elements."""
    cls = type(result)
    if cls is np.ndarray or cls is Texts:
        kind = result.dtype.kind
        if result.size > MOST_IN_VIEW:
            raise MemoryError(f"Unable to allocate an array of {result.size} elements")
        if result.dtype.names is not None:
            raise refusal(result.dtype)
        if kind in _TEXTS:
            return result if cls is Texts else result.view(Texts)
        if kind not in _ELEMENTS or result.dtype.type in _LONG:
            raise refusal(result.dtype)
        if cls is Texts:  # of which a method has made something else
            return result.view(np.ndarray)
    elif issubclass(cls, _NUMBERS):
        if cls in _LONG:
            raise refusal(result.dtype)
        return result
    elif issubclass(cls, np.ndarray):  # a matrix and the like are arrays to a program
        return checked(result.view(np.ndarray))
    elif cls is list:
        return [checked(each) for each in result]
    elif cls is tuple:
        return tuple(map(checked, result))
    elif hasattr(cls, "_fields"):
        return cls(*map(checked, result))
    return result


def refusal(dtype: np.dtype) -> Exception:
    """The error for elements of this dtype."""
    return errors.ARRAY_ELEMENTS(dtype=str(dtype))


def checked_array(value: Any) -> np.ndarray:
    """``np.asanyarray(value)``, where a program may have that."""
    array: np.ndarray = checked(np.asanyarray(unshared(value)))
    return array


def checked_dtype(given: Any) -> Any:
    """A dtype as an argument. Raises TypeError for one of which a program may have no array."""
    if given is None:
        return None
    dtype = np.dtype(given)  # once: an object of the program could be another the next time
    if dtype.kind not in _ELEMENTS or dtype.names is not None:  # numbers, too, can have fields of other elements
        raise refusal(dtype)
    return short(dtype)


def short(dtype: np.dtype) -> np.dtype:
    """The same dtype. Raises TypeError for numbers of which a part is never written."""
    if dtype.type in _LONG:
        raise refusal(dtype)
    return dtype


class Called:
    """A function of the program as NumPy calls it: with what a program may have."""

    __slots__ = ("__name__", "_function")

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.__name__ = str(getattr(function, "__name__", "function"))

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._function(*map(checked, given), **{name: checked(value) for name, value in named.items()})


def argument(value: Any) -> Any:
    """An argument as NumPy gets it: lists as copies, and what it may call calls the program with no array of objects."""
    if callable(value) and not isinstance(value, Checked | OpaqueType):
        cls = value if isinstance(value, type) else type(value)
        if is_program_class(cls) or not (cls is value or gives_array(cls)):
            return Called(value)
    elif type(value) is np.ndarray and value.dtype.hasobject:  # its loops would run before the result is seen
        raise refusal(value.dtype)
    return unshared(_items(value))


def _counted(value: Any) -> Any:
    """A size, a place or an axis, or a tuple of them, as numbers: NumPy asks nothing of the program any more while it works."""
    if type(value) is tuple and len(value) <= _DIMENSIONS:
        return tuple(map(_counted, value))
    cls = type(value)
    if not is_program_class(cls) or isinstance(value, int) or getattr(cls, "__array__", None) not in (None, NO_ARRAY):
        return value
    return operator.index(value) if any("__index__" in vars(each) for each in cls.__mro__) else value


_DIMENSIONS: Final = 64
"""How many sizes or axes an array may have."""


def _items(value: Any) -> Any:
    """A sequence that NumPy must not take apart itself, such as a data set, as the list of its items."""
    cls = type(value)
    if getattr(cls, "__array__", None) is not NO_ARRAY or issubclass(cls, dict | Mapping | str):
        return value
    return [value[k] for k in range(len(value))] if hasattr(cls, "__len__") and hasattr(cls, "__getitem__") else value


class Checked:
    """A function of NumPy whose results are looked at. It is printed as the function itself."""

    __slots__ = ("__name__", "_function")

    def __init__(self, function: Callable[..., Any], name: str | None = None) -> None:
        self._function = function
        self.__name__ = name or str(getattr(function, "__name__", "function"))

    def __call__(self, *given: Any, **named: Any) -> Any:
        if named:
            named = self._settings(named)
            if "where" in named and named["where"] is not True and self.__name__ not in _MASKED:
                raise errors.CALL_REFUSED(name=f"{self.__name__}() with where")
        return checked(self._function(*map(self._argument, given), **named))

    def _settings(self, named: dict[str, Any]) -> dict[str, Any]:
        """What is given by name, looked at."""
        settings = {str.__str__(name): self._argument(value) for name, value in named.items()}
        if "dtype" in settings:
            settings["dtype"] = checked_dtype(settings["dtype"])
        for name in _LOOPS & settings.keys():
            _check_loop(settings[name])
        return settings

    @staticmethod
    def _argument(value: Any) -> Any:
        return _counted(argument(value))

    def __repr__(self) -> str:
        return repr(self._function)


_WEAK: Final = (bool, int, float, complex)
"""Numbers of Python's own take the dtype of what they are computed with."""
_LOOPS: Final = frozenset({"signature", "sig"})
_WITH_MASKS: Final = (
    "all amax amin any apply_along_axis copyto fromfunction max mean min nanmax nanmean nanmin nanprod nanstd nansum nanvar"
    " piecewise prod reduce std sum var vectorize"
)
"""What takes ``where`` and leaves no place of its results as it was in memory, or hands it to the program."""
_MASKED: Final = frozenset(_WITH_MASKS.split())


def _check_loop(signature: Any) -> None:
    """Raises TypeError where a universal function is told to compute with objects."""
    if isinstance(signature, tuple):
        for each in signature:
            checked_dtype(each)
    elif "O" in str(signature):
        raise errors.ARRAY_ELEMENTS(dtype="object")


class CheckedUfunc(Checked):
    """A universal function, with its methods."""

    __slots__ = ()
    _argument = staticmethod(argument)  # an operand is no count

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._function, name)
        return Checked(found, name) if callable(found) else found

    def __call__(self, *given: Any, **named: Any) -> Any:
        if named:
            named = self._settings(named)
            if "where" in named and named["where"] is not True:
                return checked(self._under_mask(given, named))
        operands = list(map(self._argument, given))
        try:
            found = self._function(*operands, **named)
        except TypeError:
            function: Any = self._function
            found = NotImplemented if named or len(operands) != function.nin else in_place_of_loop(function, operands)
            if found is NotImplemented:
                raise
        return checked(found)

    def _under_mask(self, given: tuple[Any, ...], settings: dict[str, Any]) -> Any:
        """The same with a mask, which NumPy never sees."""
        ufunc: Any = self._function
        named = settings.pop("out", ())
        outs = given[ufunc.nin :] or (named if isinstance(named, tuple) else (named,))
        if len(given) < ufunc.nin or len(outs) > ufunc.nout or ufunc.signature or (given[ufunc.nin :] and named != ()):
            raise TypeError(f"{self.__name__}() takes other arguments where it is given a mask")
        if not all(out is None or isinstance(out, np.ndarray) for out in outs):
            raise TypeError("return arrays must be of ArrayType")
        operands = [each if type(each) in _WEAK else checked_array(argument(each)) for each in given[: ufunc.nin]]
        return masked(ufunc, operands, (*outs, *(None,) * (ufunc.nout - len(outs))), settings)

    def outer(self, a: Any, b: Any, /, **named: Any) -> Any:
        """``np.add.outer``."""
        if named.get("where", True) is True:
            return Checked(self._function.outer, "outer")(a, b, **named)  # type: ignore[attr-defined]
        first, second = checked_array(argument(a)), checked_array(argument(b))
        return self(first.reshape(first.shape + (1,) * second.ndim), second, **named)

    def accumulate(self, *given: Any, **named: Any) -> Any:
        """``np.add.accumulate``."""
        return Checked(accumulating(self._function.accumulate), "accumulate")(*given, **named)  # type: ignore[attr-defined]

    def at(self, a: Any, indices: Any, /, *operand: Any) -> None:
        """``np.add.at``, which in NumPy does not ask whether the array may be written."""
        if not isinstance(a, np.ndarray):
            raise TypeError("first operand must be array")
        if not a.flags.writeable:
            raise ValueError("assignment destination is read-only")
        self.__getattr__("at")(a, indices, *operand)


class CheckedIndexer:
    """``np.r_`` and its kind."""

    __slots__ = ("_indexer",)

    def __init__(self, indexer: Any) -> None:
        self._indexer = indexer

    def __getitem__(self, key: Any) -> Any:
        parts = key if isinstance(key, tuple) else (key,)
        if any(isinstance(each, str) and not _AXES.fullmatch(str.__str__(each)) for each in parts):
            raise errors.CALL_REFUSED(name="an index that is a text")  # NumPy looks its names up in whatever calls it
        plain = tuple(str.__str__(each) if isinstance(each, str) else Checked._argument(each) for each in parts)
        return checked(self._indexer[plain if isinstance(key, tuple) else plain[0]])


_AXES: Final = re.compile(r"-?\d{1,3}(,-?\d{1,3}){0,2}")
"""What a text may say in ``np.r_["0,2", ...]``: where the parts are joined."""


def checked_members(members: Mapping[str, Any]) -> dict[str, object]:
    """Functions and indexers of NumPy, each looking at what it gives, and copies of its arrays; other members as they are."""
    return {name: _guarded(member) for name, member in members.items()}


def _guarded(member: Any) -> object:
    if isinstance(member, np.ufunc):
        return CheckedUfunc(member)
    if isinstance(member, type | Checked):
        return member
    if callable(member):
        return Checked(member)
    if isinstance(member, np.ndarray):
        return member.copy()
    return CheckedIndexer(member) if hasattr(type(member), "__getitem__") else member


# -- operators -----------------------------------------------------------------------------------------------------------


def carried_out(ufunc: np.ufunc, method: str, inputs: Any, settings: dict[str, Any], asked: type) -> Any:
    """A universal function of operands of the class ``asked``, as NumPy carries it out without being told.

    Results are written into arrays only: NumPy miscounts the references of objects that a reduction is written over. So do
    reductions of objects themselves stay out.
    """
    given = settings.get("out", ())
    if not all(each is None or isinstance(each, np.ndarray) for each in given):
        raise TypeError("return arrays must be of ArrayType")
    if given:
        settings = settings | {"out": tuple(_plain(each, asked) for each in given)}
    operands = [_plain(each, asked) for each in inputs]
    if method != "__call__":
        for each in operands:
            if isinstance(each, np.ndarray):
                checked(each)
    if method == "__call__" and of_objects(ufunc, operands):
        if settings or not are_single(operands):
            raise refusal(np.dtype(object))
        return checked(computed(ufunc, operands))
    result = checked(getattr(ufunc, method)(*operands, **settings))
    return given[0] if len(given) == 1 and isinstance(given[0], Texts) else result


def _plain(operand: Any, asked: type) -> Any:
    if isinstance(operand, Texts):
        return operand.view(np.ndarray)
    return _boxed(operand) if isinstance(operand, asked) else operand


def _boxed(operand: Any) -> np.ndarray:
    """An object of the program as an array: of its items where it is a sequence, else of itself."""
    if hasattr(type(operand), "__len__") and hasattr(type(operand), "__getitem__"):
        return np.asarray([operand[k] for k in range(len(operand))])
    box = np.empty((), object)
    box[()] = operand
    return box


def _register() -> None:
    allow(Checked, ("__name__",))
    allow(CheckedUfunc, ("__name__", "accumulate", "at", "identity", "nin", "nout", "outer", "reduce"))
    allow(CheckedIndexer)


_register()
