"""Nested tuples, lists and dictionaries of tensors, taken apart and put together again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def leaves(tree: Any) -> list[Any]:
    """What stands at the ends of a nested structure, in order."""
    if isinstance(tree, (list, tuple)):
        return [leaf for part in tree for leaf in leaves(part)]
    if isinstance(tree, dict):
        return [leaf for part in tree.values() for leaf in leaves(part)]
    return [tree]


def mapped(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """The structure with ``function`` applied at its ends; ``others`` have the same structure."""
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*[mapped(function, *parts) for parts in zip(tree, *others, strict=True)])
    if isinstance(tree, (list, tuple)):
        return type(tree)([mapped(function, *parts) for parts in zip(tree, *others, strict=True)])
    if isinstance(tree, dict):
        return {key: mapped(function, part, *[other[key] for other in others]) for key, part in tree.items()}
    return function(tree, *others)


def spread(value: Any, tree: Any) -> list[Any]:
    """``value`` for each end of ``tree``: one for all, or a structure that agrees with the upper part of the tree."""
    if isinstance(value, (list, tuple)) and isinstance(tree, (list, tuple)):
        if len(value) != len(tree):
            raise ValueError
        return [one for part, below in zip(value, tree, strict=True) for one in spread(part, below)]
    if isinstance(value, dict) and isinstance(tree, dict):
        return [one for key, below in tree.items() for one in spread(value[key], below)]
    if isinstance(value, (list, tuple, dict)):
        raise ValueError
    return [value] * len(leaves(tree))


def outline(tree: Any) -> str:
    """The form of a nested structure in one line, a star for each end."""
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{key!r}: {outline(part)}" for key, part in tree.items()) + "}"
    parts = ", ".join(map(outline, tree)) if isinstance(tree, (list, tuple)) else ""
    if isinstance(tree, list):
        return f"[{parts}]"
    return f"({parts}{',' if len(tree) == 1 else ''})" if isinstance(tree, tuple) else "*"


def structure(tree: Any, indent: int = 0) -> str:
    """The form of a nested structure, as PyTorch's messages show it."""
    if not isinstance(tree, (list, tuple, dict)):
        return "*"
    context = list(tree) if isinstance(tree, dict) else None
    parts = [structure(part, indent + 2) for part in (tree.values() if isinstance(tree, dict) else tree)]
    return f"TreeSpec({type(tree).__name__}, {context}, [{(',' + chr(10) + ' ' * (indent + 2)).join(parts)}])"
