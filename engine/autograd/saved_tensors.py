"""Saved variables as programs meet them: ``grad_fn._saved_self``, hooks that pack and unpack, inference tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.state import STATE, grad_mode
from gradflow.engine.tensor import Tensor

if TYPE_CHECKING:
    from gradflow.engine.autograd.node import Node

Pack = Callable[[Tensor], Any]
Unpack = Callable[[Any], Tensor]
_SLOTS = {"self": "input", "result": "out", "self_sym_sizes": "input__shape", "grad_output": "g"}


def apply_modes(node: Node | None, outs: tuple[Tensor, ...]) -> None:
    """What the modes in force ask for after an operation: inference mode, anomalies, hooks for saved tensors."""
    if STATE.inference:
        for out in outs:
            if out._view is None:
                out._inference = True
    if node is None:
        return
    node.traced = STATE.anomaly
    for guard in node.guards:
        if guard is not None and guard[2] is not None and not STATE.levels and guard[2].is_inference():
            raise errors.INFERENCE_SAVED(subject=guard[2])
    if STATE.saved_hooks:
        pack(node, *STATE.saved_hooks[-1])


def pack(node: Node, packer: Pack, unpacker: Unpack) -> None:
    """Hand every saved tensor of a node to the program's ``pack``; what it returns is kept in the tensor's place."""
    results = {"out", *node.op.outputs}
    for index in sorted(range(len(node.saved)), key=lambda index: node.op.slots[index] in results):
        tensor = held(node, index) if node.guards[index] is not None else None
        if tensor is not None:
            pack_one(node, index, tensor, packer, unpacker)


def pack_one(node: Node, index: int, tensor: Tensor, packer: Pack, unpacker: Unpack) -> None:
    """The same for one saved tensor."""
    kept = packed_by(tensor, packer)
    node.on_fast_path, node.packed = False, {**(node.packed or {}), index: (unpacker, kept)}
    node.guards = tuple(None if i == index else g for i, g in enumerate(node.guards))


def packed_by(tensor: Tensor, packer: Pack) -> Any:
    """What the program's ``pack`` makes of a tensor. Raises RuntimeError where it writes into it."""
    version = tensor._st.version
    try:
        with grad_mode(False):
            kept = packer(tensor)
    except Exception as error:
        errors.mark_own(error)
        raise
    if tensor._st.version != version:
        raise errors.SAVED_HOOK(
            message="A saved tensor pack hook is modifying its input in place. Tensors provided as"
            " input to pack hook can not be modified by in-place operations as this can lead to"
            " unexpected side-effects. Please open an issue if you need to perform in-place"
            " operations on the input to a pack hook."
        )
    return kept


def checked(tensor: Any) -> Tensor:
    """What ``unpack`` gave. Raises TypeError for what is no tensor."""
    if not isinstance(tensor, Tensor):
        raise errors.SAVED_HOOK_TYPE(type=type(tensor).__name__)
    return tensor


def held(node: Node, index: int) -> Tensor | None:
    """The saved tensor of a slot; None where the slot holds something else, or nothing."""
    value, guard = node.saved[index], node.guards[index]
    if guard is not None:
        if guard[2] is not None:
            return guard[2]
        result = Tensor(value, guard[0])
        if value.dtype.kind in "fcV":
            result._node, result._nr = node, node.output_of(node.op.slots[index])
        return result
    if node.op.wraps_numbers and isinstance(value, bool | int | float | complex):
        return Tensor(np.asarray(value))
    return None


def unpacked(node: Node) -> tuple[Any, ...]:
    """The saved values, those that were packed unpacked by the program. Raises TypeError for what is no tensor."""
    saved = list(node.saved)
    for index, (unpacker, kept) in (node.packed or {}).items():
        saved[index] = checked(unpacker(kept))._a
    return tuple(saved)


# -- attributes of a node ----------------------------------------------------------------------------------------------


def is_saved_name(node: Node, name: str) -> bool:
    """Whether a node has this attribute: ``_saved_...`` or ``_raw_saved_...``."""
    slot = slot_of(name)
    return slot is not None and (slot in node.op.slots or slot in _settings(node))


def slot_of(name: str) -> str | None:
    """The name of the slot behind ``_saved_...``."""
    for prefix in ("_saved_", "_raw_saved_"):
        if name.startswith(prefix):
            own = name.removeprefix(prefix)
            return _SLOTS.get(own, own)
    return None


def _settings(node: Node) -> dict[str, Any]:
    names = [p.name for p in node.op.params if p.kind == "setting"]
    if node.entry is None:
        return {}
    numbers = [] if node.op.wraps_numbers else zip(node.op.tensors, node.entry.operands, strict=False)
    found = {p.name: operand for p, operand in numbers if isinstance(operand, bool | int | float | complex)}
    return found | dict(zip(names, node.entry.settings, strict=False))


def read(node: Node, name: str) -> Any:
    """The value of ``grad_fn._saved_...``. Raises RuntimeError where it is freed, or was written since."""
    slot = slot_of(name)
    assert slot is not None
    if slot not in node.op.slots:
        return _as_pytorch(node, slot, _settings(node)[slot])
    index = node.op.slots.index(slot)
    if name.startswith("_raw"):
        return SavedTensor(node, index)
    if node.freed:
        if slot in (settings := _settings(node)):
            return _as_pytorch(node, slot, settings[slot])
        raise errors.BACKWARD_TWICE()
    if any(p.name == slot and p.kind == "setting" for p in node.op.params):
        return _as_pytorch(node, slot, node.saved[index])
    node.check_versions()
    if node.packed and index in node.packed:
        return node.unpack_one(slot, unpacked(node)[index], None)
    value = held(node, index)
    if value is None:
        return node.saved[index]
    guard = node.guards[index]
    return value if guard is None or guard[2] is not None else node.unpack_one(slot, node.saved[index], guard)


def _as_pytorch(node: Node, name: str, value: Any) -> Any:
    """A setting in the form that PyTorch keeps it in."""
    if name.startswith("dim"):
        several = any(p.dims for p in node.op.params if p.name == name)
        value = (value,) if several and isinstance(value, int) else value
        return tuple(map(_unsigned, value)) if isinstance(value, tuple | list) else _unsigned(value)
    if name == "index":
        return _unsigned(value)
    return 1 if name == "alpha" and value is None else value


def _unsigned(value: Any) -> Any:
    """PyTorch shows a dimension counted from the end as the unsigned number of the same bits."""
    return value % 2**64 if isinstance(value, int) and value < 0 else value


class SavedTensor:
    """``grad_fn._raw_saved_...``: takes hooks for one saved tensor."""

    def __init__(self, node: Node, index: int) -> None:
        self._node, self._index = node, index

    def register_hooks(self, pack_hook: Pack, unpack_hook: Unpack) -> None:
        """Keep what ``pack_hook`` makes of the tensor, and use what ``unpack_hook`` makes of that."""
        if self._node.freed:
            raise errors.SAVED_HOOK(
                message="Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of"
                " the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you"
                " need to backward through the graph a second time or if you need to access saved variables after"
                " calling backward."
            )
        if self._node.packed and self._index in self._node.packed:
            raise errors.SAVED_HOOK(
                message="Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair"
                " of hooks is allowed at a time."
            )
        tensor = held(self._node, self._index)
        if tensor is None:
            raise errors.SAVED_HOOK(message="Calling register_hooks on a saved tensor with value None is forbidden")
        pack_one(self._node, self._index, tensor, pack_hook, unpack_hook)

    def __repr__(self) -> str:
        return f"<torch._C._autograd.SavedTensor object at {id(self):#x}>"
