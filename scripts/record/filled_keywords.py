"""Records how PyTorch's own Python functions of ``torch.nn.functional`` hand a call on to ``__torch_function__``, for ``torch.fx``.

A line has the function's qualified name, its parameters with defaults, those handed on by place, and those by name, in their order.
"""

from __future__ import annotations

import inspect
import warnings
from pathlib import Path
from typing import Any, Final

import torch
import torch.nn.functional as F
from torch.fx.node import _get_qualified_name

TABLE: Final = Path("engine/pytorch/filled_keywords.txt")
_PLAIN: Final = (bool, int, float, str, type(None))


class Seen(Exception):
    """The call that ``__torch_function__`` was asked about."""


class Asked:
    """An argument that asks."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise Seen(func, args, kwargs or {})


def line(name: str) -> str | None:
    """What is recorded of a function; None where it hands on nothing, or what is no plain value."""
    function = getattr(F, name)
    if name.startswith("_") or not callable(function) or isinstance(function, type):
        return None
    if not inspect.isfunction(function):
        return f"{name} {_get_qualified_name(function)}" if inspect.isbuiltin(function) else None
    inner = (
        getattr(F, f"_{name}", None) if "pool" in name else None
    )  # which of two functions it is, an argument decides
    function = inner if inspect.isfunction(inner) else function
    signature = inspect.signature(function)
    try:
        needed = {p.name: Asked() for p in signature.parameters.values() if p.default is p.empty and p.kind < 2}
        function(**needed)
    except Seen as seen:
        _, args, kwargs = seen.args
    except Exception:
        return None
    else:
        return None
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in signature.parameters.values()):
        return None
    named = {id(value): key for key, value in needed.items()}
    if any(id(value) not in named for value in args):
        return None
    parameters = [p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in signature.parameters.values()]
    if not all(p.default is p.empty or isinstance(p.default, _PLAIN) for p in signature.parameters.values()):
        return None
    if not set(kwargs) <= set(signature.parameters):
        return None
    by_place = ",".join(named[id(value)] for value in args)
    return f"{name} torch.nn.functional.{name} | {', '.join(parameters)} | {by_place} | {','.join(kwargs)}"


def main() -> None:
    """Write the table."""
    warnings.simplefilter("ignore")
    lines = [found for name in sorted(vars(F)) if (found := line(name)) is not None]
    TABLE.write_text(
        f"# PyTorch {torch.__version__.partition('+')[0]}, scripts/record/filled_keywords.py: what functions hand on\n"
        + "\n".join(lines)
        + "\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
