"""Modules that are a function and its settings, from one line each."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from engine.namespace import functional
from engine.nn.module import Module

Shown = Callable[[Any], str]


def settings(*names: str, optional: Mapping[str, object] | None = None) -> Shown:
    """``name=value`` for each, and for the ``optional`` ones that are not as given here."""

    def shown(module: Any) -> str:
        parts = [f"{name}={getattr(module, name)}" for name in names]
        parts += [f"{n}={getattr(module, n)}" for n, usual in (optional or {}).items() if getattr(module, n) != usual]
        return ", ".join(parts)

    return shown


def nothing(module: Any) -> str:
    """No settings are shown."""
    return ""


def with_inplace(*names: str) -> Shown:
    """Settings, and whether the module works in place."""
    return settings(*names, optional={"inplace": False})


_REQUIRED = inspect.Parameter.empty


def layer(
    name: str, function: str, parameters: Mapping[str, Any], shown: Shown = nothing, *,
    training: bool = False, settle: Callable[[Any], None] | None = None,
) -> type[Module]:  # fmt: skip
    """A module that calls ``torch.nn.functional.<function>`` with its inputs and its settings.

    ``parameters`` are the arguments of the constructor with their defaults (``...`` where there is none);
    ``settle`` completes them.
    """
    apply = functional.functions()[function]
    accepted = inspect.signature(apply).parameters
    kept = [p for p in parameters if p in accepted]
    signature = inspect.Signature([_parameter("self", ...), *(_parameter(n, d) for n, d in parameters.items())])

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        given = signature.bind(self, *args, **kwargs)
        given.apply_defaults()
        Module.__init__(self)
        for key, value in list(given.arguments.items())[1:]:
            setattr(self, key, value)
        if settle is not None:
            settle(self)

    def forward(self: Any, *args: Any) -> Any:
        named = {key: getattr(self, key) for key in kept}
        if training:
            named["training"] = self.training
        return apply(*args, **named)

    members: dict[str, Any] = {"__init__": __init__, "forward": forward, "extra_repr": lambda self: shown(self)}
    members["__doc__"] = f"`torch.nn.functional.{function}` as a module."
    made = type(name, (Module,), members)
    __init__.__qualname__ = f"{name}.__init__"
    return made


def _parameter(name: str, default: Any) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=_REQUIRED if default is ... else default
    )
