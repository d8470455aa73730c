"""The gate: which attribute of which type a program may touch.

Every attribute that a program reads, writes or deletes, by a dot, by ``getattr`` or in ``str.format``, passes through
`read_attribute` or `write_attribute`. A type that is not registered with `allow` shows nothing. Classes that the
program defines show every name that is not special (``__x__``), but what they inherit stays under its own table.

Types themselves are shown only where calling them is harmless; in place of all others stands a `OpaqueType`, which can be
printed, compared and used in ``isinstance``, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType, MethodType
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.errors.language.known_names import details_of_attribute
from gradflow.engine.pytorch import exists
from gradflow.engine.sandbox.classes import added_names
from gradflow.engine.sandbox.classes.class_table import ClassTable
from gradflow.engine.sandbox.classes.raw_content import owner_of
from gradflow.engine.sandbox.rules import NOT_SPECIAL as NOT_SPECIAL
from gradflow.engine.sandbox.rules import READABLE, RULES, SPECIAL_READERS, SPECIAL_WRITERS, is_closed, kept_method
from gradflow.engine.sandbox.rules import allow as allow
from gradflow.engine.sandbox.rules import forget as forget
from gradflow.engine.sandbox.rules import is_public as is_public
from gradflow.engine.sandbox.rules import read_methods_by as read_methods_by
from gradflow.engine.sandbox.rules import read_special_by as read_special_by
from gradflow.engine.sandbox.rules import write_over as write_over
from gradflow.engine.sandbox.special_names import COMPILED, HOOKS, METADATA, METHODS, TABLES, is_special
from gradflow.engine.sandbox.stand_ins import MISSING, Alternatives, TypeOf
from gradflow.engine.sandbox.stand_ins import Module as Module
from gradflow.engine.sandbox.stand_ins import OpaqueType as OpaqueType
from gradflow.engine.sandbox.str_format import is_text, text_method
from gradflow.engine.sandbox.unbound_methods import PROGRAM_FILE as PROGRAM_FILE
from gradflow.engine.sandbox.unbound_methods import line_of, read_of_class
from gradflow.engine.state import STATE

_DESCRIPTIVE = frozenset({"__class__", "__name__", "__qualname__", "__doc__", "__module__"})
_SPECIAL = (METHODS - HOOKS - {"__getattr__", "__get__", "__set__", "__delete__", "__format__"}) | _DESCRIPTIVE
_CONSTRUCTORS = frozenset({"__init__", "__call__"})
_UNBOUNDED = frozenset({"__pow__", "__rpow__", "__lshift__", "__rlshift__"})

_NUMPY = (np.generic, np.ndarray, np.ufunc)
"""Types whose names Python gives together with their module."""
class_makers: list[Callable[..., type]] = []
"""What makes a class by ``type(name, bases, content)``; `program_classes` puts it here."""
_shown: dict[type, object] = {}
_program_classes: Final = ClassTable()


class _TypeOfTypes(type):
    """Makes `Type` print and behave like ``type``, without its constructor of classes."""

    def __call__(cls, *arguments: object) -> Any:
        if len(arguments) not in (1, 3):
            raise TypeError("type() takes 1 or 3 arguments")
        return type_of(*arguments) if len(arguments) == 1 else class_makers[0](*arguments)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, type | OpaqueType)

    def __getitem__(cls, item: Any) -> TypeOf:
        return TypeOf(item)

    def __repr__(cls) -> str:
        return "<class 'type'>"


class Type(metaclass=_TypeOfTypes):
    """What programs know as ``type``."""


Type.__name__, Type.__qualname__, Type.__module__ = "type", "type", "builtins"


def type_of(value: object) -> object:
    """``type(value)``, as far as programs may have it."""
    cls = type(value)
    if cls in _program_classes:
        return cls
    rules = RULES.get(cls)
    if rules is not None and rules.typed is not None:
        return rules.typed(value)
    if issubclass(cls, type) or cls is OpaqueType:
        return Type
    return shown_type(cls)


def shown_type(cls: type) -> object:
    """A type as programs see it."""
    rules = RULES.get(cls)
    if rules is not None and rules.shown_as is not None:
        return rules.shown_as
    if issubclass(cls, BaseException):
        return cls
    if vars(cls).get("__module__") == "__main__":  # made by a program, and gone with it
        return OpaqueType(cls)
    return _shown.get(cls) or _shown.setdefault(cls, OpaqueType(cls))


def type_name(value: object) -> str:
    """The name of the type in error messages."""
    rules = RULES.get(type(value))
    if rules is not None and rules.called is not None:
        return rules.called(value)
    return f"numpy.{type(value).__name__}" if isinstance(value, _NUMPY) else type(value).__name__


def exact_name(name: object) -> str:
    """The name, if it is a real string: a subclass could compare equal to one name and be looked up as another."""
    if type(name) is str:
        return name
    raise TypeError(f"attribute name must be string, not '{type_name(name)}'")


# ---- reading


def read_attribute(value: Any, name: str, /) -> Any:
    """``value.name``. Raises AttributeError, in Python's words, or in the gate's where the attribute exists."""
    if type(name) is not str:
        exact_name(name)  # raises
    names = READABLE.get(type(value))
    if names is not None and name in names:
        return getattr(value, name)
    return _read_slowly(value, name)


def _read_slowly(value: Any, name: str) -> Any:
    if (special := _read_special(value, name)) is not NOT_SPECIAL:
        return special
    if isinstance(value, Module) and name != "__name__":
        return _member(value, name)
    if (own := added_names.added(value, name)) is not MISSING:
        return own
    if not is_readable(value, name):
        raise _refusal(value, name)
    if isinstance(value, type | super):
        return read_of_class(value, name, is_program_class)
    return getattr(value, name)


def _member(module: Module, name: str) -> object:
    """What a module shows under a name, which the program may have put there: never what `Module` itself is made of."""
    if (found := module.find(name)) is MISSING:
        raise _refusal(module, name)
    return found


def read_value(value: Any, name: str, /) -> Any:
    """``value.name`` where it is not called."""
    result = read_attribute(value, name)
    return kept_method(value, result, name) if result.__class__ is MethodType else result


def _read_special(value: Any, name: str) -> Any:
    """Attributes that are given in another form than Python's."""
    if name == "__class__":
        return type_of(value)
    if name in SPECIAL_READERS:
        found = SPECIAL_READERS[name](value, name)
        if found is not NOT_SPECIAL:
            return found
    if name in ("format", "format_map") and is_text(value):
        return text_method(value, name, read_attribute)
    if isinstance(value, OpaqueType):
        if name in _DESCRIPTIVE:
            return getattr(value.kind, name)
        return read_attribute(value.kind, name)
    return NOT_SPECIAL


