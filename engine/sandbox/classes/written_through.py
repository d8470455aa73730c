"""A dictionary that stands for names of something else."""

from __future__ import annotations

from typing import Any


class WrittenThrough(dict[str, object]):
    """A dictionary of names all of whose writes go through ``[name] = value`` and ``del [name]``, which check them."""

    def update(self, *given: Any, **named: object) -> None:
        for name, value in dict(*given, **named).items():
            self[name] = value

    def __ior__(self, given: Any) -> Any:  # type: ignore[misc]  # it need not agree with `|`
        self.update(given)
        return self

    def pop(self, name: str, *default: Any) -> Any:
        found = self.get(name, *default) if default else self[name]
        if name in self:
            del self[name]
        return found

    def clear(self) -> None:
        for name in list(self):
            del self[name]

    __copy__ = dict.copy

    def __deepcopy__(self, memo: Any) -> Any:
        return memo.copy_of(dict(self))

    def setdefault(self, name: str, default: object = None) -> object:
        if name not in self:
            self[name] = default
        return self[name]
