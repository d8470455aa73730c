"""``torch.utils._pytree``: nested tuples, lists and dictionaries taken apart, and put together again.

Objects of classes that a program has registered are taken apart by its own functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

from gradflow.engine import errors
from gradflow.engine.namespace.autograd.pytree import structure
from gradflow.engine.namespace.nn.module_attributes import full_name
from gradflow.engine.sandbox.gate import allow, is_program_class, type_name
from gradflow.engine.state import STATE

IsLeaf = Callable[[Any], bool] | None


class _Parts(NamedTuple):
    """What a node of a structure holds, how it is put together again, and the steps that lead to each part."""

    values: list[Any]
    join: Callable[[list[Any]], Any]
    steps: list[str]


def _parts(tree: Any, is_leaf: IsLeaf) -> _Parts | None:
    """The parts of a node; None of what stands at an end."""
    if is_leaf is not None and is_leaf(tree):
        return None
    kind = type(tree)
    if kind in STATE.tree_nodes:
        flatten, unflatten = STATE.tree_nodes[kind]
        values, context = flatten(tree)
        return _Parts(
            list(values), lambda given: unflatten(given, context), [f"[<flat index {i}>]" for i in range(len(values))]
        )
    if isinstance(tree, dict):
        keys = list(tree)
        made = type(tree) if kind.__name__ == "OrderedDict" else dict
        return _Parts(
            list(tree.values()), lambda given: made(zip(keys, given, strict=True)), [f"[{key!r}]" for key in keys]
        )
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return _Parts(list(tree), lambda given: kind(*given), [f".{name}" for name in tree._fields])
    if isinstance(tree, list | tuple):
        return _Parts(list(tree), kind, [f"[{i}]" for i in range(len(tree))])
    return None


def _ends(tree: Any, is_leaf: IsLeaf, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    parts = _parts(tree, is_leaf)
    if parts is None:
        yield path, tree
        return
    for step, value in zip(parts.steps, parts.values, strict=True):
        yield from _ends(value, is_leaf, (*path, step))


def _rebuilt(tree: Any, is_leaf: IsLeaf, values: Iterator[Any]) -> Any:
    parts = _parts(tree, is_leaf)
    return next(values) if parts is None else parts.join([_rebuilt(each, is_leaf, values) for each in parts.values])


def _along(tree: Any, is_leaf: IsLeaf, other: Any) -> list[Any]:
    """What stands in another structure where the ends of this one are. Raises ValueError where it has another form."""
    parts = _parts(tree, is_leaf)
    if parts is None:
        return [other]
    others = _parts(other, None)
    if others is None or type(other) is not type(tree) or others.steps != parts.steps:
        raise ValueError(f"Node type mismatch; expected {type(tree)!r}, but got {type_name(other)}.")
    pairs = zip(parts.values, others.values, strict=True)
    return [each for own, its in pairs for each in _along(own, is_leaf, its)]


class _End:
    """Stands at an end of a form."""


def _is_end(value: Any) -> bool:
    return isinstance(value, _End)


class TreeSpec:
    """The form of a nested structure, without what stands at its ends."""

    def __init__(self, form: Any, is_leaf: IsLeaf = None) -> None:
        ends = [_End() for _ in _ends(form, is_leaf)]
        self._form = _rebuilt(form, is_leaf, iter(ends))
        self.num_leaves = len(ends)

    def is_leaf(self) -> bool:
        """Whether this is the form of a single value."""
        return isinstance(self._form, _End)

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The structure with these values at its ends."""
        given = list(leaves)
        if len(given) != self.num_leaves:
            raise errors.MODULE_ARGUMENT(
                message=f"treespec.unflatten(leaves): `leaves` has length {len(given)} but the spec refers to a pytree"
                f" that holds {self.num_leaves} items ({self!r})."
            )
        return _rebuilt(self._form, _is_end, iter(given))

    def __repr__(self) -> str:
        return structure(self._form)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TreeSpec) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))


def tree_structure(tree: Any, is_leaf: IsLeaf = None) -> TreeSpec:
    """The form of a nested structure."""
    return TreeSpec(tree, is_leaf)


