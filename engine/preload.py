"""Loading the whole engine at once, for a process that will not be able to open its files later."""

from __future__ import annotations

import importlib
import pkgutil

from gradflow import engine
from gradflow.engine.namespace.torch import modules
from gradflow.engine.registry import REGISTRY


def load_everything() -> None:
    """Import every module of the engine, and build the functions of all operations."""
    for found in pkgutil.walk_packages(engine.__path__, f"{engine.__name__}."):
        importlib.import_module(found.name)
    modules()
    REGISTRY.complete()
