"""Gradflow: what PyTorch's ``backward(gradient)`` does, shown."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradflow.engine.run import InvalidRequest, run
    from gradflow.engine.trace import Trace

    __version__: str

__all__ = ["InvalidRequest", "Trace", "__version__", "run"]

_HOMES = {"InvalidRequest": "gradflow.engine.run", "Trace": "gradflow.engine.trace", "run": "gradflow.engine.run"}


def __getattr__(name: str) -> Any:
    """What is public, imported when it is first asked for: helper processes need only a part."""
    if name == "__version__":
        return version("gradflow")
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
