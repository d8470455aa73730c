"""``torch.fx.symbolic_trace``: a module or a function is run with symbols, and what it does to them is written down."""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.namespace.fx import code
from gradflow.engine.namespace.fx.graph import Graph
from gradflow.engine.namespace.fx.graph_module import GraphModule
from gradflow.engine.namespace.fx.proxies import Proxy, TracerBase, argument, name_of, step
from gradflow.engine.namespace.fx.targets import GETATTR, operator_named
from gradflow.engine.namespace.nn import overridden_layers
from gradflow.engine.namespace.nn.containers import Sequential
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.namespace.tensor import own_tensors
from gradflow.engine.sandbox.gate import allow, is_program_class, is_program_function, is_public, type_name
from gradflow.engine.sandbox.unbound_methods import PROGRAM_FILE
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor

_SIGNS: Final = ("BINARY_OP", "COMPARE_OP", "UNARY_")
_VARIABLE: Final = 0x04 | 0x08


class _Watching:
    """The mode that sees the functions which the program calls while it is traced."""

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        named = dict(kwargs or {})
        if not _concerns(self.tracer, (args, named)):
            return func(*args, **named)
        return _function_step(self.tracer, func, args, named)

    def call_module(self, module: Module, args: Any, kwargs: Any) -> Any:
        """A call of an inner module: a step, or those that it is made of."""
        return _module_called(self.tracer, module, args, kwargs)


class Tracer(TracerBase):
    """Traces a module; a program may say which modules are steps (``is_leaf_module``)."""

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Whether a module is one step: PyTorch's own are, but for ``Sequential``."""
        return not is_program_class(type(m)) and not isinstance(m, Sequential)

    def path_of_module(self, mod: Module) -> str:
        """The name of a module within the root. Raises NameError where it is not in it."""
        for name, module in self.root.named_modules():
            if module is mod:
                return str(name)
        raise NameError("module is not installed as a submodule")

    def trace(self, root: Any, concrete_args: Any = None) -> Graph:
        """The graph of a module or a function."""
        if concrete_args:
            raise errors.CALL_REFUSED(name="symbolic_trace() with concrete_args")
        is_module = isinstance(root, Module)
        self.root = root if is_module else Module()
        self.graph = Graph()
        self._parameters: dict[int, Any] = {}
        function = _forward_of(root)
        inputs = [_input(self, *each) for each in _inputs(function, is_module)]
        with _watching(self):
            result = root.forward(*inputs) if is_module else root(*inputs)
        hints = getattr(function, "__annotations__", {}) if function is not None else {}
        self.graph.output(argument(self, result), hints.get("return"))
        return self.graph


def _module_called(tracer: Tracer, module: Module, args: Any, kwargs: Any) -> Any:
    """A call of a module."""
    name = tracer.path_of_module(module)
    if tracer.is_leaf_module(module, name):
        return step(tracer, "call_module", name, args, kwargs)
    return module.forward(*args, **kwargs)


