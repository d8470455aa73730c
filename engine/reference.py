"""What programs can call: the reference of the API, and completion in an editor.

Operations tell about themselves by their declaration. All else is found where programs find it, in the modules that
they import and on Tensor, and tells by its signature and the first paragraph of its docstring.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from threading import Lock
from typing import Any, Final, Literal, TypeAlias, cast

from gradflow.engine.dispatch.signatures import overloads
from gradflow.engine.namespace.distributions.base import Distribution
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.namespace.optim.schedulers import LRScheduler
from gradflow.engine.namespace.torch import modules
from gradflow.engine.recording.rules.latex import forward_text, rule_text
from gradflow.engine.registry import REGISTRY, Op
from gradflow.engine.sandbox.gate import is_readable
from gradflow.engine.sandbox.stand_ins import Module
from gradflow.engine.tensor import Tensor

Kind = Literal["operation", "function", "method", "layer", "optimizer", "scheduler", "distribution", "class"]
Entry: TypeAlias = dict[str, object]

_BASES: Final[tuple[tuple[type, Kind], ...]] = (
    (Layer, "layer"),
    (Optimizer, "optimizer"),
    (LRScheduler, "scheduler"),
    (Distribution, "distribution"),
)
_RECORDED: Final = {
    "torch.nn.functional": "nn.",
    "torch.linalg": "linalg.linalg_",
    "torch.fft": "fft.fft_",
    "torch.special": "special.special_",
    "torch.Tensor": "Tensor.",
    "torch": "",
}
"""Under which names the signatures of a module's functions were recorded."""


_AT_WORK: Final = Lock()
"""Formulas are parsed for it, and Python 3.11 miscounts where two threads parse at a time."""


def describe() -> list[Entry]:
    """All that a program can call, by name, and of one name the operations first.

    An operation of several overloads (``sum``, ``pow``) has an entry for each. What is found at several places
    (``torch.concat``, ``torch.cat``) has one entry with all of them, the shortest first.
    """
    with _AT_WORK:
        return _entries()


@cache
def _entries() -> list[Entry]:
    callables = list(_callables())
    there = {place for place, _ in callables}
    operations = {id(o): (o, places) for o in REGISTRY if (places := [each for each in _places(o) if each in there])}
    owner = {id(call): id(o) for o, _ in operations.values() for call in (o.call, o.call_inplace) if call is not None}
    covered = {place for _, places in operations.values() for place in places}
    others: dict[int, tuple[Callable[..., Any], list[str]]] = {}
    for place, found in callables:
        plain = inspect.unwrap(found)
        if place in covered:
            continue
        if id(plain) in owner:
            operations[owner[id(plain)]][1].append(place)
        else:
            others.setdefault(id(plain), (found, []))[1].append(place)
    entries = [_operation(o, places) for o, places in operations.values()]
    entries += [_other(found, sorted(places, key=_nearness)) for found, places in others.values()]
    return sorted(entries, key=lambda entry: (entry["name"], entry["kind"] != "operation", entry["functions"]))


def find(name: str) -> list[Entry]:
    """The entries of a name: dotted (``torch.nn.Linear``, ``nn.Linear``, ``Tensor.mm``, ``F.relu``) or bare (``relu``)."""
    dotted = name.replace("F.", "torch.nn.functional.", 1) if name.startswith("F.") else name
    for place in (dotted, f"torch.{dotted}"):
        found = [entry for entry in describe() if place in _functions(entry)]
        if found:
            return found
    return [entry for entry in describe() if name in {place.rpartition(".")[2] for place in _functions(entry)}]


def similar(name: str) -> list[str]:
    """Names that somebody may have meant, the likeliest first."""
    places = [place for entry in describe() for place in _functions(entry)]
    if "." in name:
        return get_close_matches(name if name.startswith("torch.") else f"torch.{name}", places, n=3, cutoff=0.75)
    nearest: dict[str, str] = {}
    for place in sorted(places, key=_nearness):
        nearest.setdefault(place.rpartition(".")[2], place)
    return [nearest[each] for each in get_close_matches(name, nearest, n=3, cutoff=0.75)]


def search(text: str = "", kind: Kind | None = None) -> list[Entry]:
    """The entries with a name that contains a text, in capitals or not, and of a kind."""
    wanted = text.lower()
    return [
        entry
        for entry in describe()
        if kind in (None, entry["kind"]) and any(wanted in place.lower() for place in _functions(entry))
    ]


def _functions(entry: Entry) -> list[str]:
    return cast("list[str]", entry["functions"])


def _nearness(place: str) -> tuple[bool, int, str]:
    """Functions before the methods of the same name, and of a class where it is made known."""
    return place.startswith("torch.Tensor."), place.count("."), place


