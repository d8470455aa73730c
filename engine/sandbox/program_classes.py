"""Classes of the program: what they may derive from, what they may define, and their special attributes.

A special method that a class defines is called by Python, and one that it inherits is called by the program. Those that
reach further than a plain attribute (``__setattr__``, ``__new__``, ``__dict__``) are therefore read in a guarded form: it
works on objects of the program's own classes, on names that a program may write, and on nothing else.
"""

from __future__ import annotations

import abc
import sys
import typing
from collections.abc import Callable, Iterable
from types import FrameType, MemberDescriptorType, MethodType
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox import gate
from gradflow.engine.sandbox.classes.absent import Absent
from gradflow.engine.sandbox.classes.array_marks import is_mark, refuse_objects
from gradflow.engine.sandbox.classes.generic_aliases import leave_parameters_out
from gradflow.engine.sandbox.classes.kept_names import refuse_kept
from gradflow.engine.sandbox.classes.raw_content import has, owner_of, put
from gradflow.engine.sandbox.classes.special_methods import open_objects
from gradflow.engine.sandbox.classes.written_through import WrittenThrough
from gradflow.engine.sandbox.gate import NOT_SPECIAL, exact_name, is_open, is_program_class, type_name
from gradflow.engine.sandbox.rules import RULES, SPECIAL_READERS, is_closed
from gradflow.engine.sandbox.special_names import TABLES, is_bindable, is_special, refused_in
from gradflow.engine.sandbox.stand_ins import OpaqueType
from gradflow.engine.state import STATE

_LIBRARY = (
    "__abstractmethods__ __annotate_func__ __annotations_cache__ __getnewargs__ __match_args__ __new__ __reduce_ex__"
    " __total__ __required_keys__ __optional_keys__ __readonly_keys__ __mutable_keys__ __callable_proto_members_only__"
    " __protocol_attrs__ __subclasshook__ __non_callable_proto_members__ __replace__ __closed__ __extra_items__"
    " __dataclass_fields__ __dataclass_params__"
)
_LIBRARY_NAMES: Final = frozenset(_LIBRARY.split())
"""Special names that the metaclasses of Python's library leave in a class."""
_ALIAS: Final = type(typing.List[int])  # noqa: UP006  # the alias itself is meant
_DICT: Final = "clear copy get items keys pop setdefault update values"
_Super: Any = super  # its attributes are unknown to type checkers
METACLASSES: Final[tuple[type, ...]] = (type, abc.ABCMeta)
_WITHOUT_CONTENT: Final = (typing.Generic, abc.ABC)
"""Bases that write nothing into an object."""

stands_for: Final[dict[type, type]] = {}
"""What programs derive from in place of ``type`` and its kin; see `gradflow.engine.sandbox.classes.metaclasses`."""
metaclasses: Final[dict[type, Callable[[type], None]]] = {}
"""The classes of classes from which programs may derive, and what is checked of a class that derives from one."""
mixed_into: Final[dict[type, Callable[[type], None]]] = {}
"""Those beside which other classes of the program stand as bases, and what is checked of these."""
ended_by: Final[dict[type, frozenset[str]]] = {}
"""The bases whose objects Python asks for these names as they end: no class of the program may have others under them."""


# -- a class statement -------------------------------------------------------------------------------------------------


def check_bases(*bases: object) -> tuple[object, ...]:
    """The bases of a class statement, if programs may derive from them."""
    bases = tuple(_in_place_of(base) for base in bases)
    for base in bases:
        if not (is_open(base) or _stands_for_open(base)):
            title = None if isinstance(base, type) else getattr(base, "title", None)
            name = title or getattr(base, "__name__", None) or type_name(base)
            kind = errors.DERIVED_TENSOR if name == "Tensor" else None
            raise kind(name=name) if kind else errors.CALL_REFUSED(name=f"a class derived from {name}")
    return bases


def _in_place_of(base: object) -> object:
    """A base as classes of programs can have it: ``type`` and ``ABCMeta`` in a guarded form, all others as they are."""
    base = base() if isinstance(base, Absent) else base
    kind = type if base is gate.Type else base.kind if isinstance(base, OpaqueType) else base
    return stands_for.get(kind, base) if isinstance(kind, type) else base


class Replaced:
    """Something that in the head of a class stands for other bases: ``NamedTuple``."""

    __slots__ = ("bases",)

    def __init__(self, *bases: object) -> None:
        self.bases = bases

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[object, ...]:
        return self.bases


def _stands_for_open(base: object) -> bool:
    if isinstance(base, Replaced):
        return True
    return type(base) in (_ALIAS, type(list[int])) and is_open(typing.get_origin(base))


def check_metaclass(given: object) -> type:
    """The metaclass of a class statement, if programs may use it."""
    kind = type if given is gate.Type else given.kind if isinstance(given, OpaqueType) else given
    if not isinstance(kind, type) or not (kind in METACLASSES or _is_own_metaclass(kind)):
        raise errors.CALL_REFUSED(name="a metaclass")
    return kind


