"""Hooks for the calls of all modules: ``torch.nn.modules.module.register_module_forward_hook`` and its kin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradflow.engine.autograd.hooks import RemovableHandle, register
from gradflow.engine.ordered_dict import OrderedDict
from gradflow.engine.state import STATE

Hook = Callable[..., Any]


def _registering(kind: str, doc: str) -> Callable[[Hook], RemovableHandle]:
    def add(hook: Hook) -> RemovableHandle:
        if STATE.module_hooks is None:
            STATE.module_hooks = {}
        return register(STATE.module_hooks.setdefault(kind, OrderedDict()), hook)

    add.__name__ = add.__qualname__ = f"register_module_{kind}_hook"
    add.__doc__ = doc
    return add


FUNCTIONS = {
    f.__name__: f
    for f in (
        _registering("forward", "Call ``hook(module, args, output)`` after every call of every module."),
        _registering("forward_pre", "Call ``hook(module, args)`` before every call of every module."),
        _registering(
            "full_backward", "Call ``hook(module, grad_input, grad_output)`` in the backward pass of every module."
        ),
        _registering("full_backward_pre", "Call ``hook(module, grad_output)`` before it."),
    )
}
