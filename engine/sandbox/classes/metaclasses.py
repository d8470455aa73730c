"""Metaclasses of the program's own: ``class Registry(type)``.

They derive from guarded classes that stand for ``type`` and ``ABCMeta``. However a class is made through them, by a
class statement, by a call or by ``super().__new__``, its bases and its names pass the same checks as in a plain class
statement, and it belongs to the program before anything of the program sees it.
"""

from __future__ import annotations

import abc
import functools
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox import gate
from gradflow.engine.sandbox.classes.class_statements import made
from gradflow.engine.sandbox.gate import NOT_SPECIAL, exact_name, is_program_class, type_name
from gradflow.engine.sandbox.program_classes import check_bases, metaclasses, register_class, shield_getattr, stands_for
from gradflow.engine.sandbox.rules import CLOSED
from gradflow.engine.sandbox.special_names import METADATA, METHODS, TABLES, is_bindable, is_special

_STATEMENT: Final = frozenset(
    {
        "__module__",
        "__qualname__",
        "__doc__",
        "__annotations__",
        "__classcell__",
        "__slots__",
        "__orig_bases__",
        "__firstlineno__",
        "__static_attributes__",
    }
)
"""What a class statement itself puts among the names of a class."""
_TEXTS: Final = ("__module__", "__qualname__")


class Metaclass(type):
    """What ``type`` is as a base: it makes classes as a class statement may."""

    def __new__(mcs, name: Any, bases: Any, content: Any, /, **keywords: Any) -> Any:
        if not is_program_class(mcs):
            raise errors.CALL_REFUSED(name=f"__new__ of {mcs.__name__}")
        maker = super().__new__
        name, bases, content = _checked(name, bases, content)
        return register_class(made(functools.partial(maker, mcs), name, bases, content, **keywords))

    def __init__(cls, name: Any, bases: Any, content: Any, /, **keywords: Any) -> None:
        pass

    def __call__(cls, /, *arguments: Any, **keywords: Any) -> Any:
        return super().__call__(*arguments, **keywords)


class AbstractMetaclass(Metaclass, abc.ABCMeta):
    """What ``ABCMeta`` is as a base."""


def _checked(name: Any, bases: Any, content: Any) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
    """The arguments of ``type()``, if a class statement could have had them."""
    if type(bases) is not tuple or type(content) is not dict:
        raise errors.CALL_REFUSED(name="a class of bases that are no tuple, or of names that are no dictionary")
    if any(not isinstance(base, type) for base in check_bases(*bases)):
        raise errors.CALL_REFUSED(name="a class of something that is no class")
    names = {exact_name(each): value for each, value in content.items()}
    for each in names:
        if each in TABLES or each == "mro" or (is_special(each) and each not in METHODS | METADATA | _STATEMENT):
            raise errors.CALL_REFUSED(name=f"a class with {each}")
    for each in _TEXTS:
        if each in names:
            names[each] = exact_name(names[each])
    if "__annotations__" in names:
        names["__annotations__"] = _annotations(names["__annotations__"])
    if "__getattr__" in names:
        names["__getattr__"] = shield_getattr(names["__getattr__"])
    return exact_name(name), check_bases(*bases), {**names, "__module__": "__main__"}


def _annotations(given: Any) -> dict[str, Any]:
    """Annotations under names that a statement could have given: ``dataclass`` writes programs of these names."""
    if type(given) is not dict or not all(map(is_bindable, given)):
        raise errors.CALL_REFUSED(name="a class with other __annotations__ than names")
    return dict(given)


_ASKED: Final = ("mro", "__hash__", "__eq__", "__ne__", "__setattr__", "__delattr__")
"""What Python and the engine ask of classes themselves: to find names, to look classes up, to write into them."""


def _check_metaclass_body(cls: type) -> None:
    """A metaclass does not choose where names are looked for, nor which classes are the same."""
    for name in _ASKED:
        if name in vars(cls):
            raise errors.CALL_REFUSED(name=f"a metaclass with {name}")


_THROUGH_TYPE: Final = ("__new__", "__init__", "__call__")


def _of_type(value: Any, name: str) -> Any:
    """``type.__new__(cls, ...)`` and its like, as a metaclass of the program calls them."""
    if value is not gate.Type:
        return NOT_SPECIAL

    def call(cls: Any, *arguments: Any, **keywords: Any) -> Any:
        if not (isinstance(cls, type) and issubclass(cls if name == "__new__" else type(cls), Metaclass)):
            raise errors.CALL_REFUSED(name=f"type.{name}() of {type_name(cls)}")
        owner = AbstractMetaclass if issubclass(cls if name == "__new__" else type(cls), abc.ABCMeta) else Metaclass
        method: Any = {"__new__": owner.__new__, "__init__": owner.__init__, "__call__": owner.__call__}[name]
        return method(cls, *arguments, **keywords)

    return call


def _registering(value: Any, name: str) -> Any:
    """``Shape.register``, of an abstract class that derives from classes of the program alone: it takes classes of the program."""
    if not (isinstance(value, type) and is_program_class(value) and issubclass(type(value), abc.ABCMeta)):
        return NOT_SPECIAL
    kind: Any = type(value)  # whose `__mro__` type checkers take for that of `type`
    own = (*value.__mro__, *(each for each in kind.__mro__ if is_program_class(each)))
    if any(name in vars(each) for each in own):
        return NOT_SPECIAL
    if not all(base in (object, abc.ABC) or is_program_class(base) for base in value.__mro__):
        return NOT_SPECIAL

    abstract: Any = value

    def register(subclass: Any) -> Any:
        if not (isinstance(subclass, type) and is_program_class(subclass)):
            raise errors.CALL_REFUSED(name=f"register() of {type_name(subclass)}")
        return abc.ABCMeta.register(abstract, subclass)

    return register


def _register() -> None:
    for cls, behind in ((Metaclass, type), (AbstractMetaclass, abc.ABCMeta)):
        cls.__module__, cls.__name__, cls.__qualname__ = "builtins", behind.__name__, behind.__name__
        gate.allow(cls, subclass=True)
        metaclasses[cls] = _check_metaclass_body
        CLOSED[cls] = _ASKED.__contains__
    stands_for[type] = Metaclass
    stands_for[abc.ABCMeta] = AbstractMetaclass
    gate.read_special_by(_THROUGH_TYPE, _of_type)
    gate.read_special_by(("register",), _registering)


_register()
