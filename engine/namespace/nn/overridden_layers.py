"""Layers that are given objects with ``__torch_function__``: in PyTorch their ``forward`` calls a function, which asks.

The layers here compute without that function; its name and its arguments but for the input are those of the layer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from gradflow.engine.namespace.functional import torch_nn_functional
from gradflow.engine.namespace.overriding import asked_kinds, overridden
from gradflow.engine.sandbox.gate import is_program_function
from gradflow.engine.state import STATE

_OTHERS: Final = {
    "BCELoss": "binary_cross_entropy",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "CrossEntropyLoss": "cross_entropy",
    "KLDivLoss": "kl_div",
}


TRACING: Final[set[type]] = set()
"""Modes that see calls of modules, too: those of ``torch.fx``."""


def called(module: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """``module.forward(*args, **kwargs)``, by way of ``__torch_function__`` where an argument has it."""
    if STATE.function_modes and type(STATE.function_modes[-1]) in TRACING:
        return STATE.function_modes[-1].call_module(module, args, kwargs)
    forward = module.forward
    title = _function_of(type(module))
    if title is None or not (STATE.function_modes or (STATE.torch_functions and asked_kinds(args, kwargs))):
        return forward(*args, **kwargs)

    def function(*inputs: Any, **further: Any) -> Any:
        return forward(*inputs, **further)

    function.__name__ = function.__qualname__ = title
    function.__module__ = "torch.nn.functional"
    return overridden(function, args, kwargs, f"torch.nn.functional.{title}")


@cache
def _names() -> dict[str, str]:
    return {name.replace("_", ""): name for name in torch_nn_functional.functions() if not name.endswith("_")}


def _function_of(cls: type) -> str | None:
    """The function that the ``forward`` of a layer of PyTorch's is; None where it is another, or the program's own."""
    own: Callable[..., Any] | None = getattr(cls, "forward", None)
    if own is None or is_program_function(own):
        return None
    owner = next(kind for kind in cls.__mro__ if "forward" in vars(kind) or kind.__module__.startswith("torch."))
    plain = owner.__name__.lower()
    found = (_names().get(each) for each in (plain, re.sub(r"[123]d$", "", plain)))
    return _OTHERS.get(owner.__name__) or next((each for each in found if each is not None), None)
