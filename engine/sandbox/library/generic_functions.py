"""Functions that read attributes by name or choose by type: parts of ``operator`` and ``functools`` behind the gate.

Python's own would read any attribute, evaluate annotations that are texts, and hand out types that stand-ins keep.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MappingProxyType, MethodType, UnionType
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox.gate import allow, is_program_function, read_attribute
from gradflow.engine.sandbox.stand_ins import Alternatives, OpaqueType

# -- operator ----------------------------------------------------------------------------------------------------------


class attrgetter:
    """``operator.attrgetter``: each part of a dotted name is read as the program itself would read it."""

    __slots__ = ("_names",)

    def __init__(self, attr: Any, /, *attrs: Any) -> None:
        names = (attr, *attrs)
        if not all(isinstance(name, str) for name in names):
            raise TypeError("attribute name must be a string")
        self._names = tuple(str.__str__(name) for name in names)

    def __call__(self, obj: Any, /) -> Any:
        found = tuple(_read_path(obj, name) for name in self._names)
        return found if len(found) > 1 else found[0]

    def __repr__(self) -> str:
        return f"operator.attrgetter({', '.join(map(repr, self._names))})"


def _read_path(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = read_attribute(value, name)
    return value


class methodcaller:
    """``operator.methodcaller``: a method that is read as the program itself would read it, and called."""

    __slots__ = ("_arguments", "_keywords", "_name")

    def __init__(self, name: Any, /, *args: Any, **kwargs: Any) -> None:
        if not isinstance(name, str):
            raise TypeError("method name must be a string")
        self._name, self._arguments, self._keywords = str.__str__(name), args, kwargs

    def __call__(self, obj: Any, /) -> Any:
        return read_attribute(obj, self._name)(*self._arguments, **self._keywords)

    def __repr__(self) -> str:
        given = [repr(self._name), *map(repr, self._arguments), *(f"{k}={v!r}" for k, v in self._keywords.items())]
        return f"operator.methodcaller({', '.join(given)})"


# -- functools ---------------------------------------------------------------------------------------------------------


class SingleDispatch:
    """What ``functools.singledispatch`` makes of a function: it calls the one that is registered for the type."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = getattr(function, "__name__", "singledispatch function")
        self._chosen: Any = functools.singledispatch(lambda *args, **kwargs: function(*args, **kwargs))
        self._functions: dict[Any, Callable[..., Any]] = {object: function}
        self._by_choice = {self._chosen.dispatch(object): function}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not args:
            raise TypeError(f"{self._name} requires at least 1 positional argument")
        return self._function_for(type(args[0]))(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def _function_for(self, kind: type) -> Callable[..., Any]:
        return self._by_choice[self._chosen.dispatch(kind)]

    def dispatch(self, cls: Any) -> Callable[..., Any]:
        """The function that is called for objects of a type."""
        return self._function_for(_type_behind(cls))

    @property
    def registry(self) -> Any:
        """The functions by type."""
        return MappingProxyType(dict(self._functions))

    def register(self, cls: Any, func: Any = None) -> Any:
        """Register a function for a type: ``register(type)(function)``, or by the annotation of its first parameter."""
        if func is None:
            if is_program_function(cls):
                return self._enter(_annotated_type(cls), cls)
            return lambda function: self.register(cls, function)
        return self._enter(cls, func)

    def _enter(self, kind: Any, function: Callable[..., Any]) -> Callable[..., Any]:
        for each in _alternatives(kind):

            def choice() -> None: ...

            self._chosen.register(_type_behind(each), choice)
            self._functions[each] = self._by_choice[choice] = function
        return function


def _alternatives(kind: Any) -> tuple[Any, ...]:
    if isinstance(kind, Alternatives):
        return kind.kinds
    return kind.__args__ if isinstance(kind, UnionType) else (kind,)


def _type_behind(kind: Any) -> type:
    found = kind.kind if isinstance(kind, OpaqueType) else kind
    if not isinstance(found, type):
        raise TypeError(f"Invalid first argument to `register()`: {kind!r} is not a class.")
    return found


def _annotated_type(function: Any) -> Any:
    """The annotation of the first parameter. Raises where it is a text, which nothing here evaluates."""
    annotations = [kind for name, kind in function.__annotations__.items() if name != "return"]
    if not annotations:
        raise TypeError(
            f"Invalid first argument to `register()`: {function!r}. Use either `@register(some_class)` or plain"
            " `@register` on an annotated function."
        )
    if isinstance(annotations[0], str):
        raise errors.CALL_REFUSED(name="register() by an annotation that is a text; register(type) does the same")
    return annotations[0]


class SingleDispatchMethod:
    """``functools.singledispatchmethod``: a method that is chosen by the type of the first argument behind ``self``."""

    def __init__(self, func: Any) -> None:
        self._dispatcher = SingleDispatch(func)

    def register(self, cls: Any, method: Any = None) -> Any:
        """As `SingleDispatch.register`."""
        return self._dispatcher.register(cls, method)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        dispatcher = self._dispatcher

        def method(*args: Any, **kwargs: Any) -> Any:
            found: Any = dispatcher.dispatch(type(args[0]))
            return found.__get__(instance, owner)(*args, **kwargs)

        method.__name__ = method.__qualname__ = dispatcher._name
        return method


OPERATORS: Final[dict[str, object]] = {"attrgetter": attrgetter, "methodcaller": methodcaller}
GENERIC: Final[dict[str, object]] = {
    "singledispatch": SingleDispatch,
    "singledispatchmethod": SingleDispatchMethod,
    "partialmethod": functools.partialmethod,
}


def _register() -> None:
    for cls in (attrgetter, methodcaller):
        cls.__module__ = "operator"
        allow(cls, shown_as=cls)
    allow(SingleDispatch, ("dispatch", "register", "registry"))
    allow(SingleDispatchMethod, ("register",), shown_as=SingleDispatchMethod)
    allow(functools.partialmethod, ("args", "func"), shown_as=functools.partialmethod)


_register()
