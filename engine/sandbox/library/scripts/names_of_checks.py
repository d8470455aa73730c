"""``pytest``: what test files name of it. Marks and fixtures mean nothing here; what checks, checks."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from numbers import Number
from typing import Any, Final, NoReturn

import numpy as np

from gradflow.engine import errors
from gradflow.engine.sandbox.classes.kept_whole import gives_array
from gradflow.engine.sandbox.gate import allow, is_program_class, is_program_function, type_name
from gradflow.engine.sandbox.library.warning_filters import catch_warnings

_DIRECT: Final = (
    'Fixture "{name}" called directly. Fixtures are not meant to be called directly,\n'
    "but are created automatically when test functions request them as parameters.\n"
    "See https://docs.pytest.org/en/stable/explanation/fixtures.html for more information about fixtures, and\n"
    "https://docs.pytest.org/en/stable/deprecations.html#calling-fixtures-directly"
)


class OutcomeException(BaseException):
    """What ends a test."""


class Failed(OutcomeException):
    """A test that failed."""


class XFailed(Failed):
    """A test that was expected to fail."""


class Skipped(OutcomeException):
    """A test that does not run."""


def _ending(kind: type[OutcomeException], name: str) -> Callable[..., NoReturn]:
    def end(reason: str = "", **settings: object) -> NoReturn:
        raise kind(reason)

    end.__name__ = end.__qualname__ = name
    return end


# -- marks and fixtures ------------------------------------------------------------------------------------------------


def _check_marked(value: object) -> None:
    if not (is_program_function(value) or (isinstance(value, type) and is_program_class(value))):
        raise errors.CALL_REFUSED(name=f"a mark of pytest on {type_name(value)}")


class _Mark:
    """``pytest.mark.slow``, with or without arguments: it gives back what it marks."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *given: Any, **settings: Any) -> Any:
        if len(given) == 1 and not settings and (is_program_function(given[0]) or isinstance(given[0], type)):
            _check_marked(given[0])
            return given[0]
        return self

    def __repr__(self) -> str:
        return f"MarkDecorator(mark=Mark(name={self._name!r}, args=(), kwargs={{}}))"


class _Marks:
    """``pytest.mark``: a mark by every name."""

    def __getattr__(self, name: str) -> _Mark:
        if name.startswith("_"):
            raise AttributeError("Marker name must NOT start with underscore")
        return _Mark(name)


class _Fixture:
    """A function that a test would be given the result of. Tests are not collected, so that nothing calls it."""

    def __init__(self, function: Any) -> None:
        self._name = function.__name__

    def __call__(self, *given: object, **settings: object) -> NoReturn:
        raise Failed(_DIRECT.format(name=self._name))

    def __repr__(self) -> str:
        return f"<pytest_fixture({self._name})>"


def fixture(fixture_function: Any = None, **settings: object) -> Any:
    """Mark a function as a fixture."""
    if fixture_function is None:
        return fixture
    if not is_program_function(fixture_function):
        raise errors.CALL_REFUSED(name=f"pytest.fixture of {type_name(fixture_function)}")
    return _Fixture(fixture_function)


# -- blocks that have to raise or warn ---------------------------------------------------------------------------------


class ExceptionInfo:
    """What a block has raised."""

    value: Any = None

    @property
    def type(self) -> Any:
        """The class of the error."""
        return type(self.value)

    @property
    def typename(self) -> str:
        """The name of the class."""
        return type(self.value).__name__

    def errisinstance(self, exc: Any) -> bool:
        """Whether the error is of a class."""
        return isinstance(self.value, exc)

    def match(self, regexp: Any) -> bool:
        """Raises AssertionError where the text of the error does not fit a pattern."""
        wanted = regexp if isinstance(regexp, str) else regexp.pattern
        if not re.search(regexp, str(self.value)):
            raise AssertionError(
                f"Regex pattern did not match.\n  Expected regex: {wanted!r}\n  Actual message: {str(self.value)!r}"
            )
        return True


