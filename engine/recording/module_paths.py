"""Where parameters and calls stand in the tree of modules, for the trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.ordered_dict import OrderedDict
from gradflow.engine.tensor import Tensor

_CONTAINERS: Final = frozenset({dict, OrderedDict, list, tuple})
_DEEPEST: Final = 3
"""Containers in one another that are looked into."""
_MOST: Final = 256
"""Elements of a container that is looked into."""
_LONGEST: Final = 40
"""Letters of a key that serves as a name."""


def parameter_names(modules: Mapping[str, Module]) -> Iterator[tuple[str, Any]]:
    """``net.0.weight`` and the like for the parameters of every module that has a name, as `roots` finds them."""
    return _tensor_names(modules, "_parameters")


def buffer_names(modules: Mapping[str, Module]) -> Iterator[tuple[str, Any]]:
    """``net.1.running_mean`` and the like for the buffers of every module that has a name."""
    return _tensor_names(modules, "_buffers")


def _tensor_names(modules: Mapping[str, Module], table: str) -> Iterator[tuple[str, Any]]:
    for name, held in modules.items():
        if table in vars(held):
            for path, module in _modules(held, name):
                for key, tensor in _table(module, table, Tensor):
                    yield f"{path}.{key}", tensor


def held_names(namespace: Mapping[str, object]) -> Iterator[tuple[str, Tensor]]:
    """``params['W1']``, ``weights[0]`` and the like for the leaves in the program's dictionaries, lists and tuples."""
    for name, held in namespace.items():
        if name.isidentifier() and not name.startswith("_"):
            yield from _held(name, held, _DEEPEST)


def _held(path: str, held: object, deep: int) -> Iterator[tuple[str, Tensor]]:
    if isinstance(held, Tensor):
        if deep < _DEEPEST and held._node is None and held.requires_grad:
            yield path, held
    elif deep and type(held) in _CONTAINERS and len(held) <= _MOST:  # type: ignore[arg-type]  # they have a length
        found: Iterable[tuple[Any, Any]] = held.items() if isinstance(held, dict) else enumerate(held)  # type: ignore[arg-type]
        for key, each in found:
            if type(key) is int or (type(key) is str and len(key) <= _LONGEST):
                yield from _held(f"{path}[{key!r}]", each, deep - 1)


def _modules(root: Module, path: str) -> Iterator[tuple[str, Module]]:
    """A module and those in it, with their paths, by the tables: a program may have replaced the methods."""
    waiting, seen = [(path, root)], {id(root)}
    while waiting:
        path, module = waiting.pop()
        yield path, module
        inner = [(key, child) for key, child in _children(module) if id(child) not in seen]
        seen.update(id(child) for _, child in inner)
        waiting.extend((f"{path}.{key}" if path else key, child) for key, child in reversed(inner))


def _children(module: Module) -> Iterator[tuple[str, Module]]:
    """The modules that a module registers, then those that it only holds in lists, tuples and dictionaries."""
    yield from _table(module, "_modules", Module)
    for name, held in list(dict.items(vars(module))):
        if type(held) in _CONTAINERS and isinstance(name, str) and not name.startswith("_") and len(held) <= _MOST:
            found: Iterable[tuple[Any, Any]] = dict.items(held) if isinstance(held, dict) else enumerate(held)
            for key, each in found:
                if isinstance(each, Module) and (type(key) is int or (type(key) is str and len(key) <= _LONGEST)):
                    yield f"{str.__str__(name)}[{key!r}]", each


def _table(module: Module, name: str, cls: type) -> list[tuple[str, Any]]:
    held = vars(module).get(name)
    if not isinstance(held, dict):
        return []
    return [(str.__str__(k), v) for k, v in dict.items(held) if isinstance(k, str) and isinstance(v, cls)]


def roots(namespace: Mapping[str, object], called: Iterable[tuple[str, Module]]) -> dict[str, Module]:
    """The modules that a program has, by their names: its variables at the end, then what functions of its own called.

    ``called``: the outermost modules of calls, each with the name that it was called by. The first to have a name keeps it.
    """
    found = {name: held for name, held in namespace.items() if isinstance(held, Module) and not name.startswith("_")}
    known = {id(held) for held in found.values()}
    for name, module in called:
        if name not in found and not isinstance(namespace.get(name), Tensor) and id(module) not in known:
            found[name] = module
            known.add(id(module))
    return found


class Paths:
    """Names the modules that were being called. ``modules``: those that have names, as `roots` finds them."""

    def __init__(self, modules: Mapping[str, Module]) -> None:
        self._roots = {id(held): name for name, held in modules.items()}
        self.of = lru_cache(maxsize=None)(self._of)

    def _of(self, called: tuple[Module, ...]) -> tuple[str, ...]:
        """The path to the innermost of these modules, each of which called the next."""
        if not called:
            return ()
        last = called[-1]
        if len(called) == 1:
            return (self._roots.get(id(last), type(last).__name__),)
        return (*self.of(called[:-1]), *_relative(called[:-1], last))

    def title(self, called: tuple[Module, ...]) -> str:
        """The innermost of these modules by its name in the one that called it, and by its class."""
        path, above, cls = self.of(called), self.of(called[:-1]), type(called[-1]).__name__
        name = ".".join(path[len(above) :])
        return f"{name} · {cls}" if name and name != cls else cls


def _relative(above: Sequence[Module], module: Module) -> list[str]:
    if "_modules" in vars(above[-1]):
        for path, child in _modules(above[-1], ""):
            if child is module:
                return path.split(".") if path else []
    return [type(module).__name__]
