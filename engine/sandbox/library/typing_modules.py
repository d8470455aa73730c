"""``typing``, ``collections.abc`` and ``numbers``: names to annotate with, and classes to derive from."""

from __future__ import annotations

import collections.abc
import numbers
import typing
from typing import Any, Final, NoReturn

from gradflow.engine.ordered_dict import OrderedDict
from gradflow.engine.sandbox.classes.kept_whole import MEMORY
from gradflow.engine.sandbox.gate import NOT_SPECIAL, Type, adopt, allow, is_program_class, read_special_by
from gradflow.engine.sandbox.library.data_classes import exact_names
from gradflow.engine.sandbox.program_classes import Replaced
from gradflow.engine.sandbox.stand_ins import OpaqueType, TypeOf

_NAMES: Final = (
    "Annotated Any AnyStr Callable ClassVar Collection Concatenate Container Counter DefaultDict Deque Dict Final"
    " FrozenSet Generator Generic Hashable Iterable Iterator List Literal LiteralString Mapping MutableMapping"
    " MutableSequence MutableSet Never NewType NoReturn Optional ParamSpec Protocol Reversible Self"
    " Sequence Set Sized SupportsAbs SupportsFloat SupportsIndex SupportsInt TYPE_CHECKING Text Tuple Type TypeAlias"
    " TypeGuard TypeVar TypeVarTuple Union Unpack assert_never assert_type cast final get_args get_origin no_type_check"
    " overload reveal_type runtime_checkable AbstractSet AsyncGenerator AsyncIterable AsyncIterator Awaitable BinaryIO"
    " ContextManager Coroutine IO ItemsView KeysView Match NotRequired Pattern Required SupportsBytes SupportsComplex"
    " SupportsRound TextIO ValuesView AsyncContextManager ChainMap MappingView is_typeddict"
)
_ABC: Final = (
    "Callable Collection Container Generator Hashable Iterable Iterator Mapping MutableMapping MutableSequence"
    " MutableSet Reversible Sequence Set Sized AsyncGenerator AsyncIterable AsyncIterator Awaitable Coroutine ItemsView KeysView"
    " MappingView ValuesView"
)
_MIXINS: Final = (
    "add append clear count discard extend get index insert isdisjoint items keys pop popitem remove reverse setdefault"
    " update values"
)


class _NamedTuple(Replaced):
    """``NamedTuple``: in the head of a class, or called with names and types."""

    __slots__ = ()

    def __call__(self, typename: str, fields: Any) -> type:
        names = exact_names([name for name, _ in fields])
        make: Any = typing.NamedTuple
        made: type = make(str.__str__(typename), [(n, t) for n, (_, t) in zip(names, fields, strict=True)])
        made.__module__ = "__main__"
        adopt(made)
        return made


def _bases_of(stand_in: Any) -> tuple[object, ...]:
    """What stands for `NamedTuple` or `TypedDict` among the bases of a class."""
    bases: tuple[object, ...] = stand_in.__mro_entries__((stand_in,))
    return bases


def _origin(tp: Any) -> Any:
    """``get_origin``; `type` itself, of ``Type[int]``, can make classes."""
    origin = Type if type(tp) is TypeOf else typing.get_origin(tp)
    return Type if isinstance(origin, type) and issubclass(origin, type) else origin


def _arguments(tp: Any) -> Any:
    """``get_args``."""
    return (tp.kind,) if type(tp) is TypeOf else typing.get_args(tp)


def _of_alias(value: Any, name: str) -> Any:
    """``__origin__`` and ``__args__`` of ``type[int]``, as `typing` tells them."""
    if type(value) is not TypeOf:
        return NOT_SPECIAL
    return _origin(value) if name == "__origin__" else _arguments(value)


def _unmarked(arg: Any) -> Any:
    """``final`` and ``no_type_check``, which leave a mark on what they are given, without the mark, and ``reveal_type``, which writes to the
    error stream of the process, without that."""
    return arg


def _dataclass_transform(**options: Any) -> Any:
    """``dataclass_transform``, which leaves a mark, too."""
    return _unmarked


def _overload(func: Any) -> Any:
    """``overload``, which keeps what it is given for as long as the process lives, without that."""
    return _overloaded


def _overloaded(*args: Any, **kwds: Any) -> NoReturn:
    raise NotImplementedError(
        "You should not call an overloaded function. A series of @overload-decorated functions outside a stub module should"
        " always be followed by an implementation that is not @overload-ed."
    )


def _runtime_checkable(cls: Any) -> Any:
    return typing.runtime_checkable(cls) if isinstance(cls, type) and is_program_class(cls) else cls


_GUARDED: Final[dict[str, Any]] = {
    "OrderedDict": OrderedDict, "dataclass_transform": _dataclass_transform,
    "get_origin": _origin, "get_args": _arguments, "overload": _overload, "final": _unmarked, "no_type_check": _unmarked, "reveal_type": _unmarked, "runtime_checkable": _runtime_checkable,
}  # fmt: skip


def members() -> dict[str, dict[str, object]]:
    """The modules by name."""
    names = {name: getattr(typing, name) for name in _NAMES.split()}
    statements = {
        "NamedTuple": _NamedTuple(*_bases_of(typing.NamedTuple)),
        "TypedDict": Replaced(*_bases_of(typing.TypedDict)),
    }
    further = {"override": _unmarked, "deprecated": lambda message, **options: _unmarked, "runtime": _runtime_checkable}
    return {
        "typing": {
            **names,
            **_GUARDED,
            **statements,
        },
        "typing_extensions": {**names, **_GUARDED, **statements, **further},
        "collections.abc": {name: getattr(collections.abc, name) for name in _ABC.split()},
        "numbers": {
            name: OpaqueType(getattr(numbers, name)) for name in ("Number", "Real", "Integral", "Complex", "Rational")
        },
    }


def _register() -> None:
    read_special_by(("__origin__", "__args__"), _of_alias)
    for name in _ABC.split():
        cls = getattr(collections.abc, name)
        allow(cls, [each for each in _MIXINS.split() if hasattr(cls, each)], subclass=True)
    allow(typing.Protocol, subclass=True)
    allow(typing.TypeVar, ("__name__",))
    allow(typing.ParamSpec, ("__name__", "args", "kwargs"))
    passed_over = getattr(typing, "EXCLUDED_ATTRIBUTES", None)
    if isinstance(
        passed_over, list
    ):  # of Python 3.11, which counts what the gate puts into a class as a member of a Protocol
        passed_over += ["__array__", "__array_ufunc__", *MEMORY]


_register()
