"""Loading at once all that a run may import, for a process that will not be able to open a file later.

The engine imports some of its modules at need, NumPy most of its own, and the interpreter a few behind the back of every
program: `unicodedata` for names that are not ASCII, a module of `encodings` for each codec.
"""

from __future__ import annotations

import encodings
import importlib
import pkgutil
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Final

import numpy as np

from gradflow import engine
from gradflow.engine.namespace.torch import modules
from gradflow.engine.registry import REGISTRY

_NO_COMPUTING: Final = frozenset({"core", "ctypeslib", "distutils", "f2py", "test", "testing", "typing"})
"""What NumPy offers to those who build and test with it, and a name of old."""


def load_everything() -> None:
    """Import every module that a run may ask for, and build the functions of all operations."""
    for name in _modules_of(engine):
        importlib.import_module(name)
    for name in ("unicodedata", *_parts_of_numpy(), *_modules_of(encodings)):
        _load(name)
    modules()
    REGISTRY.complete()


def _modules_of(package: ModuleType) -> Iterator[str]:
    return (found.name for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."))


def _parts_of_numpy() -> list[str]:
    """From its own table of what it imports at the first mention."""
    table: set[str] = np.__numpy_submodules__
    return [f"numpy.{name}" for name in sorted(table - _NO_COMPUTING)]


def _load(name: str) -> None:
    """Import a module. One of another system (`encodings.mbcs`) is noted as missing, which ends the search for it."""
    try:
        importlib.import_module(name)
    except ImportError:
        sys.modules[name] = None  # type: ignore[assignment]  # the interpreter's own sign for it
