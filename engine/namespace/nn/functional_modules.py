"""Modules that are a function and its settings, from one line each."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from gradflow.engine.dispatch.compile import complete
from gradflow.engine.namespace.functional import torch_nn_functional
from gradflow.engine.namespace.nn.abstract import kin
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.tensor_arguments import need

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
    name: str,
    function: str,
    parameters: Mapping[str, Any],
    shown: Shown = nothing,
    *,
    training: bool = False,
    settle: Callable[[Any], None] | None = None,
    buffers: tuple[str, ...] = (),
    of_torch: str = "",
) -> type[Module]:
    """A module that calls ``torch.nn.functional.<function>`` with its inputs and its settings.

    ``parameters`` are the arguments of the constructor with their defaults (``...`` where there is none), of which
    those after ``"*"`` are by keyword only; ``settle`` completes them; ``buffers`` are those that are state; ``of_torch`` is the function
    of ``torch`` by whose name PyTorch refuses what is no tensor, where that is another one.
    """
    apply = torch_nn_functional.functions()[function]
    accepted = inspect.signature(complete(getattr(apply, "__wrapped__", apply))).parameters
    kept = [p for p in parameters if p in accepted]
    signature = _signature(parameters)
    inputs = _signature(
        {
            p: d.default if d.default is not _REQUIRED else ...
            for p, d in accepted.items()
            if p not in parameters and p not in ("training", "out", "generator")
        }
    )
    needed = sum(p.default is _REQUIRED for p in inputs.parameters.values()) - 1

    base = kin(name)
    builder = base.__name__ if "__init__" in vars(base) and base.__name__.endswith("Nd") else name

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        given = bound(f"{builder}.__init__", signature, self, args, kwargs)
        Module.__init__(self)
        for key, value in list(given.items())[1:]:
            if key in buffers:
                self.register_buffer(key, value)
            else:
                setattr(self, key, value)
        if settle is not None:
            settle(self)

    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) != needed:
            args = tuple(bound(f"{name}.forward", inputs, self, args, kwargs).values())[1:]
        if of_torch:
            need(args[0], of_torch)
        named = {key: getattr(self, key) for key in kept}
        if training:
            named["training"] = self.training
        return apply(*args, **named)

    members: dict[str, Any] = {"__init__": __init__, "forward": forward, "extra_repr": lambda self: shown(self)}
    members["__doc__"] = f"`torch.nn.functional.{function}` as a module."
    made = type(name, (base,), members)
    __init__.__qualname__ = f"{name}.__init__"
    return made


def _signature(parameters: Mapping[str, Any]) -> inspect.Signature:
    kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    names, later, listed = list(parameters), False, [inspect.Parameter("self", kinds[0])]
    for name in names:
        if name == "*":
            later = True
            continue
        default = parameters[name]
        listed.append(inspect.Parameter(name, kinds[later], default=_REQUIRED if default is ... else default))
    return inspect.Signature(listed)


def bound(
    name: str, signature: inspect.Signature, self: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """All arguments of a call by name. Raises TypeError in Python's words where they do not fit."""
    try:
        given = signature.bind(self, *args, **kwargs)
    except TypeError:
        raise _complaint(name, signature, (self, *args), kwargs) from None
    given.apply_defaults()
    return given.arguments


def _complaint(name: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Exception:
    """What Python says about these arguments: it is asked by a function that has the signature and does nothing."""
    plain = [p.replace(default=p.default if p.default is _REQUIRED else None) for p in signature.parameters.values()]
    scope: dict[str, Any] = {}
    exec(f"def asked{inspect.Signature(plain)}: pass", scope)  # a text made of the engine's own names
    scope["asked"].__qualname__ = name
    try:
        scope["asked"](*args, **kwargs)
    except TypeError as error:
        return error
    return TypeError(f"{name}() was called with arguments that do not fit")
