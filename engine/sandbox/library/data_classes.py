"""``dataclasses``, and ``namedtuple`` of ``collections``: classes that Python's library writes for the program."""

from __future__ import annotations

import abc
import collections
import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, ClassVar, Final

from gradflow.engine import errors
from gradflow.engine.ordered_dict import OrderedDict
from gradflow.engine.sandbox.classes.gated_data_classes import LIBRARY, check_fields, own_fields
from gradflow.engine.sandbox.classes.kept_names import field_names, refuse_fields
from gradflow.engine.sandbox.classes.kept_whole import keep_whole
from gradflow.engine.sandbox.classes.own_names import may_have_defaults
from gradflow.engine.sandbox.classes.written_through import WrittenThrough
from gradflow.engine.sandbox.gate import adopt, allow, class_makers, is_program_class, read_attribute, type_name
from gradflow.engine.sandbox.library import user_collections
from gradflow.engine.sandbox.library.copies import deepcopy
from gradflow.engine.sandbox.program_classes import metaclasses
from gradflow.engine.sandbox.rules import derived, show_copies
from gradflow.engine.sandbox.special_names import is_bindable
from gradflow.engine.sandbox.stand_ins import OpaqueType

_MAPPING: Final = "copy get items keys values"
_CHAIN: Final = "clear fromkeys maps new_child parents pop setdefault update"
_MARKER: Final = re.compile(r"\s*(?:\w+\s*\.)?\s*(ClassVar|InitVar|KW_ONLY)\b")
_MARKERS: Final = {"ClassVar": ClassVar, "InitVar": dataclasses.InitVar, "KW_ONLY": dataclasses.KW_ONLY}
_FIELD: Final = "compare default default_factory hash init kw_only name repr type"


def _dataclass(cls: Any = None, /, **options: Any) -> Any:
    """``dataclasses.dataclass``, for classes of the program."""
    if cls is None:
        return lambda kind: _dataclass(kind, **options)
    options = {name: bool(value) for name, value in options.items()}  # asked once, for what is asked twice may change
    if not (isinstance(cls, type) and is_program_class(cls)):
        raise errors.CALL_REFUSED(name=f"dataclass of {type_name(cls)}")
    if issubclass(cls, tuple(metaclasses)):  # what is written for it sets names that such a class keeps for itself
        raise errors.CALL_REFUSED(name="a dataclass that is derived from Tensor, Parameter or type")
    if not all(map(is_bindable, vars(cls).get("__annotations__", ()))):  # the library writes a program of these names
        raise errors.CALL_REFUSED(name="a dataclass with fields of other names")
    refuse_fields(cls, vars(cls).get("__annotations__", ()))
    if type.__subclasses__(cls):  # whose bases may have what becomes a field
        raise errors.CALL_REFUSED(name="a dataclass of a class that others derive from already")
    if type(cls) not in (type, abc.ABCMeta) and any(options.get(name) for name in ("slots", "weakref_slot")):
        # of which the library makes another class, by asking a metaclass that may answer with any
        raise errors.CALL_REFUSED(name="a dataclass with slots and a metaclass")
    own_fields(cls)
    with _markers_read(vars(cls).get("__annotations__")):
        made: type = LIBRARY.dataclass(**options)(cls)
    check_fields(made)
    adopt(made)
    for each in {*derived(cls), *derived(made)}:  # which the program's code can have made meanwhile
        refuse_fields(each, field_names(each))
    return made


def _make_dataclass(cls_name: Any, fields: Any, *, bases: Any = (), namespace: Any = None, **options: Any) -> Any:
    """``dataclasses.make_dataclass``: the class statement that it stands for, made a dataclass."""
    content: dict[str, Any] = dict(namespace or {})
    annotations: dict[str, Any] = {}
    for each in fields:
        name, *rest = (each,) if isinstance(each, str) else each
        exact = exact_names([name])[0]
        if exact in annotations:
            raise TypeError(f"Field name duplicated: {exact!r}")
        annotations[exact] = rest[0] if rest else "typing.Any"
        content |= {exact: rest[1]} if len(rest) > 1 else {}
    made = class_makers[0](str.__str__(cls_name), tuple(bases), content)
    type.__setattr__(made, "__annotations__", annotations)
    return _dataclass(made, **options)


@contextmanager
def _markers_read(annotations: Any) -> Iterator[None]:
    """``ClassVar``, ``InitVar`` and ``KW_ONLY`` in annotations that are texts, as ``from __future__ import annotations`` has them.

    The library would look for these names in the module of the class, which a program has not.
    """
    texts = {}
    if type(annotations) is dict:
        texts = {name: text for name, text in annotations.items() if type(text) is str and _MARKER.match(text)}
        annotations.update({name: _MARKERS[_MARKER.match(text)[1]] for name, text in texts.items()})  # type: ignore[index]  # it matched
    try:
        yield
    finally:
        if texts:
            annotations.update(texts)


