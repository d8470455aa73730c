"""How large and how deep a text may be that becomes a program, and room for what goes through its tree."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from gradflow.engine.sandbox.loops import children

MAX_BYTES: Final = 64 * 1024
MAX_DEPTH: Final = 400
_FRAMES_PER_LEVEL: Final = 8


def depth_of(tree: ast.AST) -> int:
    """How many levels a tree has."""
    depth, level = 0, [tree]
    while level:
        depth, level = depth + 1, [child for node in level for child in children(node)]
    return depth


def calls_in_progress() -> int:
    """How many calls of Python functions lie between here and the outermost one."""
    count, frame = 0, sys._getframe()
    while frame.f_back is not None:
        count, frame = count + 1, frame.f_back
    return count


@contextmanager
def parsing() -> Iterator[None]:
    """Room for visitors, which go several frames deep for each level of the tree, and no warnings about the text."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, MAX_DEPTH * _FRAMES_PER_LEVEL + 1000))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.setrecursionlimit(limit)
