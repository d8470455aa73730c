"""Which ``_saved_...`` attributes a function of the graph has, as PyTorch's own lists say (engine/pytorch/saved_attributes.txt)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gradflow.engine.autograd import saved_tensors
from gradflow.engine.pytorch import SAVED_ATTRIBUTES

if TYPE_CHECKING:
    from gradflow.engine.autograd.node import Node

_COMMON: Final = ("_input_metadata", "_register_hook_dict", "_sequence_nr", "_set_sequence_nr")


def listed(node: Node) -> list[str]:
    """What ``dir(node)`` shows beside the public names."""
    names = [*_COMMON, *vars(node).keys() & {"variable"}]
    for name in SAVED_ATTRIBUTES.get(node.printed_name, ()):
        own = name.removesuffix("*")
        if not (saved_tensors.is_saved_name(node, f"_saved_{own}") or has_shape(node, own)):
            continue  # kept in another form here
        names += [f"_saved_{own}"] if own == name else [f"_saved_{own}", f"_raw_saved_{own}"]
    return names


def has_shape(node: Node, name: str) -> bool:
    """Whether this is ``_saved_..._sym_sizes`` or its like, of an operand that is known."""
    own = name.removeprefix("_saved_")
    return own in SAVED_ATTRIBUTES.get(node.printed_name, ()) and _measured(node, own) is not None


def read_shape(node: Node, name: str) -> Any:
    """Its value: sizes, strides, the number of elements, or one of the sizes."""
    return _measured(node, name.removeprefix("_saved_"))


def _measured(node: Node, own: str) -> Any:
    operand, found, what = own.partition("_sym_")
    array = _operand(node, operand) if found else None
    if array is None:
        return None
    if what == "sizes":
        return tuple(array.shape)
    if what == "strides":
        return tuple(step // array.itemsize for step in array.strides)
    if what == "numel":
        return array.size
    dim = what.removeprefix("argsize_").replace("minus_", "-")
    return array.shape[int(dim)] if what.startswith("argsize") and -array.ndim <= int(dim) < array.ndim else None


def _operand(node: Node, title: str) -> Any:
    """The array that an operand of this name had."""
    name = saved_tensors.slot_of(f"_saved_{title}")
    return None if node.entry is None or name is None else node.entry.array_of(name)