def _is_own_metaclass(kind: type) -> bool:
    return is_program_class(kind) and issubclass(kind, tuple(metaclasses))


def register_class(cls: type) -> type:
    """Called on every class that the program defines, before its own decorators.

    What a metaclass of the program gives in place of a class that it made is passed on as it is.
    """
    if not is_program_class(cls) and not _is_fresh(cls):
        return cls
    for name in refused_in(cls):
        found = vars(cls)[name]
        left = (
            name in _LIBRARY_NAMES and type(found) is not MemberDescriptorType and not gate.is_program_function(found)
        )
        if not left and not is_mark(found):
            raise errors.CALL_REFUSED(name=f"a class with {name}")
    if not is_program_class(cls):
        refuse_kept(cls)
        for base, check_class in metaclasses.items():
            if issubclass(cls, base):
                _refuse_others(cls, base)
                check_class(cls)
        for base, names in ended_by.items():
            if issubclass(cls, base) and any(owner_of(cls, name) not in base.__mro__ for name in names):
                raise errors.CALL_REFUSED(name=f"a class derived from {base.__name__} with close()")
        refuse_objects(cls)
        _fix_slots(cls)
        gate.adopt(cls)
        try:
            leave_parameters_out(cls)
            if "__init_subclass__" in vars(cls):
                _register_subclasses(cls)
            if "__set_name__" in vars(cls):
                _register_owners(cls)
        except BaseException:
            gate.disown(cls)
            raise
        STATE.overriding = STATE.overriding or has(cls, "__torch_function__")
    return cls


def _refuse_others(cls: type, base: type) -> None:
    """The methods of what the library and the engine give as bases write into their objects, and another class of the program may
    have names that such a class keeps for itself. (None is written into it later: see `is_closed`.)"""
    for each in cls.__mro__:
        if issubclass(each, base) or each in base.__mro__ or each in _WITHOUT_CONTENT:
            continue
        own = is_program_class(each)
        if own and base in mixed_into and type(each) is type:
            mixed_into[base](each)
        elif own or each in RULES:
            raise errors.CALL_REFUSED(name=f"a class derived from {base.__name__} and {each.__name__}")


def _is_fresh(cls: object) -> bool:
    """Whether a class was made by this program just now: no other is at home in its module, or has rules of its own."""
    return isinstance(cls, type) and cls.__module__ == "__main__" and cls not in RULES


def _fix_slots(cls: type) -> None:
    """``__slots__`` as the class was made with: Python keeps what was given, which may change, and ``copy`` reads it again."""
    if "__slots__" in vars(cls):
        names = tuple(name for name, value in vars(cls).items() if type(value) is MemberDescriptorType)
        put(cls, "__slots__", names)


def shield_getattr(answer: Callable[[object, str], object]) -> Callable[[object, str], object]:
    """Keep Python and NumPy, which ask every object for special attributes, and bases, which ask for what they keep, from being
    answered by the program.

    The policy puts it around every ``__getattr__``, for instances can be made before the class is registered.
    """

    def __getattr__(self: object, name: str) -> object:
        if is_special(name) or name in TABLES or is_closed(type(self), name, by_bases=False):
            raise errors.NO_ATTRIBUTE(type=type_name(self), name=name)
        return answer(self, name)

    return __getattr__


def _register_subclasses(class_: type) -> None:
    """A subclass is the program's already when ``__init_subclass__`` is called with it."""
    hook = vars(class_)["__init_subclass__"]
    answer: Callable[..., None] = hook.__func__ if isinstance(hook, classmethod) else hook

    def __init_subclass__(cls: type, /, **keywords: object) -> None:
        register_class(cls)
        answer(cls, **keywords)

    put(class_, "__init_subclass__", classmethod(__init_subclass__))


def _register_owners(class_: type) -> None:
    """A class is the program's already when ``__set_name__`` is called with it."""
    hook: Any = vars(class_)["__set_name__"]

    def __set_name__(self: object, owner: type, name: str) -> None:
        register_class(owner)
        (hook.__get__(self, type(self)) if hasattr(hook, "__get__") else hook)(owner, name)

    put(class_, "__set_name__", __set_name__)


# -- special attributes ------------------------------------------------------------------------------------------------


def _shown(owner: object, name: str) -> object:
    """What an object has under a name, in the form in which a program reads it."""
    found = SPECIAL_READERS[name](owner, name) if name in SPECIAL_READERS else NOT_SPECIAL
    return vars(owner)[name] if found is NOT_SPECIAL else found


class _Attributes(WrittenThrough):
    """The attributes of an object of the program. What is put in becomes an attribute of it."""

    def __init__(self, owner: object) -> None:
        shown = (name for name in vars(owner) if gate.is_readable(owner, name))
        super().__init__({name: _shown(owner, name) for name in shown})
        self._owner = owner

    def __setitem__(self, name: str, value: object) -> None:
        gate.check_writable(self._owner, exact_name(name))
        vars(self._owner)[name] = value
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        gate.check_writable(self._owner, exact_name(name))
        super().__delitem__(name)
        del vars(self._owner)[name]


