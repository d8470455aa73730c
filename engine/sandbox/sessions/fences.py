"""An answer of a forum or a chat, pasted whole: the code stands between fences of Markdown, and around it is prose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from gradflow.engine.sandbox.sessions.magics import DroppedLine

_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})\s*\{?\.?([\w+#-]*)[^`]*$")
_CODE: Final = frozenset({"", "py", "python", "python3", "py3", "pycon", "ipython", "ipython3", "jupyter", "pytorch"})
"""Languages of fences whose content is the program's; "Python" and "PYTHON" as well."""
_STATEMENT: Final = re.compile(r"\s*(?:import\s+\w[\w.]*(?:\s+as\s+\w+)?|from\s+[\w.]+\s+import\s.*)\s*(?:#.*)?$")
"""What prose does not begin a line with: then the fences are part of a program, in one of its texts."""


def without_prose(lines: Sequence[str], shifts: Sequence[int]) -> tuple[list[str], list[int], tuple[DroppedLine, ...]]:
    """The lines between fences, moved to the left as far as their fence stands to the right, all others empty.

    The prose is told once, at its first line. A text without fences, or with code outside of them, stays as it is, but
    for a fence at its very end, which was copied along.
    """
    kept, moved, outside = [""] * len(lines), list(shifts), list[int]()
    mark, code, margin, fences = "", False, 0, 0
    for index, line in enumerate(lines):
        found = _FENCE.match(line)
        if mark:
            if found is not None and found[1].startswith(mark) and not found[2]:
                mark, code = "", False
            elif code:
                moved[index] += (cut := min(margin, len(line) - len(line.lstrip())))
                kept[index] = line[cut:]
        elif found is not None:
            mark, code, margin = found[1], found[2].lower() in _CODE, found.start(1)
            fences += code
        elif line.strip():
            outside.append(index)
    if fences == 1 and not any(kept) and outside:
        return _without_last_fence(lines, shifts)
    if not fences or any(_STATEMENT.match(lines[index]) for index in outside):
        return list(lines), list(shifts), ()
    return kept, moved, tuple(_prose(lines, index) for index in outside[:1])


def _without_last_fence(
    lines: Sequence[str], shifts: Sequence[int]
) -> tuple[list[str], list[int], tuple[DroppedLine, ...]]:
    last = max(index for index, line in enumerate(lines) if line.strip())
    return [*lines[:last], *[""] * (len(lines) - last)], list(shifts), (_prose(lines, last),)


def _prose(lines: Sequence[str], index: int) -> DroppedLine:
    line = lines[index]
    return DroppedLine(index + 1, len(line) - len(line.lstrip()), len(line.rstrip()), line.strip(), is_prose=True)