def is_readable(value: object, name: str) -> bool:
    """Whether the program may read an attribute."""
    if isinstance(value, Module):
        return exact_name(name) == "__name__" or value.has(name)
    if isinstance(value, super):
        return _super_readable(value, exact_name(name))
    if isinstance(value, type):
        return class_readable(value, name)
    if isinstance(value, FunctionType):
        return _function_readable(value, name)
    return instance_readable(type(value), value, name)


def instance_readable(cls: type, value: object, name: str) -> bool:
    """Whether instances of this class show a name: the class that defines it decides."""
    if is_special(exact_name(name)) or name in TABLES:
        return _special_readable(cls, name)
    owner = owner_of(cls, name)
    if owner is None or owner in _program_classes:
        return cls in _program_classes or _by_table(cls, value, name, held=True)
    return _by_table(owner, value, name, held=False)


def _by_table(cls: type, value: object, name: str, held: bool) -> bool:
    """Whether the nearest registered class shows a name, which the object itself holds, or else a class."""
    for candidate in cls.__mro__:
        if candidate in RULES:
            if name in READABLE[candidate]:
                return True
            readable = RULES[candidate].readable if held else RULES[candidate].of_class
            return readable is not None and readable(value, name)
    return False


def _special_readable(cls: type, name: str) -> bool:
    if name in HOOKS or name in METADATA:
        return owner_of(cls, name) in _program_classes
    if name not in _SPECIAL:
        return False
    owner = owner_of(cls, name)
    if name in _CONSTRUCTORS:
        return owner is None or owner is object or _open_to_calls(owner) or _hands_on(cls, name, owner)
    return not (owner is int and name in _UNBOUNDED)


def _open_to_calls(owner: type) -> bool:
    return owner in _program_classes or _is_base(owner) or issubclass(owner, BaseException)


def _hands_on(cls: type | None, name: str, owner: type) -> bool:
    """Whether an open class has its constructor from a base that programs do not see."""
    return name == "__init__" and cls is not None and _is_base(cls) and owner not in RULES and owner in cls.__mro__


def class_readable(cls: type, name: str) -> bool:
    if exact_name(name) in _DESCRIPTIVE:
        return True
    if owner_of(cls, name) is not None:
        return instance_readable(cls, cls, name)
    return type(cls) in _program_classes and instance_readable(type(cls), cls, name)


def _super_readable(value: Any, name: str) -> bool:
    line = line_of(value)
    for kind in line:
        if name in vars(kind):
            nearest = next((each for each in line if each in RULES), None)
            return instance_readable(kind, value.__self__, name) or _hands_on(nearest, name, kind)
    return False


def _function_readable(value: FunctionType, name: str) -> bool:
    return exact_name(name) in _DESCRIPTIVE or (
        is_program_function(value) and not is_special(name) and name in vars(value)
    )


def is_program_function(value: object) -> bool:
    """Whether this is a function that the program itself defined."""
    return isinstance(value, FunctionType) and value.__code__.co_filename == PROGRAM_FILE


_TUPLE_INSIDES = ("_asdict", "_field_defaults", "_fields", "_make", "_replace")
"""What Python's named tuples have and PyTorch's have not."""