def _of_program(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that looks into all fields of an object, for those of the program."""

    def looked(obj: Any, /, *given: Any, **named: Any) -> Any:
        kind = obj if isinstance(obj, type) else type(obj)
        if dataclasses.is_dataclass(kind) and not is_program_class(kind):
            raise errors.CALL_REFUSED(name=f"{function.__name__.lstrip('_')}() of {type_name(obj)}")
        return function(obj, *given, **named)

    looked.__name__ = looked.__qualname__ = function.__name__.lstrip("_")
    return looked


def _replace(obj: Any, /, **changes: Any) -> Any:
    """``dataclasses.replace``."""
    if dataclasses.is_dataclass(obj) and not isinstance(obj, type):
        kept = [field.name for field in dataclasses.fields(obj) if field.init and field.name not in changes]
        changes |= {name: read_attribute(obj, name) for name in kept}
    return LIBRARY.replace(obj, **changes)


def _instance(obj: Any, function: str) -> Any:
    if isinstance(obj, type) or not dataclasses.is_dataclass(obj):
        raise TypeError(f"{function}() should be called on dataclass instances")
    return obj


def _asdict(obj: Any, *, dict_factory: Callable[[list[Any]], Any] = dict) -> Any:
    """``dataclasses.asdict``."""

    def of_fields(each: Any) -> Any:
        return dict_factory([(name, _inside(value, of_fields)) for name, value in _values(each)])

    return of_fields(_instance(obj, "asdict"))


def _astuple(obj: Any, *, tuple_factory: Callable[[list[Any]], Any] = tuple) -> Any:
    """``dataclasses.astuple``."""

    def of_fields(each: Any) -> Any:
        return tuple_factory([_inside(value, of_fields) for _, value in _values(each)])

    return of_fields(_instance(obj, "astuple"))


def _values(obj: Any) -> list[tuple[str, Any]]:
    return [(field.name, read_attribute(obj, field.name)) for field in dataclasses.fields(obj)]


def _inside(value: Any, of_fields: Callable[[Any], Any]) -> Any:
    """A value of a field: data classes within lists, tuples and dictionaries become what their owner becomes."""
    cls = type(value)
    if dataclasses.is_dataclass(cls):
        return of_fields(value)
    if isinstance(value, tuple) and hasattr(cls, "_fields"):
        return cls(*[_inside(each, of_fields) for each in value])
    if isinstance(value, list | tuple):
        return cls(_inside(each, of_fields) for each in value)
    if isinstance(value, dict):
        pairs = [(_inside(key, of_fields), _inside(each, of_fields)) for key, each in value.items()]
        if type(value) is collections.defaultdict:
            return collections.defaultdict(value.default_factory, pairs)
        return dict(pairs) if isinstance(value, WrittenThrough) else cls(pairs)
    return deepcopy(value)


def exact_names(names: str | Iterable[object]) -> str | list[str]:
    """Names as exact strings: a subclass could answer the checks of the library as it likes."""
    if isinstance(names, str):
        return str.__str__(names)
    return [str.__str__(name) if isinstance(name, str) else _not_a_name(name) for name in names]


def _not_a_name(name: object) -> str:
    raise TypeError(f"Type names and field names must be strings: {type_name(name)}")


def _namedtuple(
    typename: str,
    field_names: Any,
    *,
    rename: bool = False,
    defaults: Iterable[object] | None = None,
    module: str | None = None,
) -> type:
    """``collections.namedtuple``."""
    name = str.__str__(typename)
    make: Callable[..., type] = collections.namedtuple  # mypy would make the class itself
    made = make(name, exact_names(field_names), rename=rename, defaults=defaults, module="__main__")
    adopt(made)
    may_have_defaults(made)
    return made


def members() -> dict[str, dict[str, object]]:
    """The modules by name."""
    functions = {
        function.__name__.lstrip("_"): _of_program(function)
        for function in (dataclasses.fields, _replace, _asdict, _astuple)
    }
    return {
        "dataclasses": {
            **functions,
            "is_dataclass": dataclasses.is_dataclass,
            "field": dataclasses.field,
            "dataclass": _dataclass,
            "MISSING": dataclasses.MISSING,
            "KW_ONLY": dataclasses.KW_ONLY,
            "Field": OpaqueType(dataclasses.Field),
            "make_dataclass": _make_dataclass,
            "InitVar": dataclasses.InitVar,
            "FrozenInstanceError": dataclasses.FrozenInstanceError,
        },
        "collections": {
            **user_collections.MEMBERS,
            **{name: getattr(collections, name) for name in ("Counter", "defaultdict", "deque")},
            "OrderedDict": OrderedDict,
            "ChainMap": collections.ChainMap,
            "namedtuple": _namedtuple,
        },
    }


def _register() -> None:
    allow(dataclasses.Field, _FIELD.split())
    show_copies(dataclasses.Field, ("metadata",))
    allow(MappingProxyType, _MAPPING.split())
    keep_whole(collections.ChainMap)
    allow(collections.ChainMap, f"{_MAPPING} {_CHAIN}".split(), subclass=True)


_register()
