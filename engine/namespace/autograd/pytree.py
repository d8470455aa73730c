"""Nested tuples, lists and dictionaries of tensors, taken apart and put together again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradflow.engine.sandbox.gate import is_program_class


def _parts(tree: Any) -> tuple[Any, ...] | None:
    """What stands in a list or a tuple, taken once. As in PyTorch, classes of a program are ends, but for named tuples."""
    if not isinstance(tree, (list, tuple)):
        return None
    if not is_program_class(type(tree)):
        return tuple(tree)
    return tuple(tuple.__iter__(tree)) if isinstance(tree, tuple) and hasattr(type(tree), "_fields") else None


def _is_dict(tree: Any) -> bool:
    return isinstance(tree, dict) and not is_program_class(type(tree))


def leaves(tree: Any) -> list[Any]:
    """What stands at the ends of a nested structure, in order."""
    if (parts := _parts(tree)) is not None:
        return [leaf for part in parts for leaf in leaves(part)]
    if _is_dict(tree):
        return [leaf for part in tree.values() for leaf in leaves(part)]
    return [tree]


def mapped(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """The structure with ``function`` applied at its ends; ``others`` have the same structure."""
    if (own := _parts(tree)) is not None:
        made = [mapped(function, *parts) for parts in zip(own, *others, strict=True)]
        if is_program_class(type(tree)):  # past its `__new__`, which could give anything
            return tuple.__new__(type(tree), made)
        return type(tree)(*made) if hasattr(tree, "_fields") else type(tree)(made)
    if _is_dict(tree):
        return {key: mapped(function, part, *[other[key] for other in others]) for key, part in tree.items()}
    return function(tree, *others)


def spread(value: Any, tree: Any) -> list[Any]:
    """``value`` for each end of ``tree``: one for all, or a structure that agrees with the upper part of the tree."""
    given, own = _parts(value), _parts(tree)
    if given is not None and own is not None:
        if len(given) != len(own):
            raise ValueError
        return [one for part, below in zip(given, own, strict=True) for one in spread(part, below)]
    if _is_dict(value) and _is_dict(tree):
        return [one for key, below in tree.items() for one in spread(value[key], below)]
    if given is not None or _is_dict(value):
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
    own = tree.values() if _is_dict(tree) else _parts(tree)
    if own is None:
        return "*"
    context = list(tree) if _is_dict(tree) else None
    parts = [structure(part, indent + 2) for part in own]
    return f"TreeSpec({type(tree).__name__}, {context}, [{(',' + chr(10) + ' ' * (indent + 2)).join(parts)}])"
