"""A name is readable where it is read: what an object holds under a name opens nothing that a class has under it."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from gradflow.engine.autograd.function.function import Function, FunctionCtx
from gradflow.engine.autograd.node import Node
from gradflow.engine.namespace.nn.module_attributes import Registering
from gradflow.engine.registry import REGISTRY
from gradflow.engine.run import run
from gradflow.engine.sandbox import gate
from gradflow.engine.sandbox.rules import READABLE, RULES
from gradflow.engine.sandbox.special_names import TABLES, is_special
from gradflow.engine.tensor import Tensor

HELD: Final = object()


def deciding() -> list[type]:
    """The types of which a function decides what their objects show."""
    run("import torch")
    return sorted((cls for cls, rules in RULES.items() if rules.readable is not None), key=str)


def names_of(cls: type) -> Iterator[str]:
    """What the classes of a type have and its table does not show."""
    for each in cls.__mro__:
        for name in vars(each):
            if not (is_special(name) or name in TABLES or name in READABLE[cls]):
                yield name


def bare(cls: type) -> Any:
    """An object of a class, or of one that a program derives from it, that nothing has been done to."""
    try:
        return object.__new__(cls)
    except TypeError:  # of a text, a number or a tuple
        base = next(each for each in (str, int, float, tuple, dict, list) if issubclass(cls, each))
        return base.__new__(cls)


def dictionaries(value: Any) -> Iterator[dict[str, Any]]:
    """Everything from which the names of an object could come."""
    own = getattr(value, "__dict__", None)
    if type(own) is not dict:
        return
    if isinstance(value, Node):  # of which a program writes the context alone
        if "context" in own:
            yield vars(value.context)
        return
    yield own
    if isinstance(value, Registering):
        for table in ("_parameters", "_buffers", "_modules"):
            yield own.setdefault(table, {})


WITHOUT_OBJECTS: Final = ("Enum", "Flag", "IntEnum", "IntFlag", "StrEnum", "ReprEnum", "_GenericAlias", "method")
"""Types of which nobody makes a bare object; what they show is not asked of a dictionary."""


@pytest.mark.parametrize("cls", deciding(), ids=lambda cls: cls.__name__)
def test_what_an_object_holds_opens_nothing_of_its_classes(cls: type) -> None:
    if cls.__name__ in WITHOUT_OBJECTS or issubclass(cls, Tensor) or cls.__name__ == "proxy":
        pytest.skip("no bare objects")
    value = bare(cls)
    if cls.__name__ == "FunctionNode":
        vars(value)["context"] = FunctionCtx(Function, ())
    if issubclass(cls, Node):
        value.op, value.title = REGISTRY["exp"], "Backward"
    before = {name: gate.is_readable(value, name) for name in names_of(cls)}
    for table in list(dictionaries(value)):
        table.update(dict.fromkeys(before, HELD))
    for name, shown in before.items():
        assert gate.is_readable(value, name) == shown, name
        if not shown:
            with pytest.raises(AttributeError):
                gate.read_attribute(value, name)


class Lying(str):
    """Equal to one name, and looked up as another."""

    def __hash__(self) -> int:
        return hash("shape")

    def __eq__(self, other: object) -> bool:
        return other == "shape"


@pytest.mark.parametrize(
    "enter",
    [
        gate.read_attribute,
        gate.read_value,
        gate.is_readable,
        gate.delete_attribute,
        gate.check_writable,
        lambda value, name: gate.write_attribute(value, name, 1),
        lambda value, name: gate.instance_readable(type(value), value, name),
        lambda value, name: gate.class_readable(type(value), name),
    ],
)
@pytest.mark.parametrize(
    "value", [1, "a", int, len, gate.Module("m", {}), test_what_an_object_holds_opens_nothing_of_its_classes]
)
@pytest.mark.parametrize("name", [Lying("_a"), Lying("shape"), b"shape", 1, None])
def test_every_entrance_takes_exact_names_only(
    enter: Callable[[Any, Any], object], value: object, name: object
) -> None:
    with pytest.raises(TypeError, match="attribute name must be string"):
        enter(value, name)


MISLED: Final = """
import threading, typing
import torch, torch.nn as nn
class Misled(nn.Linear):
    def modules(self, *given): return [object()]
    def named_modules(self, *given, **named): return [("", self)]
    def children(self): return []
    def parameters(self, *given): return []
    def get_submodule(self, target): return object()
m = Misled(2, 2)
"""


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("m._parameters['forward'] = None", "AttributeError"),
        ("m._modules['_apply'] = nn.ReLU()", "AttributeError"),
        ("m._buffers.update(parameters=torch.ones(1))", "AttributeError"),
        ("m.register_buffer('__array_interface__', torch.ones(1))", "AttributeError"),
        ("torch.func.functional_call(m, {'weight': 1}, torch.ones(1, 2))", "TypeError"),
        ("torch.func.functional_call(m, {'weight': torch.relu}, torch.ones(1, 2))", "TypeError"),
        ("class Both(threading.local, nn.Linear): pass", "RuntimeError"),
        ("torch.fx.Interpreter(m)", "AttributeError"),
        ("torch.fx.Interpreter(m, graph=m)", "RuntimeError"),
        ("repr(torch.fx.Proxy(m, None))", "AttributeError"),
    ],
)
def test_what_is_none_is_refused(line: str, error: str) -> None:
    trace = run(MISLED + line)
    assert trace.error is not None
    assert trace.error.type == error, trace.error


@pytest.mark.parametrize(
    ("lines", "printed"),
    [
        ("m.to('meta')\nprint(m.weight.device, m.bias.requires_grad)", "meta True\n"),
        ("m.to('meta').to_empty(device='cpu')\nprint(m.weight.device, type(m.weight).__name__)", "cpu Parameter\n"),
        (
            "print(torch.func.functional_call(m, {'weight': torch.zeros(2, 2), 'bias': torch.ones(2)}, torch.ones(1, 2)))",
            "tensor([[1., 1.]])\n",
        ),
        ("from torch.nn.utils import prune\nprint(prune.is_pruned(prune.identity(m, 'weight')))", "True\n"),
        (
            "w = m._parameters.pop('weight')\nm._parameters['weight'] = w\nm._parameters['_own'] = None\nprint(m._own)",
            "None\n",
        ),
        ("class Both(threading.local): x = 1\nprint(Both().x)", "1\n"),
    ],
)
def test_what_is_right_goes_on(lines: str, printed: str) -> None:
    trace = run(MISLED + lines)
    assert (trace.error, trace.stdout) == (None, printed)


def test_overloads_are_not_kept() -> None:
    before = len(typing._overload_registry)  # type: ignore[attr-defined]  # which Python keeps for as long as the process lives
    trace = run("from typing import overload\n@overload\ndef f(x: int) -> int: ...\ndef f(x): return x\nprint(f(1))")
    assert (trace.error, trace.stdout) == (None, "1\n")
    assert len(typing._overload_registry) == before  # type: ignore[attr-defined]