class _Raises:
    """A block that has to raise."""

    def __init__(self, expected: Any, match: Any, check: Any) -> None:
        self._kinds = expected if isinstance(expected, tuple) else (expected,)
        for kind in self._kinds:
            if not (isinstance(kind, type) and issubclass(kind, BaseException)):
                raise TypeError(f"Expected a BaseException type, but got '{type_name(kind)}'")
        self._match, self._check, self._found = match, check, ExceptionInfo()

    def __enter__(self) -> ExceptionInfo:
        return self._found

    def __exit__(self, kind: Any, error: Any, *_: object) -> bool:
        if kind is None:
            names = ", ".join(each.__name__ for each in self._kinds)
            raise Failed(f"DID NOT RAISE {names if len(self._kinds) == 1 else f'any of ({names})'}")
        if not issubclass(kind, self._kinds):
            return False
        self._found.value = error
        if self._match is not None:
            self._found.match(self._match)
        return self._check is None or bool(self._check(error))


def raises(expected_exception: Any, *given: Any, match: Any = None, check: Any = None, **settings: Any) -> Any:
    """A block that has to raise, or the call of a function that has to."""
    block = _Raises(expected_exception, match, check)
    if not given:
        return block
    with block as found:
        given[0](*given[1:], **settings)
    return found


class _Warns:
    """A block that has to warn."""

    def __init__(self, expected: Any, match: Any) -> None:
        self._kinds, self._match = expected if isinstance(expected, tuple) else (expected,), match
        self._filters = catch_warnings(record=True, action="always")

    def __enter__(self) -> Any:
        self._collected: Any = self._filters.__enter__()
        return self._collected

    def __exit__(self, kind: object, *_: object) -> None:
        self._filters.__exit__()
        if kind is not None:
            return
        emitted = [each.message for each in self._collected]
        fitting = [each.message for each in self._collected if issubclass(each.category, self._kinds)]
        if not fitting:
            raise Failed(
                f"DID NOT WARN. No warnings of type {self._kinds} were emitted.\n Emitted warnings: {emitted}."
            )
        if self._match is not None and not any(re.search(self._match, str(each)) for each in fitting):
            raise Failed(
                "DID NOT WARN. No warnings of type"
                f" {self._kinds} matching the regex were emitted.\n Regex: {self._match}\n Emitted warnings: {emitted}."
            )


def warns(expected_warning: Any = Warning, *given: Any, match: Any = None, **settings: Any) -> Any:
    """A block that has to warn, or the call of a function that has to."""
    block = _Warns(expected_warning, match)
    if not given:
        return block
    with block:
        return given[0](*given[1:], **settings)


# -- numbers that are nearly equal -------------------------------------------------------------------------------------


class ApproxScalar:
    """Nearly a number; a list, a dictionary or an array of such."""

    __array_ufunc__ = None  # so that an array on the left lets this one compare
    __hash__ = None  # type: ignore[assignment]  # as in pytest, since equality is not transitive

    def __init__(self, expected: Any, rel: Any = None, abs: Any = None, nan_ok: bool = False) -> None:
        self._settings = (rel, abs, nan_ok)
        self._expected = expected
        parts = _parts(expected)
        self._parts = None if parts is None else {key: ApproxScalar(each, *self._settings) for key, each in parts}

    def __eq__(self, actual: object) -> bool:
        if self._parts is None:
            return self._near(_item(actual))
        parts = _parts(actual)
        if parts is None or isinstance(actual, Mapping) != isinstance(self._expected, Mapping):
            return False
        found = dict(parts)
        return found.keys() == self._parts.keys() and all(near == found[key] for key, near in self._parts.items())

    def __bool__(self) -> NoReturn:
        raise AssertionError("approx() is not supported in a boolean context.\nDid you mean: `assert a == approx(b)`?")

    def _near(self, actual: Any) -> bool:
        expected, nan_ok = self._expected, self._settings[2]
        plain = (bool, np.bool_)
        if isinstance(expected, plain) != isinstance(actual, plain):
            return False
        if actual == expected:
            return True
        if not (_is_number(expected) and _is_number(actual)):
            return False
        if math.isnan(abs(expected)):
            return nan_ok and math.isnan(abs(actual))
        return not math.isinf(abs(expected)) and bool(abs(expected - actual) <= self._tolerance())

    def _tolerance(self) -> float:
        relative, absolute, _ = self._settings
        for value, name in ((relative, "relative"), (absolute, "absolute")):
            if value is not None and value < 0:
                raise ValueError(f"{name} tolerance can't be negative: {value}")
        if relative is None and absolute is not None:
            return float(absolute)
        least = 1e-12 if absolute is None else absolute
        return float(max((1e-6 if relative is None else relative) * abs(self._expected), least))

    def __repr__(self) -> str:
        if self._parts is None:
            if not _is_number(self._expected) or math.isinf(abs(self._expected)):
                return str(self._expected)
            tolerance = "???" if math.isnan(abs(self._expected)) else _short(self._tolerance())
            return f"{self._expected} ± {tolerance}"
        if isinstance(self._expected, Mapping):
            return f"approx({self._parts!r})"
        return f"approx({list(self._parts.values())!r})"


