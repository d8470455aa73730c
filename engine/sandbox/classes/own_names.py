"""What a program reads and sets of its own functions and classes beyond their code: ``f.__name__ = "g"``.

Names are set as exact texts, for the engine compares and prints them. ``__wrapped__`` takes functions of the program
only, for whoever follows it looks into what it finds. ``__code__`` is shown as names and numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FunctionType, SimpleNamespace
from typing import Any, Final
from weakref import WeakKeyDictionary, WeakSet

from gradflow.engine import errors
from gradflow.engine.sandbox import gate
from gradflow.engine.sandbox.gate import NOT_SPECIAL, is_program_class, is_program_function
from gradflow.engine.sandbox.rules import write_special_by

_TITLES: Final = ("__name__", "__qualname__")
_CODE: Final = ("co_argcount", "co_firstlineno", "co_kwonlyargcount", "co_name", "co_varnames")
_FUNCTION: Final = ("__kwdefaults__", "__wrapped__")
_TUPLE_MAKERS: Final = WeakSet[Any]()
"""The ``__new__`` of each ``namedtuple`` of the program, whose arguments get their defaults so in old code."""
_SHOWN: Final = WeakKeyDictionary[Any, Any]()
"""What of these is behind the function that the program sees."""


def may_have_defaults(named_tuple: type) -> None:
    """A class that ``namedtuple`` made for the program."""
    _TUPLE_MAKERS.add(named_tuple.__new__)


def shown_maker(real: Any) -> Callable[..., object]:
    """What stands for a ``__new__`` before the program: it makes objects of the program's classes only."""

    def make(kind: object, /, *arguments: object, **keywords: object) -> object:
        if not (isinstance(kind, type) and is_program_class(kind)):
            raise errors.CALL_REFUSED(name="__new__ of this class")
        return real(kind, *arguments, **keywords)

    if type(real) is FunctionType and real in _TUPLE_MAKERS:
        _SHOWN[make] = real
    return make


def _is_own(value: Any) -> bool:
    return is_program_function(value) or (isinstance(value, type) and is_program_class(value))


def _write_title(value: Any, name: str, new: Any) -> bool:
    if not _is_own(value):
        return False
    if not isinstance(new, str):
        owner = "class" if isinstance(value, type) else "function"
        wanted = f"can only assign string to {value.__name__}.{name}, not '{gate.type_name(new)}'"
        raise TypeError(wanted if owner == "class" else f"{name} must be set to a string object")
    setattr(value, name, str.__str__(new))
    return True


def _write_text(value: Any, name: str, new: Any) -> bool:
    """``__doc__``: a text, or None."""
    if not _is_own(value) or not (new is None or isinstance(new, str)):
        return False
    value.__doc__ = None if new is None else str.__str__(new)
    return True


def _write_wrapped(value: Any, name: str, new: Any) -> bool:
    if not (is_program_function(value) and is_program_function(new)):
        return False
    value.__wrapped__ = new
    return True


def _with_defaults(value: Any) -> Any:
    """The function whose defaults a program may read and set under the name of this one; None where there is none."""
    if is_program_function(value):
        return value
    return _SHOWN.get(value) if type(value) is FunctionType else None


def _write_defaults(value: Any, name: str, new: Any) -> bool:
    """``__defaults__``: a tuple, or None. Raises TypeError for anything else, as Python does."""
    function = _with_defaults(value)
    if function is None:
        return False
    if new is not None and type(new) is not tuple:
        raise TypeError("__defaults__ must be set to a tuple object")
    if new is not None and len(new) > function.__code__.co_argcount:
        raise ValueError(f"{function.__name__}() has fewer arguments than these {len(new)} defaults")
    function.__defaults__ = new
    return True


def _read_defaults(value: Any, name: str) -> Any:
    function = _with_defaults(value)
    return NOT_SPECIAL if function is None else function.__defaults__


class Code(SimpleNamespace):
    """What ``f.__code__`` tells of a function of the program."""

    def __init__(self, code: CodeType) -> None:
        super().__init__(**{name: getattr(code, name) for name in _CODE})

    def __repr__(self) -> str:
        return f"<code object {self.co_name}>"


def _read_code(value: Any, name: str) -> Any:
    return Code(value.__code__) if is_program_function(value) else NOT_SPECIAL


def _read_of_function(value: Any, name: str) -> Any:
    if not is_program_function(value) or (name == "__wrapped__" and name not in vars(value)):
        return NOT_SPECIAL
    return getattr(value, name)


def _register() -> None:
    write_special_by(_TITLES, _write_title)
    write_special_by(("__doc__",), _write_text)
    write_special_by(("__wrapped__",), _write_wrapped)
    write_special_by(("__defaults__",), _write_defaults)
    gate.read_special_by(_FUNCTION, _read_of_function)
    gate.read_special_by(("__defaults__",), _read_defaults)
    gate.read_special_by(("__code__",), _read_code)
    gate.allow(Code, _CODE)
    Code.__name__ = Code.__qualname__ = "code"


_register()
