"""What stands in a program for things that it may name but not take apart: types and modules."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final, NoReturn, Protocol

from gradflow.engine import errors
from gradflow.engine.state import STATE


class OpaqueType:
    """Stands for a type that programs may name but not call."""

    __slots__ = ("kind",)

    def __init__(self, cls: type) -> None:
        self.kind = cls

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, self.kind)

    def __subclasscheck__(self, subclass: Any) -> bool:
        return issubclass(subclass.kind if isinstance(subclass, OpaqueType) else subclass, self.kind)

    def __or__(self, other: Any) -> Alternatives:
        return Alternatives(self, other)

    def __ror__(self, other: Any) -> Alternatives:
        return Alternatives(other, self)

    def __repr__(self) -> str:
        return repr(self.kind)

    def __hash__(self) -> int:
        return hash(self.kind)

    def __eq__(self, other: object) -> bool:
        return other is self.kind or (isinstance(other, OpaqueType) and other.kind is self.kind)


class Alternatives:
    """``torch.Tensor | None``, to annotate with and for ``isinstance``. It does not give its types away."""

    __slots__ = ("_kinds",)

    def __init__(self, *kinds: Any) -> None:
        self._kinds = tuple(type(None) if kind is None else kind for kind in kinds)

    @property
    def kinds(self) -> tuple[Any, ...]:
        """The types, as they were given."""
        return self._kinds

    def __or__(self, other: Any) -> Alternatives:
        return Alternatives(*self._kinds, other)

    def __ror__(self, other: Any) -> Alternatives:
        return Alternatives(other, *self._kinds)

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, self._kinds)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Alternatives) and set(self._kinds) == set(other._kinds)

    def __hash__(self) -> int:
        return hash(frozenset(self._kinds))

    def __repr__(self) -> str:
        return " | ".join(_title(kind) for kind in self._kinds)


class TypeOf:
    """``type[int]``, to annotate with. An alias of Python's own would be called, and write into what it gives."""

    __slots__ = ("kind",)

    def __init__(self, kind: object) -> None:
        self.kind = kind

    def __call__(self, *arguments: object) -> NoReturn:
        raise errors.CALL_REFUSED(name=f"a call of {self!r}")

    def __or__(self, other: Any) -> Alternatives:
        return Alternatives(self, other)

    def __ror__(self, other: Any) -> Alternatives:
        return Alternatives(other, self)

    def __eq__(self, other: object) -> bool:
        return type(other) is TypeOf and other.kind == self.kind

    def __hash__(self) -> int:
        return hash((TypeOf, self.kind))

    def __repr__(self) -> str:
        name = getattr(self.kind, "__name__", None) if isinstance(self.kind, type) else None
        return f"type[{self.kind!r}]" if name is None else f"type[{name}]"


def _title(kind: Any) -> str:
    if kind is type(None):
        return "None"
    if type(kind) is TypeOf:
        return repr(kind)
    found = kind.kind if isinstance(kind, OpaqueType) else kind
    name = getattr(found, "__qualname__", repr(found))
    module = getattr(found, "__module__", "builtins")
    return name if module == "builtins" else f"{module}.{name}"


class Further(Protocol):
    """What a module shows besides what was put into it."""

    def get(self, module: str, name: str) -> object:
        """A member of a module, or `MISSING`."""

    def names(self, module: str) -> Iterator[str]:
        """The names for which `get` has something."""

    def starred(self, module: str) -> Collection[str]:
        """The names that ``from module import *`` takes, where the module says which."""


MISSING: Final = object()


class Module:
    """A module as a program sees it: a name, the members that were put into it, and what ``further`` finds for it.

    What a program itself sets in a module of PyTorch (``further`` is given) holds for that run, before all else.
    """

    __slots__ = ("__error_for", "__further", "__members", "__name__")

    def __init__(
        self,
        name: str,
        members: Mapping[str, object],
        further: Further | None = None,
        error_for: Callable[[str], Exception | None] = lambda name: None,
    ) -> None:
        """error_for: the error of the module's own for a name that it does not have."""
        object.__setattr__(self, "__name__", name)
        object.__setattr__(self, "_Module__members", dict(members))
        object.__setattr__(self, "_Module__further", further)
        object.__setattr__(self, "_Module__error_for", error_for)

    def __getattr__(self, name: str) -> Any:
        found = self.find(name)
        if found is MISSING:
            raise self._refusal(name)
        return found

    def find(self, name: str) -> object:
        """A member, or `MISSING`."""
        found = STATE.module_attributes.get(self.__name__, _NOTHING).get(name, MISSING)
        if found is MISSING:
            found = self._members().get(name, MISSING)
        if found is MISSING and self.__further is not None:
            found = self.__further.get(self.__name__, name)
        return found

    def _members(self) -> dict[str, object]:
        members: dict[str, object] = self.__members
        return members

    def __setattr__(self, name: str, value: object) -> None:
        STATE.module_attributes.setdefault(self.__name__, {})[name] = value

    def __delattr__(self, name: str) -> None:
        if STATE.module_attributes.get(self.__name__, {}).pop(name, MISSING) is MISSING:
            raise errors.READ_ONLY(type="module", name=name)

    def __repr__(self) -> str:
        return f"<module '{self.__name__}'>"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("cannot pickle 'module' object")

    def _extend(self, further: Further) -> None:
        """Have a module show more than its own members."""
        object.__setattr__(self, "_Module__further", further)

    def _put(self, name: str, value: object) -> None:
        """Add a member, for all runs."""
        self._members()[name] = value

    def _own(self, name: str) -> object:
        """What was put into the module, or `MISSING`."""
        return self._members().get(name, MISSING)

    def _is_extended(self) -> bool:
        return self.__further is not None

    def has(self, name: str) -> bool:
        """Whether there is a member of this name."""
        return self.find(name) is not MISSING

    def _refusal(self, name: str) -> Exception:
        """The error for a name that is not there."""
        own = self.__error_for(name)
        return errors.NO_MODULE_ATTRIBUTE(module=self.__name__, name=name, value=self) if own is None else own

    def names(self) -> Iterator[str]:
        """The names of the members."""
        further = () if self.__further is None else self.__further.names(self.__name__)
        own = STATE.module_attributes.get(self.__name__, _NOTHING)
        return iter(dict.fromkeys((*self._members(), *further, *own)))

    def table(self) -> dict[str, object]:
        """The members by name, in a dictionary that nobody else has: ``vars(module)``."""
        found = {name: self.find(name) for name in self.names()}
        return {name: value for name, value in found.items() if value is not MISSING}

    def starred(self) -> Iterator[str]:
        """The names that ``from module import *`` takes."""
        chosen = () if self.__further is None else self.__further.starred(self.__name__)
        return (name for name in chosen or self.names() if self.has(name) and (chosen or not name.startswith("_")))


class LateModule(Module):
    """A module whose members are made when a program asks for one. ``known``: those that need no making."""

    __slots__ = ("__load",)

    def __init__(self, name: str, load: Callable[[], Mapping[str, object]], known: Mapping[str, object] = {}) -> None:
        super().__init__(name, known)
        object.__setattr__(self, "_LateModule__load", load)

    def _members(self) -> dict[str, object]:
        members, load = super()._members(), self.__load
        if load is not None:
            object.__setattr__(self, "_LateModule__load", None)
            for name, value in load().items():
                members.setdefault(name, value)
        return members


_NOTHING: Final[Mapping[str, object]] = {}
Module.__name__, Module.__qualname__, Module.__module__ = "module", "module", "builtins"
LateModule.__name__, LateModule.__qualname__, LateModule.__module__ = "module", "module", "builtins"
