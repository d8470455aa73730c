"""The settings of ``torch.compile`` and ``Module.compile``: accepted where PyTorch accepts them, and without effect."""

from __future__ import annotations

from typing import Any, Final

from gradflow.engine import errors

_MODES: Final = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Any = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    shapes_spec: Any = None,
) -> None:
    """Raises TypeError for a setting that there is not, and RuntimeError for an unknown mode, or a mode with options."""
    if mode is not None and options is not None:
        message = "Either mode or options can be specified, but both can't be specified at the same time."
        raise errors.MODULE_RUNTIME(message=message)
    if mode is not None and mode not in _MODES:
        raise errors.MODULE_RUNTIME(message=f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
