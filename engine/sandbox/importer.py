"""What programs can import besides the modules of the engine: the harmless parts of Python's library."""

from __future__ import annotations

import cmath
import functools
import itertools
import math
import operator
import random
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from gradflow.engine import errors
from gradflow.engine.errors.language.known_modules import details_of_module
from gradflow.engine.pytorch import exists
from gradflow.engine.pytorch.modules import attached, is_module, is_package
from gradflow.engine.sandbox import integer_limits
from gradflow.engine.sandbox.builtin_types import RANDOM
from gradflow.engine.sandbox.classes.absent import Absent, stands_in
from gradflow.engine.sandbox.classes.cached_properties import cached_property
from gradflow.engine.sandbox.gate import (
    Module,
    exact_name,
    is_program_class,
    is_program_function,
    is_public,
    is_readable,
    read_attribute,
    readable_names,
    type_name,
)
from gradflow.engine.sandbox.interpreter import iterators
from gradflow.engine.sandbox.special_names import is_bindable

Members: TypeAlias = Mapping[str, object]

_FUNCTOOLS = "cache cmp_to_key lru_cache partial reduce WRAPPER_ASSIGNMENTS WRAPPER_UPDATES"
_UNSAFE_OPERATORS = frozenset({"attrgetter", "methodcaller", "call"})


