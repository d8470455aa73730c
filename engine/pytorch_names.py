"""The public names of PyTorch, recorded by scripts/record_names.py. They are read on import: a confined run cannot."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_LINES: Final = (Path(__file__).parent / "pytorch_names.txt").read_text().splitlines()
_OWNERS: Final = {owner: frozenset(names.split()) for owner, names in (line.split(":") for line in _LINES)}


def exists(owner: str, name: str) -> bool:
    """Whether PyTorch has ``owner.name``; an owner is a module, or the name of a class."""
    return name in _OWNERS.get(owner, ())
