"""``torch.fx.Proxy``: what stands for a value while a module is traced; each operator and each call becomes a node."""

from __future__ import annotations

import dis
import operator
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, Final

from gradflow.engine.namespace.fx.graph import Node
from gradflow.engine.namespace.fx.targets import GETATTR, operator_named
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.sandbox.classes.kept_whole import keep_whole
from gradflow.engine.sandbox.gate import allow, is_public, read_attribute, type_name
from gradflow.engine.sandbox.unbound_methods import PROGRAM_FILE
from gradflow.engine.tensor import Tensor

_BOTH: Final = "add sub mul floordiv truediv mod pow lshift rshift and_ or_ xor matmul"
_ALONE: Final = "eq ne lt gt le ge pos neg invert getitem"
_ITERATED: Final = (
    "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or **kwargs function argument."
    " See the torch.fx docs on pytorch.org for a more detailed explanation of what types of control flow can be traced, and check out the"
    " Proxy docstring for help troubleshooting Proxy iteration errors"
)
_COUNTED: Final = (
    "'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call torch.fx.wrap('len') at"
    " module scope"
)


class TraceError(ValueError):
    """A program that cannot be traced: its steps depend on values."""


class TracerBase:
    """What traces a module, and has symbols for its values."""

    root: Any = None
    graph: Any = None


class Proxy:
    """Stands for the value of a node."""

    __array_ufunc__ = None

    def __init__(self, node: Any, tracer: Any) -> None:
        self.node, self.tracer = node, tracer

    def __repr__(self) -> str:
        return f"Proxy({read_attribute(self.node, 'name')})"

    def __getattr__(self, name: str) -> Any:
        if not is_public(name):
            raise AttributeError(f"'Proxy' object has no attribute '{name}'")
        return Attribute(self, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return step(self.tracer, "call_method", "__call__", (self, *args), kwargs)

    def __bool__(self) -> bool:
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def __len__(self) -> int:
        raise RuntimeError(_COUNTED)

    def __iter__(self) -> Iterator[Any]:
        count = _unpacked(sys._getframe(1))
        if count is None:
            raise TraceError(_ITERATED)
        return iter([self[place] for place in range(count)])

    __hash__ = object.__hash__

    def __getitem__(self, index: Any) -> Any:
        return step(self.tracer, "call_function", operator.getitem, (self, index), {})


class Attribute(Proxy):
    """``x.name``: a method where it is called, else an attribute, which is a node of its own."""

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._made: Any = None

    @property
    def node(self) -> Any:
        """The node, made when it is first needed."""
        if self._made is None:
            self._made = step(self.tracer, "call_function", GETATTR, (self.root, self.attr), {}).node
        return self._made

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return step(self.tracer, "call_method", self.attr, (self.root, *args), kwargs)


def _unpacked(frame: FrameType) -> int | None:
    """How many names a value is unpacked into by the statement of the program that asks for its items."""
    if frame.f_code.co_filename != PROGRAM_FILE:
        return None
    code = frame.f_code.co_code
    if dis.opname[code[frame.f_lasti]] != "UNPACK_SEQUENCE":
        return None
    return code[frame.f_lasti + 1]


def _operator(name: str, reflected: bool) -> Callable[..., Any]:
    function = operator_named(name)

    def operate(self: Proxy, *others: Any) -> Any:
        args = (*others, self) if reflected else (self, *others)
        return step(self.tracer, "call_function", function, args, {})

    return operate


def _register() -> None:
    for name in f"{_BOTH} {_ALONE}".split():
        plain = name.rstrip("_")
        setattr(Proxy, f"__{plain}__", _operator(name, False))
        if name in _BOTH.split():
            setattr(Proxy, f"__r{plain}__", _operator(name, True))
    keep_whole(Proxy)
    for cls in (Proxy, Attribute):
        cls.__module__ = "torch.fx.proxy"
        allow(cls, ("node", "tracer"), readable=lambda value, name: is_public(name), shown_as=Proxy)
    TraceError.__module__ = "torch.fx.proxy"


# ---- steps


def step(tracer: Any, op: str, target: Any, args: Any, kwargs: Any) -> Proxy:
    """A new node, for what is done to symbols. Raises TypeError where they are not those of a tracer."""
    if not issubclass(type(tracer), TracerBase):
        raise TypeError(f"the symbols of a Tracer are expected, not of {type_name(tracer)}")
    given, named = argument(tracer, tuple(args)), argument(tracer, dict(kwargs))
    return Proxy(tracer.graph.create_node(op, target, given, named), tracer)


def argument(tracer: Any, value: Any) -> Any:
    """A value as a node has it."""
    if isinstance(value, Proxy):
        return value.node
    if isinstance(value, Tensor):
        return _tensor(tracer, value)
    if type(value) in (tuple, list):
        return type(value)(argument(tracer, each) for each in value)
    if type(value) is dict:
        return {name: argument(tracer, each) for name, each in value.items()}
    if type(value) is slice:
        return slice(*(argument(tracer, each) for each in (value.start, value.stop, value.step)))
    return value


def name_of(tracer: Any, tensor: Tensor, parameter: bool) -> str | None:
    """The name of a parameter, or of a buffer, within the root."""
    root = tracer.root
    named = root.named_parameters() if parameter else root.named_buffers()
    return next((name for name, each in named if each is tensor), None)


def _tensor(tracer: Any, value: Tensor) -> Node:
    if isinstance(value, Parameter) and (name := name_of(tracer, value, True)) is not None:
        known = vars(tracer).get("_parameters", {})  # of a trace in progress
        if id(value) not in known:
            known[id(value)] = tracer.graph.get_attr(name)
        return known[id(value)]
    name = name_of(tracer, value, False)
    if name is None:
        root = tracer.root
        if not issubclass(type(root), Module):  # which a program may have put there
            raise TypeError(f"a Tracer's root is a Module, not {type_name(root)}")
        taken = vars(root)
        number = 0
        while f"_tensor_constant{number}" in taken:
            number += 1
        name = f"_tensor_constant{number}"
        taken[name] = value
    return tracer.graph.get_attr(name)


_register()
