"""Helpers of formulas that are made of operations."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gradflow.engine.registry import REGISTRY, Helper


def composed(latex: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a helper of formulas that is made of operations: its first argument finds one of them by name.

    The form for arrays runs their bodies, the one for Tensors the functions that record themselves.
    """

    def declare(body: Callable[..., Any]) -> Callable[..., Any]:
        name = body.__name__
        arrays, tensors = partial(body, lambda o: REGISTRY[o].body), partial(body, lambda o: REGISTRY[o].call)
        REGISTRY.helpers[name] = Helper(name, arrays, tensors, latex)
        return body

    return declare
