"""Traps of weights that begin alike: the units of a layer that all compute the same, before training and after it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.traps.record import Record, Trap, modules_kept
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix, Note

ALIKE: Final = Trap(
    "units-all-alike",
    "`{text}` gives all weights the same number, and training has not told the units apart: after {steps} steps all {units} units of {layer} still have the"
    " same weights, so together they can do no more than one of them. Begin with random weights: `{meant}`; a bias may begin with 0.",
    "`{text}` 给所有权重同一个数，而训练没有把各单元区分开：{steps} 步之后，{layer} 的 {units} 个单元的权重仍然完全相同，所以它们合起来也不超过其中一个单元的能力。"
    "请从随机权重开始：`{meant}`；偏置可以从 0 开始。",
)

_CONSTANT: Final = ("zeros_", "ones_", "constant_", "fill_", "zero_")


def alike(run: Record) -> Iterator[Note]:
    """``nn.init.zeros_(m.weight)`` for the layers inside of a network."""
    calls = [one for one in run.case.nodes(ast.Call) if _fills_weight(run, one)]
    if not calls or not run.steps:
        return
    for name, held in run.named():
        rows = [(path, own["_parameters"]["weight"]) for path, own in modules_kept(held) if _is_matrix(own)]  # type: ignore[index]  # a dictionary, as was looked
        for path, weight in rows[:-1]:
            entry = weight._entry.first if weight._entry is not None else None
            if entry is None or entry not in run.moved or weight._a.shape[0] < 2 or np.ptp(weight._a, axis=0).any():
                continue
            call = calls[0]
            meant, fix = _at_random(run, call)
            words = {
                "text": " ".join(run.case.text(call).split()),
                "steps": run.moved[entry],
                "units": weight._a.shape[0],
                "layer": f"`{name}{path}`",
                "meant": meant,
            }
            yield ALIKE.note(run.program.span_of(call), [entry], fix, **words)
            return


def _fills_weight(run: Record, call: ast.Call) -> bool:
    text = run.case.text(call)
    loop = run.case.enclosing(call, ast.For)
    over = loop is not None and "parameters()" in run.case.text(loop.iter)
    return getattr(call.func, "attr", "") in _CONSTANT and ("weight" in text or (over and "bias" not in text))


def _is_matrix(own: dict[str, object]) -> bool:
    """Whether a module is a linear layer."""
    parameters = own.get("_parameters")
    weight = parameters.get("weight") if isinstance(parameters, dict) else None
    return isinstance(weight, Tensor) and weight._a.ndim == 2 and "out_features" in own


def _at_random(run: Record, call: ast.Call) -> tuple[str, Fix | None]:
    loop = run.case.enclosing(call, ast.For)
    if loop is not None and "parameters()" in run.case.text(loop.iter):  # biases, too, which have one dimension
        function = call.func.value if isinstance(call.func, ast.Attribute) else None
        if function is None or not run.case.text(function).endswith("init") or not call.args:
            return "torch.nn.init.normal_(p, std=0.1)", None
        meant = f"{run.case.text(function)}.normal_({run.case.text(call.args[0])}, std=0.1)"
        return meant, run.fix(run.case.replace(call, meant), f"`{meant}`", f"`{meant}`")
    match call:
        case ast.Call(func=ast.Attribute(value=owner), args=[weight, *_]) if run.case.text(owner).endswith("init"):
            meant = f"{run.case.text(owner)}.kaiming_uniform_({run.case.text(weight)})"
            return meant, run.fix(run.case.replace(call, meant), f"`{meant}`", f"`{meant}`")
        case ast.Call(func=ast.Attribute(value=owner)):
            weight = owner.value if isinstance(owner, ast.Attribute) and owner.attr == "data" else owner
            return f"torch.nn.init.kaiming_uniform_({run.case.text(weight)})", None
    return "torch.nn.init.kaiming_uniform_(weight)", None


TRAPS: Final = (alike,)
