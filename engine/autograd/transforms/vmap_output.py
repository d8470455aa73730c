"""What a function prints inside of ``vmap``: once for all examples, with a whole batch in place of each tensor.

`vmap` calls the function for one example after another. What each call prints is kept; in place of a tensor stands a
mark. At the end the text of the first call is printed, with every mark replaced by what all calls have put there.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from gradflow.engine.tensor import Tensor

_MARK: Final = re.compile("\0v([0-9]+)\0")
_known: dict[int, Callable[[], str]] = {}


class Shown:
    """A tensor that was printed in one call: its elements then, and the text for elements in their place."""

    def __init__(self, tensor: Tensor, text: Callable[[np.ndarray], str]) -> None:
        self.tensor, self.array, self.text = tensor, tensor._a.copy(), text


class MappedOutput:
    """The output of the calls of one `vmap`."""

    def __init__(self) -> None:
        self.texts: list[list[str]] = []
        self.shown: list[list[Shown]] = []
        self.write: Callable[[str], None] | None = None
        self.level = self.start = 0
        self.batches: dict[int, tuple[Tensor, int]] = {}
        self.first: dict[int, tuple[Tensor, int]] = {}
        """The arguments of the call in progress, and of the first one, with the whole batches."""

    def begin(self, pairs: list[tuple[Any, Any, int | None]]) -> None:
        """The next example. ``pairs``: its arguments, with the whole batches that they are from, and the dimension."""
        self.batches = {
            id(part): (whole, dim) for part, whole, dim in pairs if dim is not None and isinstance(part, Tensor)
        }
        self.first = self.first or self.batches
        self.texts.append([])
        self.shown.append([])

    def capture(self, text: str, write: Callable[[str], None]) -> None:
        """Keep what a call prints."""
        self.write = write
        self.texts[-1].append(text)

    def mark(self, level: int, shown: Shown) -> str:
        """The mark that stands for a tensor, the same one for all examples."""
        self.level = level
        place = len(self.shown[-1])
        self.shown[-1].append(shown)
        if len(self.shown) > 1:
            return ""  # the text of the first call alone is printed
        number = len(_known)
        whole = self.batches.get(id(shown.tensor))
        text = None if whole is None else self.framed(shown.text(whole[0]._a), whole[1])
        _known[number] = lambda: self.batched(place) if text is None else text
        return f"\0v{number}\0"

    def batched(self, place: int) -> str:
        """The text for the tensor at this place, from all calls that came so far."""
        each = [calls[place] for calls in self.shown if len(calls) > place]
        first = each[0]
        arrays = [one.array for one in each]
        same = not self.depends(first.tensor) and all(
            np.array_equal(first.array, a, equal_nan=first.array.dtype.kind in "fcV") for a in arrays
        )
        if same or any(a.shape != first.array.shape for a in arrays):
            return first.text(first.array)
        return self.framed(first.text(np.stack(arrays)), 0)

    def depends(self, tensor: Tensor) -> bool:
        """Whether a tensor of the first call was computed from an argument that is mapped over."""
        seen, stack = set[int](), [tensor._entry]
        while stack:
            entry = stack.pop()
            if entry is None or entry.number in seen:
                continue
            if id(entry.tensor) in self.first:
                return True
            seen.add(entry.number)
            stack += [part for part in (entry.node.inputs if entry.node else ()) if entry.number >= self.start]
        return False

    def framed(self, text: str, dim: int) -> str:
        """The text of a batch, as one tensor of this level."""
        inner = textwrap.indent(text, "    ")
        return f"BatchedTensor(lvl={self.level}, bdim={dim}, value=\n{inner}\n)"

    def end(self) -> None:
        """Print what the first call has printed."""
        if self.write is not None and self.texts:
            for text in self.texts[0]:
                self.write(text)


def resolved(text: str) -> str:
    """The text with every mark replaced."""

    def replace(found: re.Match[str]) -> str:
        known = _known.get(int(found[1]))
        before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        margin = before if not before.strip() else ""
        return "" if known is None else known().replace("\n", f"\n{margin}")

    while _MARK.search(text):
        text = _MARK.sub(replace, text)
    return text


def forget() -> None:
    """No marks are left from another run."""
    _known.clear()
