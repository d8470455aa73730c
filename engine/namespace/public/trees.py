"""``torch.utils._pytree``: nested tuples, lists and dictionaries taken apart, and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.autograd.pytree import leaves, mapped, structure
from gradflow.engine.sandbox.gate import allow


class TreeSpec:
    """The form of a nested structure, without what stands at its ends."""

    def __init__(self, form: Any) -> None:
        self._form = form
        self.num_leaves = len(leaves(form))

    def is_leaf(self) -> bool:
        """Whether this is the form of a single value."""
        return not isinstance(self._form, list | tuple | dict)

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The structure with these values at its ends."""
        given = list(leaves)
        if len(given) != self.num_leaves:
            raise errors.MODULE_ARGUMENT(
                message=f"treespec.unflatten(leaves): `leaves` has length {len(given)} but the spec refers to a pytree"
                f" that holds {self.num_leaves} items ({self!r})."
            )
        values = iter(given)
        return mapped(lambda _: next(values), self._form)

    def __repr__(self) -> str:
        return structure(self._form)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TreeSpec) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))


def tree_structure(tree: Any) -> TreeSpec:
    """The form of a nested structure."""
    return TreeSpec(mapped(lambda _: None, tree))


def tree_flatten(tree: Any) -> tuple[list[Any], TreeSpec]:
    """What stands at the ends of a structure, and its form."""
    return leaves(tree), tree_structure(tree)


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """The structure of this form with these values at its ends."""
    return treespec.unflatten(leaves)


def tree_leaves(tree: Any) -> list[Any]:
    """What stands at the ends of a structure."""
    return leaves(tree)


def tree_iter(tree: Any) -> Iterator[Any]:
    """What stands at the ends of a structure, one after the other."""
    return iter(leaves(tree))


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any) -> Any:
    """The structure with the results of ``func`` at its ends."""
    return mapped(func, tree, *rests)


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any) -> Any:
    """``func`` called at the ends of a structure, which is given back."""
    mapped(func, tree, *rests)
    return tree


def _limited(kinds: Any, func: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: func(value) if isinstance(value, kinds) else value


def tree_map_only(type_or_types_or_pred: Any, func: Callable[[Any], Any], tree: Any) -> Any:
    """The structure with the results of ``func`` in place of values of some types."""
    return mapped(_limited(type_or_types_or_pred, func), tree)


def tree_any(pred: Callable[[Any], bool], tree: Any) -> bool:
    """Whether something holds at one end at least."""
    return any(map(pred, leaves(tree)))


def tree_all(pred: Callable[[Any], bool], tree: Any) -> bool:
    """Whether something holds at all ends."""
    return all(map(pred, leaves(tree)))


_FUNCTIONS = (
    tree_all,
    tree_any,
    tree_flatten,
    tree_iter,
    tree_leaves,
    tree_map,
    tree_map_,
    tree_map_only,
    tree_structure,
    tree_unflatten,
)


def members() -> dict[str, dict[str, Any]]:
    """What the modules show, by their full names."""
    TreeSpec.__module__ = "torch.utils._pytree"
    allow(TreeSpec, ("is_leaf", "num_leaves", "unflatten"))
    return {
        "torch.utils._pytree": {**{each.__name__: each for each in _FUNCTIONS}, "TreeSpec": TreeSpec, "PyTree": Any}
    }
