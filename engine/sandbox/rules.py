"""What programs may do with the values of each type: one `Rules` record a type, entered by `allow`.

`gradflow.engine.sandbox.gate` decides by these records. The names that can always be read stand in a table of their own,
for every attribute that a program reads is looked up there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from types import MappingProxyType, MethodType
from typing import Any, Final

from gradflow.engine.sandbox.classes.kept_whole import have_no_memory


def _never(name: str) -> bool:
    return False


@dataclass(slots=True)
class Rules:
    """Of one type, for its instances and those of its subclasses that have no rules of their own. See `allow`."""

    readable: Callable[[object, str], bool] | None
    of_class: Callable[[object, str], bool] | None
    writable: Callable[[str], bool]
    subclass: bool
    shown_as: object | None
    called: Callable[[Any], str] | None
    typed: Callable[[Any], object] | None
    copyable: bool


READABLE: Final[dict[type, frozenset[str]]] = {}
RULES: Final[dict[type, Rules]] = {}
SPECIAL_READERS: Final[dict[str, Callable[[Any, str], Any]]] = {}
CLOSED: Final[dict[type, Callable[[str], bool]]] = {}
"""Of types from which programs derive: the names that no such class and none of its objects takes from a program."""
KEEPERS: Final[list[Callable[[type, str], bool]]] = []
"""What also decides that about a class and a name; see `gradflow.engine.sandbox.classes.kept_names`."""
DELETED: Final[list[Callable[[type, str], bool]]] = []
"""What tells whether a class must not lose what it has under a name."""
SPECIAL_WRITERS: Final[dict[str, Callable[[Any, str, Any], bool]]] = {}
"""What writes a special attribute: True where it has, False where the attribute is to be treated like any other."""
_method_readers: list[tuple[tuple[type, ...], Callable[[MethodType, str], object]]] = []

NOT_SPECIAL: Final = object()
"""What a reader of `read_special_by` gives where the attribute is to be treated like any other."""


def is_public(name: str) -> bool:
    """Whether a name begins without an underscore."""
    return not str.startswith(name, "_")


def allow(
    cls: type,
    names: Collection[str] = (),
    *,
    readable: Callable[[object, str], bool] | None = None,
    of_class: Callable[[object, str], bool] | None = None,
    writable: Callable[[str], bool] | Collection[str] = _never,
    subclass: bool = False,
    shown_as: object | None = None,
    called: Callable[[Any], str] | None = None,
    typed: Callable[[Any], object] | None = None,
    copyable: bool = False,
) -> None:
    """Register what programs may do with the instances of a type, and of its subclasses that are not registered.

    ``names`` can be read (and called). ``readable(object, name)`` decides about what an object itself holds, and is never
    asked about a name that a class of the engine's or the library's has: Python would read it there. About these
    ``of_class(object, name)`` decides. ``writable`` can be set and deleted. ``subclass``: programs may derive classes from it. ``shown_as``: what ``type(x)`` gives; by default the
    type itself where ``subclass`` is set, else an `OpaqueType`. ``called(object)`` is the name of its type in messages,
    where that is not the name of the class; ``typed(object)`` is what ``type(x)`` gives where that differs by object.
    ``copyable``: ``copy.copy`` and ``copy.deepcopy`` take it.
    """
    may_write = writable if callable(writable) else frozenset(writable).__contains__
    shown = cls if shown_as is None and subclass else shown_as
    if subclass:
        have_no_memory(cls)
    READABLE[cls] = frozenset(names)
    RULES[cls] = Rules(readable, of_class, may_write, subclass, shown, called, typed, copyable)


def forget(cls: type) -> None:
    """Undo `allow`."""
    READABLE.pop(cls, None)
    RULES.pop(cls, None)


def read_special_by(names: Collection[str], reader: Callable[[Any, str], Any]) -> None:
    """Give these special attributes in another form than Python's: ``reader(value, name)``; the last reader is asked first."""
    for name in names:
        SPECIAL_READERS[name] = _asked_before(SPECIAL_READERS.get(name), reader)


def _asked_before(
    later: Callable[[Any, str], Any] | None, reader: Callable[[Any, str], Any]
) -> Callable[[Any, str], Any]:
    if later is None:
        return reader

    def read(value: Any, name: str) -> Any:
        found = reader(value, name)
        return later(value, name) if found is NOT_SPECIAL else found

    return read


def show_copies(cls: type, names: Collection[str]) -> None:
    """Give these attributes, which are views of dictionaries, as views of copies.

    A view hands its dictionary itself to the ``__eq__`` and the ``__ror__`` of what it is compared and joined with.
    """
    read_special_by(names, lambda value, name: _copied(getattr(value, name)) if isinstance(value, cls) else NOT_SPECIAL)


def _copied(view: Any) -> Any:
    return MappingProxyType(view.copy()) if type(view) is MappingProxyType else view


def write_special_by(names: Collection[str], writer: Callable[[Any, str, Any], bool]) -> None:
    """Have these special attributes set by ``writer(value, name, new)``, which is asked before the tables."""
    SPECIAL_WRITERS.update(dict.fromkeys(names, writer))


def derived(cls: type) -> Iterator[type]:
    """A class, and all that derive from it."""
    yield cls
    below: list[type] = type.__subclasses__(cls)
    for each in below:
        yield from derived(each)


def is_closed(cls: type, name: str, *, by_bases: bool = True, below: bool = False) -> bool:
    """Whether this class keeps a name for itself: `KEEPERS` say so or, with ``by_bases``, a base does in `CLOSED`.

    below: or a class that derives from it does, in front of which it may stand.
    """
    if below:
        return any(is_closed(each, name, by_bases=by_bases) for each in derived(cls))
    closed = by_bases and any(base in CLOSED and CLOSED[base](name) for base in cls.__mro__)
    return closed or any(keeps(cls, name) for keeps in KEEPERS)


def read_methods_by(kinds: tuple[type, ...], reader: Callable[[MethodType, str], object]) -> None:
    """Give methods of these types that are not called but kept, compared or printed as ``reader(method, name)``."""
    _method_readers.append((kinds, reader))


def kept_method(value: object, method: MethodType, name: str) -> object:
    """A method of a value as a program sees it where it does not call it."""
    for kinds, reader in _method_readers:
        if isinstance(value, kinds):
            return reader(method, name)
    return method


def write_over(write: Callable[..., None], target: Any, name: str, *new: object) -> None:
    """Set or delete an attribute, by ``setattr`` or ``delattr``, holding what a class has had under the name.

    While Python takes it out of a class it still finds it there, and gives it to what runs at its end, as something that
    nobody holds.
    """
    if not new and isinstance(target, type) and any(needed(target, name) for needed in DELETED):
        raise TypeError(f"{target.__name__}.{name} is a field of a dataclass and cannot be deleted")
    before = vars(target).get(name) if isinstance(target, type) else None
    write(target, name, *new)
    del before


def exact_keywords(given: Any) -> Any:
    """The mapping of ``**given`` with exact strings for names: one of a class of the program's could be taken for one name and looked
    up as another. What is no mapping is given back, for Python to say so."""
    if type(given) is dict:
        if all(type(name) is str for name in given):
            return given
    elif not hasattr(given, "keys"):
        return given
    named: dict[Any, Any] = {}
    named.update(given)
    return {str.__str__(name) if isinstance(name, str) else name: value for name, value in named.items()}
