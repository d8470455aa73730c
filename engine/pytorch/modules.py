"""The public modules of PyTorch and what each of them shows, as `scripts.record.modules` recorded them.

The table is read on import, for a confined run cannot open files; a module's part of it is taken apart when first asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Final


def _sections(text: str) -> dict[str, str]:
    """Module -> what follows its name in the table."""
    _, *sections = f"\n{text.partition(chr(10))[2]}".split("\n[")
    return {name: rest for name, _, rest in (section.partition("]") for section in sections)}


MODULES: Final = _sections((Path(__file__).parent / "modules.txt").read_text(encoding="utf-8"))
"""The recorded part of every public module, by its path; empty where only the path is known."""


@cache
def shown(module: str) -> Mapping[str, str]:
    """What a module shows: name -> the path where the object is at home. Empty for what is no recorded module."""
    lines = MODULES.get(module, "").split("\n")[1:]
    pairs = (line.partition(" ") for line in lines if line and line[0] != "+")
    return {name: home or f"{module}.{name}" for name, _, home in pairs}


@cache
def starred(module: str) -> Collection[str]:
    """What ``from module import *`` takes, where the module has an ``__all__``."""
    return MODULES.get(module, "").partition("\n")[0].split()


@cache
def attached(module: str) -> Collection[str]:
    """The modules in a package that become its attributes only when they are imported."""
    return {line[1:] for line in MODULES.get(module, "").split("\n") if line[:1] == "+"}


def is_module(path: str) -> bool:
    """Whether PyTorch has a public module of this path."""
    return path in MODULES


def is_package(path: str) -> bool:
    """Whether a module has others within."""
    return any(name.startswith(f"{path}.") for name in MODULES)
