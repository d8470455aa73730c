"""The argument ``device`` of layers: there is the CPU, and every other device is refused when a layer is made."""

from __future__ import annotations

import functools
from typing import Any

from gradflow.engine.numerics.mersenne_twister import GENERATOR
from gradflow.engine.state import STATE
from gradflow.engine.tensor.device import CPU, is_meta, require_cpu


def _begin_on_meta(begin: Any, layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Make a layer whose parameters have no elements; no random number is drawn for them."""
    state, STATE.device, before = GENERATOR.state(), None, STATE.device
    try:
        begin(layer, *args, **kwargs)
    finally:
        STATE.device = before
    GENERATOR.restore(state)
    layer.to("meta")


def check_device(cls: type) -> None:
    """Have the constructor of a class of layers, where it takes a device, refuse one that is not there."""
    begin: Any = vars(cls).get("__init__")
    code = getattr(begin, "__code__", None)
    names = () if code is None else code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if "device" not in names:
        return
    place = names.index("device") - 1

    @functools.wraps(begin)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        device = kwargs["device"] if "device" in kwargs else args[place] if len(args) > place else None
        if device is None:
            device = STATE.device
        if is_meta(device):
            kwargs = {name: value for name, value in kwargs.items() if name != "device"}
            _begin_on_meta(
                begin, self, (*args[:place], None, *args[place + 1 :]) if len(args) > place else args, kwargs
            )
            return
        if device is not None and device != CPU:
            require_cpu(device)
        begin(self, *args, **kwargs)

    cls.__init__ = __init__  # type: ignore[misc]  # the same constructor, which looks first
