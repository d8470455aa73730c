"""The argument ``device`` of layers: there is the CPU, and every other device is refused when a layer is made."""

from __future__ import annotations

import functools
from typing import Any

from gradflow.engine.tensor.device import require_cpu


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
        if device is not None:
            require_cpu(device)
        begin(self, *args, **kwargs)

    cls.__init__ = __init__  # type: ignore[misc]  # the same constructor, which looks first
