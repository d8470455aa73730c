"""What stands in a program for things that it may name but not take apart: types and modules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from gradflow.engine import errors


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


def _title(kind: Any) -> str:
    if kind is type(None):
        return "None"
    found = kind.kind if isinstance(kind, OpaqueType) else kind
    name = getattr(found, "__qualname__", repr(found))
    module = getattr(found, "__module__", "builtins")
    return name if module == "builtins" else f"{module}.{name}"


class Module:
    """A module as a program sees it: a name, and the public members that were put into it."""

    __slots__ = ("__members", "__name__", "_error_for")

    def __init__(
        self,
        name: str,
        members: Mapping[str, object],
        error_for: Callable[[str], Exception | None] = lambda name: None,
    ) -> None:
        """error_for: the error of the module's own for a name that it does not have."""
        self.__name__ = name
        self.__members = dict(members)
        self._error_for = error_for

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__members[name]
        except KeyError:
            raise self._refusal(name) from None

    def __repr__(self) -> str:
        return f"<module '{self.__name__}'>"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("cannot pickle 'module' object")

    def _put(self, name: str, value: object) -> None:
        """Change or add a member."""
        self.__members[name] = value

    def _refusal(self, name: str) -> Exception:
        """The error for a name that is not there."""
        own = self._error_for(name)
        return errors.NO_MODULE_ATTRIBUTE(module=self.__name__, name=name, value=self) if own is None else own

    def names(self) -> Iterator[str]:
        """The public names."""
        return iter(self.__members)


Module.__name__, Module.__qualname__, Module.__module__ = "module", "module", "builtins"
