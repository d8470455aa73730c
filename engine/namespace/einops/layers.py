"""``einops.layers.torch`` and the modules of einops as programs import them."""

from __future__ import annotations

from typing import Any

from gradflow.engine.errors import EinopsError
from gradflow.engine.namespace.einops.functions import FUNCTIONS, apply
from gradflow.engine.namespace.einops.pattern import refuse, steps
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.module_attributes import allow_module
from gradflow.engine.sandbox.stand_ins import Module as ModuleStandIn

_RANKS = 8


class _Layer(Module):
    """A pattern as a layer. Raises EinopsError where it fits no tensor of any rank."""

    pattern: str
    axes_lengths: dict[str, int]

    def __repr__(self) -> str:
        reduction = f", {self._operation!r}" if isinstance(self, Reduce) else ""
        sizes = "".join(f", {axis}={length}" for axis, length in self.axes_lengths.items())
        return f"{type(self).__name__}({self.pattern!r}{reduction}{sizes})"

    def forward(self, input: Any) -> Any:
        """The tensor as the pattern makes it."""
        try:
            return apply(input, self.pattern, self._operation, self.axes_lengths)
        except EinopsError as error:
            if "Wrong shape" in str(error):
                raise KeyError(input.dim()) from None  # as einops, which keeps the layer's steps by rank
            raise


def _settle(layer: _Layer, pattern: str, operation: Any, given: dict[str, int]) -> None:
    Module.__init__(layer)
    layer.pattern, layer.axes_lengths, layer._operation = pattern, given, operation
    try:
        _check(layer)
    except EinopsError as error:
        refuse(f" Error while preparing {layer!r}\n {error}")


def _check(layer: _Layer) -> None:
    left = layer.pattern.split("->")[0]
    count = len(left.replace("(", " ( ").split())
    ranks = range(_RANKS) if "..." in left else (_rank(left),)
    for rank in ranks if count else ():
        try:
            steps(layer.pattern, layer._operation, layer.axes_lengths, rank)
        except EinopsError as error:
            if "Wrong shape" not in str(error):
                raise


def _rank(left: str) -> int:
    depth = count = 0
    for word in left.replace("(", " ( ").replace(")", " ) ").split():
        count += depth == 0 and word != ")"
        depth += (word == "(") - (word == ")")
    return count


class Rearrange(_Layer):
    """`rearrange` as a layer."""

    def __init__(self, pattern: str, **axes_lengths: Any) -> None:
        _settle(self, pattern, "rearrange", axes_lengths)


class Reduce(_Layer):
    """`reduce` as a layer."""

    def __init__(self, pattern: str, reduction: str, **axes_lengths: Any) -> None:
        self.reduction: str = reduction
        _settle(self, pattern, reduction, axes_lengths)
        self.reduction = reduction


def modules() -> dict[str, ModuleStandIn]:
    """The modules by full name."""
    for cls in (_Layer, Rearrange, Reduce):
        cls.__module__ = "einops.layers.torch"
        allow_module(cls)
    torch = ModuleStandIn("einops.layers.torch", {"Rearrange": Rearrange, "Reduce": Reduce})
    layers = ModuleStandIn("einops.layers", {"torch": torch})
    inner = {"EinopsError": EinopsError, "__version__": "0.8.2", "layers": layers}
    for function in FUNCTIONS.values():
        function.__module__ = "einops.einops"
    whole = ModuleStandIn("einops", {**FUNCTIONS, **inner})
    return {
        "einops": whole,
        "einops.layers": layers,
        "einops.layers.torch": torch,
        "einops.einops": ModuleStandIn("einops.einops", {name: FUNCTIONS[name] for name in FUNCTIONS}),
    }