def tree_flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeSpec]:
    """What stands at the ends of a structure, and its form."""
    return tree_leaves(tree, is_leaf), TreeSpec(tree, is_leaf)


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """The structure of this form with these values at its ends."""
    if not isinstance(treespec, TreeSpec):
        kind = f"<class '{full_name(treespec)}'>"
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {kind}.")
    return treespec.unflatten(leaves)


def tree_leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """What stands at the ends of a structure."""
    return [value for _, value in _ends(tree, is_leaf)]


def tree_iter(tree: Any, is_leaf: IsLeaf = None) -> Iterator[Any]:
    """What stands at the ends of a structure, one after the other."""
    return iter(tree_leaves(tree, is_leaf))


def tree_leaves_with_path(tree: Any, is_leaf: IsLeaf = None) -> list[tuple[tuple[str, ...], Any]]:
    """What stands at the ends of a structure, with the way there."""
    return list(_ends(tree, is_leaf))


def tree_flatten_with_path(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeSpec]:
    """The same, and the form."""
    return tree_leaves_with_path(tree, is_leaf), TreeSpec(tree, is_leaf)


def keystr(kp: tuple[str, ...]) -> str:
    """The way to an end, as a text."""
    return "".join(map(str, kp))


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """The structure with the results of ``func`` at its ends."""
    columns = [tree_leaves(tree, is_leaf), *(_along(tree, is_leaf, rest) for rest in rests)]
    return _rebuilt(tree, is_leaf, iter([func(*row) for row in zip(*columns, strict=True)]))


def tree_map_with_path(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """The same; ``func`` is also given the way to each end."""
    columns = [*zip(*_ends(tree, is_leaf), strict=True), *(_along(tree, is_leaf, rest) for rest in rests)]
    return _rebuilt(tree, is_leaf, iter([func(*row) for row in zip(*columns, strict=True)]))


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """``func`` called at the ends of a structure, which is given back."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def _limited(kinds: Any, func: Callable[[Any], Any]) -> Callable[[Any], Any]:
    chosen = kinds if callable(kinds) and not isinstance(kinds, type | tuple) and not hasattr(kinds, "kind") else None
    return lambda value: func(value) if (chosen(value) if chosen else isinstance(value, kinds)) else value


def tree_map_only(type_or_types_or_pred: Any, func: Callable[[Any], Any], tree: Any, is_leaf: IsLeaf = None) -> Any:
    """The structure with the results of ``func`` in place of values of some types."""
    return tree_map(_limited(type_or_types_or_pred, func), tree, is_leaf=is_leaf)


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether something holds at one end at least."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether something holds at all ends."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def register_pytree_node(cls: Any, flatten_fn: Any, unflatten_fn: Any, **further: Any) -> None:
    """Have objects of a class of the program taken apart by ``flatten_fn``, and put together by ``unflatten_fn``."""
    if not (isinstance(cls, type) and is_program_class(cls)):
        raise errors.CALL_REFUSED(name=f"register_pytree_node() of {type_name(cls)}")
    if cls in STATE.tree_nodes:
        raise ValueError(f"{cls} is already registered as pytree node.")
    STATE.tree_nodes[cls] = (flatten_fn, unflatten_fn)


_FUNCTIONS: Final = (
    keystr, register_pytree_node, tree_all, tree_any, tree_flatten, tree_flatten_with_path, tree_iter, tree_leaves,
    tree_leaves_with_path, tree_map, tree_map_, tree_map_only, tree_map_with_path, tree_structure, tree_unflatten,
)  # fmt: skip


def members() -> dict[str, dict[str, Any]]:
    """What the modules show, by their full names."""
    TreeSpec.__module__ = "torch.utils._pytree"
    allow(TreeSpec, ("is_leaf", "num_leaves", "unflatten"))
    return {
        "torch.utils._pytree": {**{each.__name__: each for each in _FUNCTIONS}, "TreeSpec": TreeSpec, "PyTree": Any}
    }
