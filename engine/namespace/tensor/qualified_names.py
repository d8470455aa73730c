"""Where PyTorch has the classes that a program can see: their modules, and ``torch.return_types``."""

from __future__ import annotations

from gradflow.engine.autograd import hooks, saved_tensors
from gradflow.engine.autograd.function.function import Function, FunctionCtx
from gradflow.engine.autograd.node import Node
from gradflow.engine.dispatch.operands import has_named_results, result_class
from gradflow.engine.namespace.autograd import forward_ad, graph, modes
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.stand_ins import Module, OpaqueType
from gradflow.engine.tensor import Size, Tensor, dtypes

_HOMES: dict[str, tuple[object, ...]] = {
    "torch": (Size, Tensor, dtypes.dtype),
    "torch.autograd.anomaly_mode": (modes.detect_anomaly, modes.set_detect_anomaly),
    "torch.autograd.forward_ad": (forward_ad.UnpackedDualTensor, forward_ad.dual_level),
    "torch.autograd.function": (Function, FunctionCtx),
    "torch.autograd.grad_mode": tuple(modes.MODES.values()),
    "torch.autograd.graph": (Node, graph.saved_tensors_hooks, graph.save_on_cpu),
    "torch._C._autograd": (saved_tensors.SavedTensor,),
    "torch.utils.hooks": (hooks.RemovableHandle,),
}


def settle() -> None:
    """Give the classes their modules."""
    for home, classes in _HOMES.items():
        for cls in classes:
            if isinstance(cls, type):
                cls.__module__ = home


def return_types() -> Module:
    """``torch.return_types``: the named tuples of operations with several results."""
    kinds = {op.public: OpaqueType(result_class(op.public, op.outputs)) for op in REGISTRY if has_named_results(op)}
    return Module("torch.return_types", kinds)
