"""``dataclasses``, and ``namedtuple`` of ``collections``: classes that Python's library writes for the program."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Iterable
from types import MappingProxyType
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox.gate import adopt, allow, is_program_class, type_name

_FUNCTIONS: Final = "asdict astuple fields replace"
_MAPPING: Final = "copy get items keys values"
_CHAIN: Final = "clear fromkeys maps new_child parents pop setdefault update"
_FIELD: Final = "compare default default_factory hash init kw_only metadata name repr type"


def _dataclass(cls: Any = None, /, **options: Any) -> Any:
    """``dataclasses.dataclass``, for classes of the program."""
    if cls is None:
        return lambda kind: _dataclass(kind, **options)
    if not (isinstance(cls, type) and is_program_class(cls)):
        raise errors.CALL_REFUSED(name=f"dataclass of {type_name(cls)}")
    made: type = dataclasses.dataclass(**options)(cls)
    adopt(made)
    return made


def _of_program(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that looks into all fields of an object, for those of the program."""

    def looked(obj: Any, /, *given: Any, **named: Any) -> Any:
        kind = obj if isinstance(obj, type) else type(obj)
        if dataclasses.is_dataclass(kind) and not is_program_class(kind):
            raise errors.CALL_REFUSED(name=f"{function.__name__}() of {type_name(obj)}")
        return function(obj, *given, **named)

    looked.__name__ = looked.__qualname__ = function.__name__
    return looked


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
    return made


def members() -> dict[str, dict[str, object]]:
    """The modules by name."""
    functions = {name: _of_program(getattr(dataclasses, name)) for name in _FUNCTIONS.split()}
    return {
        "dataclasses": {
            **functions,
            "is_dataclass": dataclasses.is_dataclass,
            "field": dataclasses.field,
            "dataclass": _dataclass,
            "MISSING": dataclasses.MISSING,
            "KW_ONLY": dataclasses.KW_ONLY,
            "InitVar": dataclasses.InitVar,
            "FrozenInstanceError": dataclasses.FrozenInstanceError,
        },
        "collections": {
            **{name: getattr(collections, name) for name in ("Counter", "OrderedDict", "defaultdict", "deque")},
            "ChainMap": collections.ChainMap,
            "namedtuple": _namedtuple,
        },
    }


def _register() -> None:
    allow(dataclasses.Field, _FIELD.split())
    allow(MappingProxyType, _MAPPING.split())
    allow(collections.ChainMap, f"{_MAPPING} {_CHAIN}".split(), subclass=True)


_register()