def _function_step(tracer: Tracer, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """A call of a function or a method of PyTorch's."""
    name = func.__name__
    if (own := code.functional_name(func)) is not None:
        told = code.recorded().get(own, [""])
        args, kwargs = _handed_on(told, args, kwargs) if len(told) > 1 else (args, kwargs)
        return step(tracer, "call_function", func, args, kwargs)
    if isinstance(func, own_tensors.Accessor):
        is_read = name == "__get__"
        return step(tracer, "call_function", GETATTR, (*args, func.attribute), {}) if is_read else func(*args)
    if _is_sign() and (sign := operator_named(name)) is not None:
        return step(tracer, "call_function", sign, args, kwargs)
    if isinstance(name, str) and name.startswith("__") and (found := _operator_of(name)) is not None:
        function, reflected = found
        return step(tracer, "call_function", function, args[::-1] if reflected else args, {})
    if args and isinstance(args[0], Tensor) and own_tensors.method(name) is func:
        return step(tracer, "call_method", name, args, kwargs)
    return step(tracer, "call_function", func, args, kwargs)


def _concerns(tracer: Tracer, value: Any) -> bool:
    """Whether there are symbols, or parameters of the root, in arguments."""
    if isinstance(value, tuple | list):
        return any(_concerns(tracer, each) for each in value)
    if type(value) is dict:
        return any(_concerns(tracer, each) for each in value.values())
    return isinstance(value, Proxy) or (isinstance(value, Parameter) and name_of(tracer, value, True) is not None)


def _input(tracer: Tracer, name: str, kind: Any, default: Any) -> Proxy:
    return Proxy(tracer.graph.placeholder(name, kind, default), tracer)


@contextmanager
def _watching(tracer: Tracer) -> Iterator[None]:
    STATE.function_modes.append(_Watching(tracer))
    if len(STATE.function_modes) == 1:
        own_tensors.watch()
    try:
        yield
    finally:
        STATE.function_modes.pop()
        if not STATE.function_modes:
            own_tensors.watch_no_longer()


def _is_sign() -> bool:
    """Whether the program's innermost call is made by the sign of an operator."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != PROGRAM_FILE:
        frame = frame.f_back
    return frame is not None and dis.opname[frame.f_code.co_code[frame.f_lasti]].startswith(_SIGNS)


def _forward_of(root: Any) -> Any:
    """The function whose inputs are traced; None for that of a ``Sequential``."""
    if isinstance(root, Sequential) and not is_program_class(type(root)):
        return None
    function: Any = getattr(type(root), "forward", None) if isinstance(root, Module) else root
    if not is_program_function(function):
        raise errors.CALL_REFUSED(name=f"symbolic_trace() of {type_name(root)}")
    if function.__code__.co_flags & _VARIABLE:
        raise errors.CALL_REFUSED(name="symbolic_trace() of a function with *args or **kwargs")
    return function


def _inputs(function: Any, is_module: bool) -> Iterator[tuple[str, Any, Any]]:
    """The inputs of a function: their names, annotations and defaults."""
    if function is None:
        yield "input", None, code.ABSENT
        return
    held, hints = function.__code__, function.__annotations__
    names = held.co_varnames[: held.co_argcount]
    defaults = dict(zip(reversed(names), reversed(function.__defaults__ or ()), strict=False))
    defaults |= function.__kwdefaults__ or {}
    if held.co_kwonlyargcount:
        raise errors.CALL_REFUSED(name="symbolic_trace() of a function with arguments that have names only")
    for name in names[is_module:]:
        yield name, hints.get(name), defaults.get(name, code.ABSENT)


def _handed_on(told: list[str], args: Any, kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a function of ``torch.nn.functional`` as PyTorch's own hands them on: with all that it fills in."""
    _, parameters, by_place, by_name = told
    values: dict[str, Any] = {}
    names = []
    for each in parameters.split(", "):
        name, given, default = each.partition("=")
        names.append(name)
        if given:
            values[name] = _PLAIN[default] if default in _PLAIN else _literal(default)
    values.update(zip(names, args, strict=False))
    values.update(kwargs)
    return tuple(values[name] for name in by_place.split(",") if name in values), {
        name: values[name] for name in by_name.split(",") if name in values
    }


_PLAIN: Final = {"None": None, "True": True, "False": False}


def _literal(text: str) -> Any:
    if text.startswith("'"):
        return text.strip("'")
    return float(text) if "." in text or "e" in text else int(text)


def _operator_of(name: str) -> tuple[Callable[..., Any], bool] | None:
    """The operator behind a special method, and whether its operands are the other way round."""
    plain = name.strip("_")
    for prefix, reflected in (("", False), ("r", True), ("i", False)):
        inner = plain.removeprefix(prefix) if plain.startswith(prefix) else ""
        for each in (inner, f"{inner}_"):
            found = operator_named(each) if each else None
            if found is not None and (not prefix or operator_named(plain) is None):
                return found, reflected
    return None


def symbolic_trace(root: Any, concrete_args: Any = None) -> GraphModule:
    """A module that computes what ``root`` does, step by step as its graph says."""
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)


def wrap(fn_or_name: Any) -> Any:
    """The name, or the function. Raises RuntimeError where a symbol reaches it, for then it would have to be a step."""
    return fn_or_name


def members() -> Mapping[str, Any]:
    """What ``torch.fx`` has of it."""
    overridden_layers.TRACING.add(_Watching)
    allow(Tracer, ("graph", "is_leaf_module", "path_of_module", "root", "trace"), writable=is_public, subclass=True)
    return {"symbolic_trace": symbolic_trace, "Tracer": Tracer, "wrap": wrap}


Tracer.__module__ = "torch.fx._symbolic_trace"
