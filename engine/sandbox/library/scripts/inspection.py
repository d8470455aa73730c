"""``inspect`` and ``ast.literal_eval``: the signatures of the program's own functions, and what kind of thing a value is."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox.gate import (
    allow,
    is_open,
    is_program_class,
    is_program_function,
    is_readable,
    read_attribute,
    type_name,
)
from gradflow.engine.sandbox.program_classes import names_of
from gradflow.engine.sandbox.rules import show_copies
from gradflow.engine.sandbox.stand_ins import Module, OpaqueType

_LONGEST: Final = 100_000
_LEADING: Final = frozenset({"__signature__", "_partialmethod", "__partialmethod__"})
_MAKING: Final = ("__new__", "__init__", "__call__")
_LOOKING_OUT: Final = (
    "currentframe",
    "getfile",
    "getmodule",
    "getsource",
    "getsourcefile",
    "getsourcelines",
    "stack",
    "trace",
)


def _of_program(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of ``inspect``, for functions, methods and classes of the program."""

    def look(obj: Any) -> Any:
        own = obj.__func__ if isinstance(obj, MethodType) else obj
        while type(own) is FunctionType and not is_program_function(own) and "__wrapped__" in vars(own):
            own = obj = vars(own)["__wrapped__"]
        is_class = isinstance(own, type) and is_program_class(own)
        if not (is_class or is_program_function(own)) or _leads_on(own):
            raise errors.CALL_REFUSED(name=f"inspect.{function.__name__}() of {type_name(obj)}")
        return function(obj)

    look.__name__ = look.__qualname__ = function.__name__
    return look


def _leads_on(own: Any) -> bool:
    """Whether `inspect` would tell of something else instead, which is not the program's."""
    if isinstance(own, type):
        bodies = [vars(kind) for kind in own.__mro__ if is_program_class(kind)]
        makers = [getattr(body[name], "__func__", body[name]) for body in bodies for name in _MAKING if name in body]
        return not all(type(each) is FunctionType and _is_made_for_program(each) for each in makers)
    seen = set[int]()
    while id(own) not in seen:
        seen.add(id(own))
        if not _LEADING.isdisjoint(vars(own)):
            return True
        own = vars(own).get("__wrapped__", own)
        if not is_program_function(own):
            return True
    return False


def _is_made_for_program(function: FunctionType) -> bool:
    """Whether a method is the program's, or was generated for its class, as that of a data class."""
    if is_program_function(function):
        return not _leads_on(function)
    name = function.__code__.co_filename
    return name.startswith("<") and not name.startswith("<generated")


def _signature(obj: Any) -> Any:
    """``inspect.signature``: of the program's own, and of a class that it may derive from, names and plain defaults."""
    if isinstance(obj, type) and is_open(obj) and not is_program_class(obj):
        _, *rest = inspect.signature(
            next(vars(kind)["__init__"] for kind in obj.__mro__ if "__init__" in vars(kind))
        ).parameters.values()
        return inspect.Signature([inspect.Parameter(p.name, p.kind, default=_plain_default(p.default)) for p in rest])
    return _of_program(inspect.signature)(obj)


def _plain_default(value: Any) -> Any:
    """A default that is data, as it is; None for any other."""
    plain = value is inspect.Parameter.empty or type(value) in (bool, int, float, str)
    numbers = type(value) is tuple and all(type(each) in (bool, int, float) for each in value)
    return value if plain or numbers else None


def _is_method(value: object) -> bool:
    return isinstance(value, MethodType)


def _is_class(value: object) -> bool:
    return isinstance(value, type)


def _is_abstract(value: Any) -> bool:
    return isinstance(value, type) and inspect.isabstract(value)


def _is_routine(value: object) -> bool:
    return isinstance(value, MethodType | FunctionType | BuiltinFunctionType)


def _refused(name: str) -> Callable[..., Any]:
    """A function of ``inspect`` that would show frames or files."""

    def refuse(*arguments: Any, **keywords: Any) -> Any:
        raise errors.CALL_REFUSED(name=f"inspect.{name}()")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


def _get_doc(value: Any) -> Any:
    text = read_attribute(value, "__doc__")
    return inspect.cleandoc(text) if isinstance(text, str) else None


def _literal(text: Any) -> Any:
    """``ast.literal_eval``, of a text."""
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise ValueError("a text of a literal is expected")
    return ast.literal_eval(str.__str__(text))


def _members_of(object: Any, predicate: Callable[[Any], Any] | None = None) -> list[tuple[str, Any]]:
    """``inspect.getmembers``: what the program can read, with its names."""
    names = [name for name in names_of(object) if is_readable(object, name)]
    found = [(name, read_attribute(object, name)) for name in names]
    return [(name, value) for name, value in found if predicate is None or predicate(value)]


def _unwrap(func: Any, *, stop: Callable[[Any], Any] | None = None) -> Any:
    """``inspect.unwrap``: what was decorated with ``wraps``."""
    seen, outermost = {id(func)}, func
    while type(func) is FunctionType and not (stop is not None and stop(func)):
        inner = vars(func).get("__wrapped__")
        if not is_program_function(inner):
            break
        func = inner
        if id(func) in seen:
            raise ValueError(f"wrapper loop when unwrapping {outermost!r}")
        seen.add(id(func))
    return func


def members() -> dict[str, dict[str, object]]:
    """The modules by name."""
    return {
        "inspect": {
            "signature": _signature,
            "getfullargspec": _of_program(inspect.getfullargspec),
            "isfunction": is_program_function,
            "ismethod": _is_method,
            "isclass": _is_class,
            "isgenerator": inspect.isgenerator,
            "isgeneratorfunction": lambda obj: is_program_function(obj) and inspect.isgeneratorfunction(obj),
            "cleandoc": lambda doc: inspect.cleandoc(str.__str__(doc)),
            "getmembers": _members_of,
            "isabstract": _is_abstract,
            "isroutine": _is_routine,
            "isbuiltin": lambda value: isinstance(value, BuiltinFunctionType),
            **{name: _refused(name) for name in _LOOKING_OUT},
            "getdoc": _get_doc,
            "getmro": lambda cls: read_attribute(cls, "__mro__"),
            "ismodule": lambda value: isinstance(value, Module),
            "iscoroutinefunction": lambda obj: is_program_function(obj) and inspect.iscoroutinefunction(obj),
            "isasyncgenfunction": lambda obj: is_program_function(obj) and inspect.isasyncgenfunction(obj),
            "unwrap": _unwrap,
            "Signature": OpaqueType(inspect.Signature),
            "BoundArguments": OpaqueType(inspect.BoundArguments),
            "Parameter": inspect.Parameter,
            "_empty": inspect.Parameter.empty,
        },
        "ast": {"literal_eval": _literal},
    }


def _register() -> None:
    kinds = "KEYWORD_ONLY POSITIONAL_ONLY POSITIONAL_OR_KEYWORD VAR_KEYWORD VAR_POSITIONAL"
    allow(
        inspect.Parameter,
        ("annotation", "default", "empty", "kind", "name", *kinds.split()),
        shown_as=inspect.Parameter,
    )
    allow(inspect.Parameter.empty, shown_as=inspect.Parameter.empty)
    allow(type(inspect.Parameter.VAR_KEYWORD), ("description", "name"))
    allow(inspect.Signature, ("bind", "bind_partial", "empty", "return_annotation"))
    show_copies(inspect.Signature, ("parameters",))
    allow(inspect.BoundArguments, ("apply_defaults", "args", "arguments", "kwargs"))
    allow(inspect.FullArgSpec, inspect.FullArgSpec._fields)


_register()