def attributes(value: object) -> dict[str, object]:
    """``vars(value)``. Raises where the object is not of a class of the program, or has no attributes of its own."""
    if not _shows_attributes(value):
        raise errors.CALL_REFUSED(name=f"vars() of {type_name(value)}")
    if not hasattr(value, "__dict__"):
        raise TypeError("vars() argument must have __dict__ attribute")
    return _Attributes(value)


def show_attributes_of(cls: type) -> None:
    """Have ``vars`` and ``__dict__`` show, and write, the attributes of a class's objects that the gate lets through."""
    open_objects.append(cls)


def _shows_attributes(value: object) -> bool:
    return is_program_class(type(value)) or issubclass(type(value), tuple(open_objects))


def _dictionary(value: Any, name: str) -> Any:
    if isinstance(value, gate.Module):
        return value.table()
    return attributes(value) if _shows_attributes(value) and hasattr(value, "__dict__") else NOT_SPECIAL


def _annotations(value: Any, name: str) -> Any:
    own = value.__func__ if type(value) is MethodType else value
    if gate.is_program_function(own) or (isinstance(own, type) and is_program_class(own)):
        return dict(own.__annotations__)
    return NOT_SPECIAL


def _line(value: Any, name: str) -> Any:
    """``__mro__`` and ``__bases__`` of a class of the program or of PyTorch, each class as ``type`` would show it.

    Classes of the engine's own, which are at home in no module of PyTorch's, are left out, and so are those of the library
    that have an open one of the same name before them.
    """
    if isinstance(value, type) and (
        is_program_class(value) or (is_open(value) and value.__module__.startswith("torch."))
    ):
        shown: list[object] = []
        stand_ins: set[tuple[str, str]] = set()
        for kind in getattr(value, name):
            title = kind.__module__, kind.__qualname__
            if is_open(kind):
                stand_ins.add(title)
            elif title in stand_ins or title[0].startswith("gradflow."):
                continue
            shown.append(kind if is_open(kind) else gate.shown_type(kind))
        return tuple(shown)
    return NOT_SPECIAL


def _chained(value: Any, name: str) -> Any:
    """``__cause__`` and ``__context__`` of an exception."""
    return getattr(value, name) if isinstance(value, BaseException) else NOT_SPECIAL


_listed: dict[type, Callable[[Any], Iterable[str]]] = {}


def _nothing(value: object) -> Iterable[str]:
    return ()


def list_names_by(cls: type, lister: Callable[[Any], Iterable[str]]) -> None:
    """Have ``dir`` of the instances of a class show what ``lister(value)`` gives beside the public names."""
    _listed[cls] = lister


def _names_at_hand() -> list[str]:
    """The names that the program has bound where it asks: those that a statement can spell."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_filename != gate.PROGRAM_FILE:
        frame = frame.f_back
    return [] if frame is None else sorted(name for name in frame.f_locals if is_bindable(name))


def names_of(*given: object) -> list[str]:
    """``dir(value)``, without the names that programs cannot read."""
    if not given:
        return _names_at_hand()
    if len(given) != 1:
        raise errors.CALL_REFUSED(name="dir() of several values")
    (value,) = given
    names = set(gate.readable_names(value.kind if isinstance(value, gate.OpaqueType) else value))
    names.update(next((_listed[kind] for kind in type(value).__mro__ if kind in _listed), _nothing)(value))
    if is_program_class(value if isinstance(value, type) else type(value)):
        names.update(object.__dir__(value) if not isinstance(value, type) else type.__dir__(value))
    return sorted(names)


def _without_object(*_: object, **__: object) -> None:
    """``super.__init__()``, whose brackets behind ``super`` are missing."""
    raise TypeError("descriptor '__init__' of 'super' object needs an argument")


def _unbound(value: Any, name: str) -> Any:
    """``super(Kind).__init__()``: a ``super`` without an object, whose constructor finds the object by itself."""
    if value is _Super:
        return _without_object
    unbound = type(value) is _Super and value.__self_class__ is None
    return (lambda: None) if unbound else NOT_SPECIAL


def _register() -> None:
    gate.read_special_by(("__init__",), _unbound)
    gate.read_special_by(("__dict__",), _dictionary)
    gate.read_special_by(("__annotations__",), _annotations)
    gate.read_special_by(("__cause__", "__context__", "__notes__", "__suppress_context__"), _chained)
    gate.read_special_by(("__mro__", "__bases__"), _line)
    gate.allow(_Attributes, _DICT.split(), shown_as=dict, copyable=True)
    gate.allow(typing.Generic, subclass=True)
    gate.allow(abc.ABC, subclass=True)


_register()