def _refusal(value: Any, name: str) -> Exception:
    if value is None:
        return errors.python.NONE_ATTRIBUTE(message=f"'NoneType' object has no attribute '{name}'", name=name)
    owner: str = value.__name__ if isinstance(value, Module | type) else type_name(value)
    inside = owner.startswith("torch.return_types.") and name in _TUPLE_INSIDES
    if not inside and exists(owner, name) and type(value) not in _program_classes:
        return errors.NOT_PROVIDED(name=f"{owner}.{name}", value=value)
    if isinstance(value, Module):
        return value._refusal(name)
    if isinstance(value, type):
        if name in vars(type) or owner_of(value, name) is not None:
            return errors.ATTRIBUTE_REFUSED(type=owner, name=name)
        return errors.NO_TYPE_ATTRIBUTE(type=owner, name=name, value=value)
    if not inside and (owner_of(type(value), name) is not None or name in getattr(value, "__dict__", ())):
        return errors.ATTRIBUTE_REFUSED(type=owner, name=name, **details_of_attribute(owner, name))
    if name in COMPILED and callable(value):
        return errors.NO_COMPILED_FORM(type=owner, name=name)
    return errors.NO_ATTRIBUTE(type=owner, name=name, value=value)


def readable_names(value: object) -> Iterator[str]:
    """The names that a program may read, for "did you mean"."""
    if isinstance(value, Module):
        yield from value.names()
        return
    for name in dir(value if isinstance(value, type) else type(value)):
        if is_public(name) and is_readable(value, name):
            yield name


# ---- writing


def write_attribute(value: Any, name: str, new: object, /) -> None:
    """``value.name = new``."""
    write = SPECIAL_WRITERS.get(exact_name(name))
    if (write is None or not write(value, name, new)) and not added_names.add(value, name, new):
        check_writable(value, name)
        write_over(setattr, value, name, new)


def delete_attribute(value: Any, name: str, /) -> None:
    """``del value.name``."""
    check_writable(value, name)
    write_over(delattr, value, name)


def check_writable(value: Any, name: str) -> None:
    """Raises where the program may not write an attribute."""
    if not _is_writable(value, exact_name(name)):
        raise _write_refusal(value, name) if is_readable(value, name) else _refusal(value, name)


def _write_refusal(value: object, name: str) -> Exception:
    if type_name(value).startswith("torch.return_types.") and name in getattr(value, "_fields", ()):
        return errors.RESULT_FIELD()
    if exists(type_name(value), name) or (name.startswith("_") and type_name(value) == "Tensor"):
        return errors.NOT_WRITABLE(name=name)
    return errors.READ_ONLY(type=type_name(value), name=name)


def _is_writable(value: object, name: str) -> bool:
    if is_special(name) or name in TABLES:
        return False
    if isinstance(value, type):
        return value in _program_classes and not is_closed(value, name, below=True)
    if isinstance(value, FunctionType):
        return is_program_function(value)
    if isinstance(value, Module):
        return value._is_extended()
    return takes(type(value), name)


def takes(cls: type, name: str) -> bool:
    """Whether objects of this class take a name, none of Python's own, from the program."""
    own, owner = cls in _program_classes, owner_of(cls, name)
    if own and (owner is None or owner in _program_classes) and not is_closed(cls, name):
        return True
    kept = own and is_closed(cls, name, by_bases=False)
    return not kept and next((RULES[c].writable(name) for c in cls.__mro__ if c in RULES), False)


class Writer:
    """Takes the place of the object before the dot where an attribute is written: ``<write>(x).name = value``."""

    __slots__ = ("_target",)

    def __init__(self, target: object) -> None:
        object.__setattr__(self, "_target", target)

    def __getattribute__(self, name: str) -> Any:
        return read_attribute(target_of(self), name)

    def __setattr__(self, name: str, value: object) -> None:
        write_attribute(target_of(self), name, value)

    def __delattr__(self, name: str) -> None:
        delete_attribute(target_of(self), name)


target_of: Callable[[Writer], Any] = Writer.__dict__["_target"].__get__


# ---- classes of the program


def is_open(base: object) -> bool:
    """Whether programs may derive classes from this."""
    if not isinstance(base, type):
        return False
    return _is_base(base) or base in _program_classes or issubclass(base, BaseException)


def _is_base(cls: type) -> bool:
    rules = RULES.get(cls)
    return rules is not None and rules.subclass


def is_copyable(cls: type) -> bool:
    """Whether ``copy`` and ``deepcopy`` take objects of this type: those of open classes, and what was allowed."""
    return is_open(cls) or any(c in RULES and RULES[c].copyable for c in cls.__mro__)


def adopt(cls: type) -> None:
    """From now on this is a class of the program. Raises RuntimeError for one that the engine or the library made."""
    if cls in RULES or cls.__module__ != "__main__":
        raise errors.CALL_REFUSED(name="a class that is none of the program's")
    _program_classes.add(cls)
    STATE.classes.append(cls)


disown: Final = _program_classes.discard  # this class is none of the program's after all
is_program_class: Final[Callable[[object], bool]] = _program_classes.__contains__
"""Whether the program itself defined this class."""


allow(Module)
allow(Alternatives)
