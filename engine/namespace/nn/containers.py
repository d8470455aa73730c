"""Modules that hold modules."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.nn.module import Module, indented
from gradflow.engine.sandbox.gate import type_name
from gradflow.engine.tensor import Tensor


class _Numbered(Module):
    """Modules by number, as Sequential and ModuleList have them."""

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return _part(self, list(self._modules.items())[index])
        return self._modules[_place(self, index)]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, _place(self, index), module)

    def __delitem__(self, index: Any) -> None:
        kept = list(self._modules.values())
        del kept[index]
        self._modules.clear()
        self._modules.update({str(i): module for i, module in enumerate(kept)})

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def append(self, module: Any) -> Any:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Any) -> Any:
        """Add a module before the one with this number. Raises KeyError where modules have names."""
        count, chain = len(self), isinstance(self, Sequential)
        if chain and not isinstance(module, Module):
            raise errors.MODULE_ASSERTION(message=f"module should be of type: {Module}")
        if chain and not -count <= index <= count:
            raise IndexError(f"Index out of range: {index}")
        if chain and index < 0:
            index += count
        for number in range(count, index, -1):
            self._modules[str(number)] = self._modules[str(number - 1)]
        self._modules[str(index)] = module
        return self if chain else None

    def extend(self, modules: Iterable[Any]) -> Any:
        """Add modules at the end."""
        for module in modules:
            self.append(module)
        return self

    def pop(self, key: Any) -> Any:
        """Remove a module and give it."""
        module = self[key]
        del self[key]
        return module


def _place(container: _Numbered, index: int) -> str:
    count = len(container._modules)
    if not -count <= operator.index(index) < count:
        raise IndexError(f"index {index} is out of range")
    return list(container._modules)[index]


def _part(container: _Numbered, items: list[tuple[str, Any]]) -> Any:
    made: Any = type(container)
    return made(dict(items) if isinstance(container, Sequential) else [module for _, module in items])


class Sequential(_Numbered):
    """Each module takes the result of the one before."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], dict):
            named: Iterable[tuple[str, Any]] = args[0].items()
        else:
            named = ((str(index), module) for index, module in enumerate(args))
        for name, module in named:
            self.add_module(name, module)

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Sequential):
            raise errors.MODULE_ARGUMENT(
                message=f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> Any:
        if not isinstance(other, Sequential):
            raise errors.MODULE_ARGUMENT(
                message=f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )
        return self.extend(list(other))

    def __mul__(self, other: int) -> Any:
        return Sequential(*_repeated(self, other))

    def __rmul__(self, other: int) -> Any:
        return self * other

    def __imul__(self, other: int) -> Any:
        return self.extend(_repeated(self, other)[len(self) :])

    def forward(self, input: Any) -> Any:
        """The result of the last module."""
        for module in self._modules.values():
            input = module(input)  # type: ignore[misc]  # None raises Python's own error, as in PyTorch
        return input


def _repeated(chain: Sequential, times: Any) -> list[Any]:
    if not isinstance(times, int):
        raise errors.MODULE_TYPE(message=f"unsupported operand type(s) for *: {type(chain)} and {type(times)}")
    if times <= 0:
        raise errors.MODULE_ARGUMENT(message=f"Non-positive multiplication factor {times} for {type(chain)}")
    return list(chain) * times


class ModuleList(_Numbered):
    """A list of modules."""

    def __init__(self, modules: Iterable[Any] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def extend(self, modules: Iterable[Any]) -> Any:
        """Add modules at the end."""
        check_iterable("ModuleList.extend", modules)
        return super().extend(modules)

    def __iadd__(self, modules: Iterable[Any]) -> Any:
        return self.extend(modules)

    def __add__(self, other: Iterable[Any]) -> Any:
        return ModuleList([*self, *other])

    def __repr__(self) -> str:
        return _listed(self._get_name(), [repr(module) for module in self])


def check_iterable(where: str, values: Any, of: str = "iterable") -> None:
    """Raises TypeError where the values cannot be gone through. A tensor is one value."""
    if not isinstance(values, Iterable) or isinstance(values, Tensor):
        raise errors.MODULE_TYPE(message=f"{where} should be called with an {of}, but got {type_name(values)}")


def pairs(name: str, called: str, values: Any, kinds: tuple[type, ...]) -> Iterator[tuple[Any, Any]]:
    """The keys and values of a dictionary, or of pairs. Raises TypeError, ValueError where they are neither."""
    check_iterable(f"{called}.update", values, "iterable of key/value pairs")
    if isinstance(values, kinds):
        named: Any = values
        yield from named.items()
        return
    for index, pair in enumerate(values):
        where = f"{name} update sequence element #{index}"
        if not isinstance(pair, Iterable):
            raise errors.MODULE_TYPE(message=f"{where} should be Iterable; is{type_name(pair)}")
        parts: Any = pair
        if len(parts) != 2:
            raise errors.MODULE_ARGUMENT(message=f"{where} has length {len(parts)}; 2 is required")
        yield parts[0], parts[1]


def _listed(name: str, texts: list[str]) -> str:
    """``Name( (0): ... )`` with neighbours that print alike counted together."""
    if not texts:
        return f"{name}()"
    groups: list[tuple[int, int, str]] = []
    for index, text in enumerate(texts):
        if groups and groups[-1][2] == text:
            groups[-1] = (groups[-1][0], index, text)
        else:
            groups.append((index, index, text))
    lines = [
        f"({first}): {indented(text)}" if first == last else f"({first}-{last}): {last - first + 1} x {indented(text)}"
        for first, last, text in groups
    ]
    return f"{name}(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    """A dictionary of modules."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Any) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Remove a module and give it."""
        return self._modules.pop(key)

    def keys(self) -> Any:
        """The names."""
        return self._modules.keys()

    def items(self) -> Any:
        """The names and modules."""
        return self._modules.items()

    def values(self) -> Any:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add modules from a dictionary or from pairs."""
        for key, module in pairs("ModuleDict", "ModuleDict", modules, (Mapping, ModuleDict)):
            self[key] = module


CLASSES: tuple[type[Module], ...] = (Sequential, ModuleList, ModuleDict)