def _short(tolerance: float) -> str:
    return f"{tolerance:n}" if 1e-3 <= tolerance < 1e3 else f"{tolerance:.1e}"


def _is_number(value: object) -> bool:
    return isinstance(value, Number | np.generic) and not isinstance(value, bool | np.bool_)


def _item(value: Any) -> Any:
    """The one number of an array or tensor without dimensions."""
    array = _array(value)
    return value if array is None or array.ndim else array.item()


def _array(value: Any) -> np.ndarray | None:
    """An array or a tensor as an array."""
    numbers = isinstance(value, np.ndarray) or (not isinstance(value, np.generic) and gives_array(type(value)))
    return np.asarray(value) if numbers else None


def _parts(value: Any) -> list[tuple[Any, Any]] | None:
    """What has to be nearly equal one by one; None for a number."""
    if isinstance(value, Mapping):
        return list(value.items())
    array = _array(value)
    if array is not None:
        return [(place, array[place].item()) for place in np.ndindex(array.shape)] if array.ndim else None
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        return None
    for index, each in enumerate(value):
        if isinstance(each, Sequence) and not isinstance(each, str):
            raise TypeError(
                f"pytest.approx() does not support nested data structures: {each!r} at index {index}\n"
                f"  full sequence: {value!r}"
            )
    return [((index,), each) for index, each in enumerate(value)]


# -- the module --------------------------------------------------------------------------------------------------------


class ParameterSet:
    """``pytest.param``: one set of arguments for a test."""

    def __init__(self, *values: object, id: object = None, marks: object = ()) -> None:
        self.values, self.id, self.marks = values, id, marks

    def __repr__(self) -> str:
        return f"ParameterSet(values={self.values!r}, marks={self.marks!r}, id={self.id!r})"


def _no_run(*given: object, **settings: object) -> NoReturn:
    raise errors.CALL_REFUSED(name="pytest.main(), which looks for files of tests (call the tests by their names),")


def members() -> dict[str, object]:
    """What is in ``pytest``."""
    return {
        "mark": _Marks(),
        "fixture": fixture,
        "raises": raises,
        "warns": warns,
        "approx": ApproxScalar,
        "param": ParameterSet,
        "skip": _ending(Skipped, "skip"),
        "fail": _ending(Failed, "fail"),
        "xfail": _ending(XFailed, "xfail"),
        "main": _no_run,
        "ExceptionInfo": ExceptionInfo,
        "__version__": "9.2.0",
    }


def _register() -> None:
    allow(_Mark)
    allow(_Marks, readable=lambda _, name: not name.startswith("_"))
    allow(_Fixture)
    allow(_Raises)
    allow(_Warns)
    allow(ExceptionInfo, ("value", "type", "typename", "match", "errisinstance"), shown_as=ExceptionInfo)
    allow(ApproxScalar, shown_as=ApproxScalar)
    allow(ParameterSet, ("values", "marks", "id"), shown_as=ParameterSet)
    for cls in (ExceptionInfo, ApproxScalar, ParameterSet, OutcomeException, Failed, XFailed, Skipped):
        cls.__module__ = "pytest"


_register()
