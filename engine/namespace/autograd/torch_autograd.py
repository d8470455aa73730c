"""``torch.autograd`` and its parts as programs import them, and what programs may do with their types."""

from __future__ import annotations

from functools import cache
from typing import Any

from gradflow.engine.autograd import backward, hooks, saved_attributes, saved_tensors
from gradflow.engine.autograd.copy_slices import CopySlices
from gradflow.engine.autograd.function import outputs
from gradflow.engine.autograd.function.batched import VmapInfo
from gradflow.engine.autograd.function.function import Function, FunctionCtx, FunctionNode
from gradflow.engine.autograd.node import AccumulateGrad, Node
from gradflow.engine.autograd.not_implemented import NotImplementedNode
from gradflow.engine.namespace.autograd import (
    checkpoint,
    forward_ad,
    func,
    functional,
    gradcheck,
    graph,
    modes,
    vmap,
)
from gradflow.engine.namespace.functions.legacy_types import Variable
from gradflow.engine.sandbox import program_classes
from gradflow.engine.sandbox.gate import Module, OpaqueType, allow, is_public
from gradflow.engine.tensor import Tensor

_NODE = (
    "name", "next_functions", "metadata", "register_hook", "register_prehook", "requires_grad", "_sequence_nr",
)  # fmt: skip
_CONTEXT = (
    "save_for_backward", "save_for_forward", "mark_dirty", "mark_non_differentiable", "set_materialize_grads",
    "saved_tensors", "saved_variables", "needs_input_grad", "materialize_grads", "to_save", "dirty_tensors",
    "non_differentiable",
)  # fmt: skip


def _saved_readable(node: Any, name: str) -> bool:
    if not saved_tensors.is_saved_name(node, name):
        if not saved_attributes.has_shape(node, name):
            return False
        if name not in vars(Node):
            setattr(Node, name, property(lambda node: _read(node, name)))
        return True
    if name not in vars(Node):  # made when first asked for: a `__getattr__` would slow down every attribute
        setattr(Node, name, property(lambda node: _read(node, name)))
    return True


def _read(node: Any, name: str) -> Any:
    return (
        saved_tensors.read(node, name)
        if saved_tensors.is_saved_name(node, name)
        else saved_attributes.read_shape(node, name)
    )


def _of_context(name: str) -> bool:
    return not name.startswith(("_own_", "__")) and name not in _CONTEXT[:5]


def _context_readable(context: Any, name: str) -> bool:
    return name in vars(context) and not name.startswith("_own_")


def _function_readable(node: Any, name: str) -> bool:
    return _context_readable(node.context, name) and not hasattr(FunctionCtx, name) and name not in vars(node)


def _called(node: Any) -> str:
    name: str = node.printed_name
    return name


def _node_type(node: Any) -> object:
    own = isinstance(node, FunctionNode | FunctionCtx)
    return _named_type("torch.autograd.function" if own else "builtins", node.printed_name)


@cache
def _named_type(module: str, name: str) -> object:
    """The class that PyTorch has for each function of the graph."""
    return OpaqueType(type(name, (), {"__module__": module, "__qualname__": name}))


def _allow_types() -> None:
    for cls in (CopySlices, NotImplementedNode):
        allow(cls, _NODE, called=_called, typed=_node_type)
    allow(Node, _NODE, readable=_saved_readable, of_class=_saved_readable, called=_called, typed=_node_type)
    for node_kind in (Node, CopySlices, AccumulateGrad):
        program_classes.list_names_by(node_kind, saved_attributes.listed)
    allow(AccumulateGrad, (*_NODE, "variable"), called=_called, typed=_node_type)
    allow(FunctionNode, (*_NODE, *_CONTEXT), readable=_function_readable, called=_called, typed=_node_type)
    allow(
        FunctionCtx,
        (*_CONTEXT, "name", "next_functions"),
        readable=_context_readable,
        writable=_of_context,
        called=_called,
        typed=_node_type,
    )
    public = [name for name in vars(Function) if is_public(name)]
    allow(Function, public, subclass=True)
    allow(VmapInfo, VmapInfo._fields)
    allow(hooks.RemovableHandle, ("remove", "id"))
    allow(saved_tensors.SavedTensor, ("register_hooks",))
    for mode in (*modes.MODES.values(), modes.detect_anomaly, modes.set_detect_anomaly):
        if isinstance(mode, type):
            allow(mode, ("mode",))


def modules() -> dict[str, Module]:
    """The modules by full name."""
    _allow_types()
    variable = Variable(Tensor)
    parts = {
        "functional": functional.members(),
        "graph": graph.members(),
        "forward_ad": forward_ad.members(),
        "function": {
            "Function": Function,
            "FunctionCtx": OpaqueType(FunctionCtx),
            "once_differentiable": outputs.once_differentiable,
        },
        "gradcheck": gradcheck.members(),
        "grad_mode": {n: m for n, m in modes.MODES.items() if isinstance(m, type)},
        "anomaly_mode": {"detect_anomaly": modes.detect_anomaly, "set_detect_anomaly": modes.set_detect_anomaly},
        "variable": {"Variable": variable},
    }
    found = {f"torch.autograd.{name}": Module(f"torch.autograd.{name}", table) for name, table in parts.items()}
    own: dict[str, Any] = {
        "Variable": variable,
        "backward": backward.backward,
        "grad": backward.grad,
        "Function": Function,
        **modes.MODES,
        **parts["anomaly_mode"],
        **{name.rpartition(".")[2]: module for name, module in found.items()},
        "gradcheck": gradcheck.gradcheck,
        "gradgradcheck": gradcheck.gradgradcheck,
    }
    found["torch.autograd"] = Module("torch.autograd", own)
    found["torch.func"] = Module("torch.func", func.members())
    found["torch.utils.checkpoint"] = Module("torch.utils.checkpoint", checkpoint.members())
    found["torch.utils"] = Module("torch.utils", {"checkpoint": found["torch.utils.checkpoint"]})
    return found


def names() -> dict[str, Any]:
    """What ``torch`` itself has of this."""
    return {**modes.MODES, "vmap": vmap.vmap}
