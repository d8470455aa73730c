"""What was recorded from PyTorch. It is read on import: a confined run cannot open files."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from gradflow.engine.pytorch.modules import shown


def _lines(name: str) -> list[str]:
    """The lines of a file beside this one, without the first, which tells where it comes from."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()[1:]


def _owners(lines: list[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for line in lines:
        if line.startswith("["):
            names = found[line.strip("[]")] = set()
        else:
            names.add(line)
    return found


_OWNERS: Final = _owners(_lines("names.txt"))
SIGNATURES: Final = _lines("signatures.txt")
"""Signatures of functions and methods, one a line, as `gradflow.engine.dispatch.signatures` reads them."""
SAVED_ATTRIBUTES: Final = {title: tuple(names) for title, *names in map(str.split, _lines("saved_attributes.txt"))}
"""Name of a function of the graph -> its attributes, without ``_saved_``; a star marks a list."""

MEMORY_ORDER: Final = dict(line.split() for line in _lines("memory_order.txt"))
"""Name of an operation -> ``rows``, ``operand`` or ``image``: how its results lie in memory, where NumPy would lay them out otherwise."""

UNBATCHED_WRITES: Final = dict(line.split() for line in _lines("unbatched_writes.txt"))
"""Name of an operation -> how `vmap` refuses its form in place: for the ``shape``, as ``arithmetic``, or under a name."""
FILLED_KEYWORDS: Final = _lines("filled_keywords.txt")
"""What PyTorch's functions of ``torch.nn.functional`` hand on to ``__torch_function__``, one a line."""


def exists(owner: str, name: str) -> bool:
    """Whether PyTorch has ``owner.name``; an owner is a module, or the name of a class."""
    return name in _OWNERS.get(owner, ()) or name in shown(owner)
