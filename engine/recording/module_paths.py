"""Where parameters and calls stand in the tree of modules, for the trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, Final, TypeVar

from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.ordered_dict import OrderedDict
from gradflow.engine.tensor import Tensor

_Held = TypeVar("_Held")

_CONTAINERS: Final = frozenset({dict, OrderedDict, list, tuple})
_DEEPEST: Final = 3
"""Containers in one another that are looked into."""
_MOST: Final = 256
"""Elements of a container that is looked into."""
_LONGEST: Final = 40
"""Letters of a key that serves as a name."""


def parameter_names(modules: Iterable[tuple[str, Module]]) -> Iterator[tuple[str, Any]]:
    """``net.0.weight`` and the like for the parameters of every module that has a name, as `roots` finds them."""
    return _tensor_names(modules, "_parameters")


def buffer_names(modules: Iterable[tuple[str, Module]]) -> Iterator[tuple[str, Any]]:
    """``net.1.running_mean`` and the like for the buffers of every module that has a name."""
    return _tensor_names(modules, "_buffers")


def _tensor_names(modules: Iterable[tuple[str, Module]], table: str) -> Iterator[tuple[str, Any]]:
    for name, held in modules:
        if table in vars(held):
            for path, module in _modules(held, name):
                for key, tensor in _table(module, table, Tensor):
                    yield f"{path}.{key}", tensor


def held_names(namespace: Mapping[str, object]) -> Iterator[tuple[str, Tensor]]:
    """``params['W1']``, ``weights[0]`` and the like for the leaves in the program's dictionaries, lists and tuples."""
    for name, held in namespace.items():
        if name.isidentifier() and not name.startswith("_") and not isinstance(held, Tensor):
            for path, tensor in _held_of(Tensor, name, held, _DEEPEST):
                if tensor._node is None and tensor.requires_grad:
                    yield path, tensor


def argument_names(
    arguments: Iterable[tuple[str, str, object]], namespace: Mapping[str, object]
) -> Iterator[tuple[str, Tensor]]:
    """``p['W1']``, ``x`` and the like for the tensors in arguments of functions, by the names of these; ``loss.x`` where the
    program calls another tensor so."""
    for function, name, held in arguments:
        if isinstance(namespace.get(name), Tensor):
            if not function.isidentifier():
                continue
            name = f"{function}.{name}"
        yield from _held_of(Tensor, name, held, _DEEPEST)


def _held_of(cls: type[_Held], path: str, held: object, deep: int) -> Iterator[tuple[str, _Held]]:
    """What is of a class, here and in containers in one another as ``deep`` as that, with the expression that reads it."""
    if isinstance(held, cls):
        yield path, held
    elif deep and type(held) in _CONTAINERS and len(held) <= _MOST:  # type: ignore[arg-type]  # they have a length
        found: Iterable[tuple[Any, Any]] = held.items() if isinstance(held, dict) else enumerate(held)  # type: ignore[arg-type]
        for key, each in found:
            if type(key) is int or (type(key) is str and len(key) <= _LONGEST):
                yield from _held_of(cls, f"{path}[{key!r}]", each, deep - 1)


def _modules(root: Module, path: str) -> Iterator[tuple[str, Module]]:
    """A module and those in it, with their paths, by the tables: a program may have replaced the methods. None of one whose
    constructor did not come to its end."""
    waiting, seen = [(path, root)] if "_modules" in vars(root) else [], {id(root)}
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


def children(module: Module) -> Iterator[Module]:
    """The modules that a module holds itself; none of one whose constructor did not come to its end."""
    return (child for _, child in _children(module)) if "_modules" in vars(module) else iter(())


def _table(module: Module, name: str, cls: type) -> list[tuple[str, Any]]:
    held = vars(module).get(name)
    if not isinstance(held, dict):
        return []
    return [(str.__str__(k), v) for k, v in dict.items(held) if isinstance(k, str) and isinstance(v, cls)]


def roots(
    namespace: Mapping[str, object], others: Iterable[tuple[str, Module]], left_by_loops: Set[str] = frozenset()
) -> list[tuple[str, Module]]:
    """The modules that a program has, each once, with their names: variables at the end, what is held in the program's
    lists and dictionaries, then ``others``, by the first name of each.

    A model that a loop makes anew in each turn has the same name in all of them, as every other variable has.
    ``left_by_loops``: variables whose names count only for what has no other at the end.
    """
    own = {name: held for name, held in namespace.items() if not name.startswith("_")}
    stay = {name: held for name, held in own.items() if name not in left_by_loops}
    found: dict[int, tuple[str, Module]] = {}
    for held, deep in ((stay, 0), (stay, _DEEPEST), (own, 0)):
        for variable, each in held.items():
            for name, module in _held_of(Module, variable, each, deep):
                found.setdefault(id(module), (name, module))
    inner = {id(each) for name, module in found.values() for _, each in _modules(module, name)}
    for name, module in others:
        if id(module) not in inner and not isinstance(namespace.get(name), Tensor):
            found[id(module)] = name, module
            inner.update(id(each) for _, each in _modules(module, name))
    return list(found.values())


class Paths:
    """Names the modules that were being called. ``modules``: those that have names, as `roots` finds them."""

    def __init__(self, modules: Sequence[tuple[str, Module]]) -> None:
        inner = {id(each): path for name, held in reversed(modules) for path, each in _modules(held, name)}
        self._known = inner | {id(held): name for name, held in reversed(modules)}
        self._found: dict[
            tuple[int, ...], tuple[str, ...]
        ] = {}  # by identity: how modules compare is the program's affair

    def of(self, called: tuple[Module, ...]) -> tuple[str, ...]:
        """The path to the innermost of these modules, each of which called the next."""
        key = tuple(map(id, called))
        if key not in self._found:
            self._found[key] = self._of(called)
        return self._found[key]

    def _of(self, called: tuple[Module, ...]) -> tuple[str, ...]:
        if not called:
            return ()
        last = called[-1]
        if len(called) == 1:
            return (self._known.get(id(last), type(last).__name__),)
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
