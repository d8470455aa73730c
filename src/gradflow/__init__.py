"""Gradflow: what PyTorch's ``backward(gradient)`` does, shown.

    import gradflow

    trace = gradflow.run("c = a.mm(b)", inputs={"a": [[1, 2], [3, 4]], "b": [[5], [6]]}, gradient=[[1], [10]])
    picture = gradflow.render(trace, "svg")

    gradflow.show("c = a.mm(b)", inputs=..., gradient=...)   # in a notebook: the run, playing

`run` gives a `Trace`: every tensor, every function and every backward pass, as dataclasses. `render` draws one. In a notebook,
`%load_ext gradflow` makes a cell that begins with `%%gradflow` play.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradflow.backend.notebook import Player, show
    from gradflow.backend.pictures.render import RenderError, render
    from gradflow.engine.run import InvalidRequest, run
    from gradflow.engine.trace import Trace

__version__ = "0.1.0"

__all__ = ["InvalidRequest", "Player", "RenderError", "Trace", "__version__", "render", "run", "show"]

_HOMES = {
    "InvalidRequest": "gradflow.engine.run",
    "Player": "gradflow.backend.notebook",
    "RenderError": "gradflow.backend.pictures.render",
    "Trace": "gradflow.engine.trace",
    "render": "gradflow.backend.pictures.render",
    "run": "gradflow.engine.run",
    "show": "gradflow.backend.notebook",
}


def __getattr__(name: str) -> Any:
    """What is public, imported when it is first asked for: helper processes need only a part."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def load_ipython_extension(shell: Any) -> None:
    """Make ``%%gradflow`` known to a notebook: what IPython calls for ``%load_ext gradflow``."""
    from gradflow.backend.notebook import register

    register(shell)