def _wraps(wrapped: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``functools.wraps`` without the choice of attributes, by which any attribute could be read."""

    return lambda wrapper: _update_wrapper(wrapper, wrapped)


def _update_wrapper(wrapper: Callable[..., Any], wrapped: Callable[..., Any]) -> Callable[..., Any]:
    """``functools.update_wrapper`` without the choice of attributes."""
    for name in ("__name__", "__qualname__", "__doc__"):
        if type(wrapped) is _Function and (is_program_function(wrapper) or _wraps_program(wrapper)):
            setattr(wrapper, name, getattr(wrapped, name))
    if is_program_function(wrapper) and is_program_function(wrapped):
        vars(wrapper).update(vars(wrapped), __wrapped__=wrapped)
    return wrapper


_Function = type(_wraps)


def _wraps_program(function: Any) -> bool:
    """Whether this was made around a function of the program: by ``torch.no_grad()`` as a decorator."""
    return type(function) is _Function and is_program_function(vars(function).get("__wrapped__"))


def _members(module: Any, names: str) -> dict[str, object]:
    return {name: getattr(module, name) for name in names.split()}


def _public(module: Any) -> dict[str, object]:
    return {name: value for name, value in vars(module).items() if is_public(name)}


def _total_ordering(cls: type) -> type:
    """``functools.total_ordering``, for classes of the program."""
    if not (isinstance(cls, type) and is_program_class(cls)):
        raise errors.CALL_REFUSED(name=f"total_ordering() of {type_name(cls)}")
    return functools.total_ordering(cls)


def standard_members() -> dict[str, Members]:
    """The modules that are shown nearly as they are, by name."""
    return {
        "math": _public(math),
        "cmath": _public(cmath),
        "itertools": {**_public(itertools), **iterators.members()},
        "functools": {
            **_members(functools, _FUNCTOOLS),
            "wraps": _wraps,
            "update_wrapper": _update_wrapper,
            "cached_property": cached_property,
            "total_ordering": _total_ordering,
        },
        "operator": {
            **{name: value for name, value in _public(operator).items() if name not in _UNSAFE_OPERATORS},
            **integer_limits.OPERATORS,
        },
        "random": {**_members(random.Random(), RANDOM), "Random": random.Random},
    }


class Importer:
    """The import statements of one program."""

    def __init__(
        self,
        sources: Iterable[Callable[[], Mapping[str, object]]],
        namespace: dict[str, object],
        open_packages: tuple[type, ...] = (),
    ) -> None:
        """open_packages: the types of packages in which every dotted path can be imported."""
        self._sources = list(sources)  # asked one after the other, once a name is not yet known
        self._modules: dict[str, object] = {}
        self._namespace = namespace
        self._open = open_packages

    def _get(self, name: str) -> object | None:
        while name not in self._modules and self._sources:
            self._modules.update(self._sources.pop(0)())
        found = self._modules.get(name)
        return self._in_package(name) if found is None else found

    def _in_package(self, name: str) -> object | None:
        """What stands at a dotted path in a package of which everything can be named."""
        package, _, path = name.partition(".")
        found = self._modules.get(package)
        if path and type(found) in self._open:
            for part in path.split("."):
                if not is_readable(found, part):
                    return None
                found = read_attribute(found, part)
            return found
        return None

    def module(self, name: str, leaf: bool) -> object:
        """``import name``: the module itself if ``leaf`` (``import a.b as c``), else the package it lies in."""
        found = self._find(name)
        return found if leaf else self._find(name.partition(".")[0])

    def member(self, module: str, name: str) -> object:
        """``from module import name``."""
        found = self._find(module)
        if isinstance(found, Module) and found.has(name):
            return found.find(name)
        inner = self._get(f"{module}.{name}")
        if inner is not None:
            return self._find(f"{module}.{name}")
        if isinstance(found, Module) or not is_public(name) or not is_readable(found, name):
            raise _no_import(module, name, found)
        return read_attribute(found, name)

    def called(self, name: Any, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> object:
        """``__import__(name)``, as `module`; what stands for names in ``fromlist`` is of no effect but for the leaf."""
        if level or (globals is not None and not isinstance(globals, dict)):
            raise ImportError("attempted relative import with no known parent package")
        exact = exact_name(name)
        return self.module(exact, bool(fromlist))

    def everything(self, module: str) -> None:
        """``from module import *``: of the names, those that the program could have bound itself."""
        found = self._find(module)
        names = found.starred() if isinstance(found, Module) else readable_names(found)
        self._namespace.update({name: read_attribute(found, name) for name in names if is_bindable(name)})

    def _find(self, name: str) -> object:
        """A module, imported after the packages that it lies in."""
        package, _, leaf = name.rpartition(".")
        parent = self._find(package) if package else None
        found = self._get(name)
        if found is None and isinstance(parent, Absent):
            found = read_attribute(parent, leaf)
        if found is None and not package and stands_in(name):
            found = self._modules[name] = Absent(name, lambda: self._missing(name, package))
        if found is None:
            raise self._missing(name, package)
        if isinstance(parent, Module) and parent._is_extended() and leaf in attached(package) and not parent.has(leaf):
            setattr(parent, leaf, found)
        return found

    def _missing(self, name: str, package: str) -> Exception:
        if is_module(name):
            return errors.MODULE_NOT_PROVIDED(name=name)
        details = details_of_module(name)
        if name.split(".")[0] in sys.stdlib_module_names:
            return errors.MODULE_REFUSED(module=name, **details)
        plain = f"; '{package}' is not a package" if is_module(package) and not is_package(package) else ""
        return errors.NO_MODULE(module=name, plain=plain, modules=sorted(self._modules), **details)


def as_modules(library: Mapping[str, Members]) -> dict[str, object]:
    """Modules from what is in them, by full name."""
    return {name: Module(name, {**members, **_inner(name, library)}) for name, members in library.items()}


def _inner(package: str, library: Mapping[str, Members]) -> dict[str, object]:
    """The modules that lie in another one: ``collections.abc``."""
    inner = {name.partition(".")[2]: content for name, content in library.items() if name.startswith(f"{package}.")}
    return {name: Module(f"{package}.{name}", content) for name, content in inner.items()}


def _no_import(module: str, name: str, found: object) -> Exception:
    if exists(module, name):
        return errors.MODULE_NOT_PROVIDED(name=f"{module}.{name}")
    return errors.NO_IMPORT_NAME(module=module, name=name, value=found)
