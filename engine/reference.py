"""What the declarations tell a reader: the reference of the API, and completion in an editor."""

from __future__ import annotations

from gradflow.engine.namespace.torch import modules
from gradflow.engine.recording.latex import forward_text, rule_text
from gradflow.engine.registry import REGISTRY, Op
from gradflow.engine.tensor import Tensor


def describe() -> list[dict[str, object]]:
    """Every operation that a program can call, for the reference and for completion in an editor, by name.

    A function of several overloads (``sum``, ``pow``) has an entry for each.
    """
    modules()  # declares the operations and gives Tensor its methods
    return sorted((_describe(o) for o in REGISTRY if _places(o)), key=lambda entry: str(entry["name"]))


def _places(o: Op) -> list[str]:
    """The dotted names under which programs find an operation, in-place forms apart."""
    if o.functions or o.methods:
        return [f"torch.{name}" for name in o.functions] + [f"torch.Tensor.{name}" for name in o.methods]
    if not o.torch or o.torch.endswith("_") or o.torch.startswith("ops."):
        return []
    method = [f"torch.Tensor.{o.torch}"] if hasattr(Tensor, o.torch) else []
    return [f"torch.{o.torch}", *method]


def _describe(o: Op) -> dict[str, object]:
    return {
        "name": _places(o)[0].rpartition(".")[2],
        "functions": _places(o),
        "signature": f"({', '.join(map(str, o.params))})",
        "doc": o.doc,
        "grad_fn": o.grad_fn if o.texts else None,
        "latex": forward_text(o),
        "gradients": [
            {
                "parameter": key,
                "formula": text,
                "latex": rule_text(o, key),
                "saved": sorted(slot for slot in o.gradients[key].slots() if "__" not in slot),
            }
            for key, text in o.texts.items()
        ],
    }
