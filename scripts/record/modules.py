"""Record the public modules of PyTorch and what each of them shows, by which programs import what the engine provides.

    python -m scripts.record.modules

Writes engine/pytorch/modules.txt: a module in brackets with the names that ``import *`` takes, then every other name that
it shows, one a line; behind a name stands its home where that is another place. The home of an object that several
modules show is the shortest path to it. ``+`` marks a module that becomes an attribute of its package once it is imported.
Of the modules in `UNREAD` only the path is written. Needs PyTorch.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import torch

LOADED: Final = {name: set(vars(module)) for name, module in sys.modules.items() if name.split(".")[0] == "torch"}
"""What the modules show that ``import torch`` loads."""

TARGET: Final = Path("engine") / "pytorch" / "modules.txt"
HEAD: Final = "# PyTorch 2.13.0, scripts/record/modules.py: the public modules, and what each of them shows\n"
ELSEWHERE: Final = ("functorch", "functorch.compile", "functorch.dim", "functorch.einops", "functorch.experimental")
READ: Final = (
    "torch", "torch.amp", "torch.autograd", "torch.compiler", "torch.cuda", "torch.cuda.amp", "torch.distributions", "torch.fft", "torch.func",
    "torch.functional", "torch.fx", "torch.hub", "torch.jit", "torch.linalg", "torch.nn", "torch.optim", "torch.overrides",
    "torch.random", "torch.return_types", "torch.serialization", "torch.special", "torch.storage", "torch.testing",
    "torch.types", "torch.utils", "torch.utils.checkpoint", "torch.utils.data", "functorch",
)  # fmt: skip
"""The modules and packages whose names are written."""
BELOW: Final = (
    "torch.amp",
    "torch.autograd",
    "torch.cuda.amp",
    "torch.distributions",
    "torch.nn",
    "torch.optim",
    "torch.utils.data",
)
"""The packages of which the same holds for all modules within."""
UNREAD: Final = ("cpp", "datapipes", "intrinsic", "profiler", "qat", "quantizable", "quantized", "test")
NOT_MODULES: Final = ("__main__", "conftest", "setup")


def paths(package: ModuleType) -> Iterator[str]:
    """The public modules of a package by full name, itself first."""
    yield package.__name__
    for found in pkgutil.iter_modules(getattr(package, "__path__", []), f"{package.__name__}."):
        name = found.name.rpartition(".")[2]
        if name.startswith("_") or name in NOT_MODULES:
            continue
        module = imported(found.name) if found.ispkg else None
        if module is None:
            yield found.name
        else:
            yield from paths(module)


def imported(name: str) -> ModuleType | None:
    """A module, if what it needs is there."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except Exception:  # whatever a module of PyTorch raises where its libraries are missing
        return None


def is_read(name: str) -> bool:
    inside = name in READ or name.startswith(tuple(f"{package}." for package in BELOW))
    return inside and not set(name.split(".")) & set(UNREAD)


def shown(module: ModuleType) -> dict[str, Any]:
    """What a module shows: no special name, and nothing of Python's own or of another library but modules of PyTorch."""
    names = LOADED.get(module.__name__, set(vars(module)))
    found = {name: value for name, value in vars(module).items() if name in names and not name.startswith("__")}
    return {name: value for name, value in sorted(found.items()) if is_own(value)}


def is_own(value: object) -> bool:
    home = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return not isinstance(home, str) or home.split(".")[0] in ("torch", "functorch", "builtins")


def homes(modules: dict[str, ModuleType]) -> dict[int, str]:
    """The home of every object that has an identity worth the name: modules, classes, functions."""
    found: dict[int, tuple[int, bool, str]] = {}
    for path, module in modules.items():
        for name, value in shown(module).items():
            if isinstance(value, ModuleType) or callable(value):
                of_its_own = getattr(value, "__module__", None) == path
                rank = (path.count("."), not of_its_own, f"{path}.{name}")
                found[id(value)] = min(found.get(id(value), rank), rank)
    return {key: path for key, (_, _, path) in found.items()} | {id(m): path for path, m in modules.items()}


def section(path: str, module: ModuleType, known: dict[int, str]) -> Iterator[str]:
    """The lines of one module."""
    starred = getattr(module, "__all__", None)
    yield f"[{path}]" + "".join(f" {name}" for name in sorted(starred or ()))
    for name, value in shown(module).items():
        home = known.get(id(value), f"{path}.{name}")
        yield name if home == f"{path}.{name}" else f"{name} {home}"
    if path in LOADED:
        inner = (name.rpartition(".")[2] for name in EVERY if name.rpartition(".")[0] == path)
        hidden = {name for name in vars(module) if isinstance(vars(module)[name], ModuleType)} - LOADED[path]
        yield from (f"+{name}" for name in sorted(hidden & set(inner)))


EVERY: Final = sorted({*paths(torch), *(name for name in ELSEWHERE if imported(name))})


def main() -> None:
    modules = {name: module for name in EVERY if is_read(name) and (module := imported(name)) is not None}
    known = homes(modules)
    lines = [
        line for name in EVERY for line in (section(name, modules[name], known) if name in modules else [f"[{name}]"])
    ]
    TARGET.write_text(HEAD + "".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