# -- what there is -----------------------------------------------------------------------------------------------------


def _callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Everything that can be called, by its dotted name: functions and classes, and the methods of classes."""
    classes: dict[type, str] = {Tensor: "torch.Tensor"}
    reached = modules()
    for module, members in reached.items():
        for name in members.names() if _is_reached(module, reached) else ():
            found = getattr(members, name)
            if not callable(found) or isinstance(found, Module) or name.startswith("_"):
                continue
            place = f"{module}.{name}"
            yield place, found
            if isinstance(found, type):
                classes[found] = min(classes.get(found, place), place, key=_nearness)
    for owner, place in classes.items():
        yield from _methods(owner, place, classes)


def _is_reached(module: str, reached: Mapping[str, Module]) -> bool:
    """Whether a dotted name leads to a module: some can only be imported from, as in PyTorch."""
    parent, _, leaf = module.rpartition(".")
    if not parent:
        return True
    above = reached.get(parent)
    return getattr(above, leaf, None) is reached[module] and _is_reached(parent, reached)


def _methods(owner: type, place: str, classes: dict[type, str]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The methods that a class adds to those of its bases."""
    inherited = [base for base in owner.__mro__[1:] if base in classes]
    for name, found in vars(owner).items():
        found = getattr(found, "__func__", found)  # of a static method or a class method
        known = name.startswith("_") or any(hasattr(base, name) for base in inherited)
        if inspect.isfunction(found) and not known and is_readable(owner, name):
            yield f"{place}.{name}", found


def _places(o: Op) -> list[str]:
    """The dotted names under which programs find an operation, in-place forms apart.

    An overload has those of the function that it serves; without a gradient it is a mere step of that function.
    """
    if o.functions or o.methods:
        return [f"torch.{name}" for name in o.functions] + [f"torch.Tensor.{name}" for name in o.methods]
    if not o.torch or not o.texts or o.torch.endswith("_"):
        return []
    return [f"torch.{o.torch}", f"torch.Tensor.{o.torch}"]


# -- what is told of it ------------------------------------------------------------------------------------------------


def _operation(o: Op, places: list[str]) -> Entry:
    return {
        "name": places[0].rpartition(".")[2],
        "kind": "operation",
        "functions": places,
        "signature": _shown(p.parameter for p in o.params),
        "signatures": _recorded(places),
        "doc": o.doc,
        "grad_fn": o.grad_fn if o.texts else None,
        "latex": forward_text(o),
        "gradients": [
            {
                "parameter": key,
                "formula": text,
                "latex": rule_text(o, key),
                "saved": sorted(slot for slot in o.gradients[key].slots if "__" not in slot),
            }
            for key, text in o.texts.items()
        ],
    }


def _other(found: Callable[..., Any], places: list[str]) -> Entry:
    return {
        "name": places[0].rpartition(".")[2],
        "kind": _kind(found, places[0]),
        "functions": places,
        "signature": _signature(found),
        "signatures": _recorded(places),
        "doc": (inspect.getdoc(found) or "").partition("\n\n")[0],
        "grad_fn": None,
        "latex": "",
        "gradients": [],
    }


def _kind(found: Callable[..., Any], place: str) -> Kind:
    if isinstance(found, type):
        return next((kind for base, kind in _BASES if issubclass(found, base)), "class")
    if not inspect.isfunction(inspect.unwrap(found)):
        return "class"  # such as torch.FloatTensor, which stands for one
    owner = place.rpartition(".")[0]
    return "function" if owner in modules() else "method"


def _signature(found: Callable[..., Any]) -> str:
    try:
        parameters = list(inspect.signature(found).parameters.values())
    except ValueError:  # an exception, of which Python does not know
        return "(*args)"
    return _shown(p for p in parameters if p.name != "self")


class _Default:
    """A default value as a reader writes it: a function by its name, and what only tells that nothing was given by dots."""

    def __init__(self, value: object) -> None:
        self.text = getattr(value, "__name__", "...") if " at 0x" in repr(value) else repr(value)

    def __repr__(self) -> str:
        return self.text


def _shown(parameters: Iterable[inspect.Parameter]) -> str:
    """Parameters with their defaults and without annotations, which are the engine's own."""
    empty = inspect.Parameter.empty
    plain = [
        p.replace(annotation=empty, default=p.default if p.default is empty else _Default(p.default))
        for p in parameters
    ]
    return str(inspect.Signature(plain))


def _recorded(places: list[str]) -> list[str]:
    """PyTorch's own signatures, for the first place that has any."""
    for place in places:
        owner, _, name = place.rpartition(".")
        known = overloads().get(_RECORDED.get(owner, "?") + name)
        if known is not None:
            return [s.text for s in known.signatures if not s.hidden]
    return []
