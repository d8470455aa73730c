"""Weights of the classes in float64, as they come from NumPy, for scores in float32."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import operands_of
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor

_FROM_ARRAYS: Final = ("from_numpy", "tensor", "as_tensor", "asarray")
_MOST: Final = 40


@finds(errors.SCALAR_TYPE)
def _given_to_loss(case: Case) -> Finding | None:
    """``F.cross_entropy(scores, target, weight=weights)``, or a loss that has a name where it is made."""
    call = case.find(ast.Call)
    made = case.assignment(call.func.id) if call is not None and isinstance(call.func, ast.Name) else call
    if not isinstance(made, ast.Call) or case.details.get("found") != "Double":
        return None
    given = (
        argument_of(made, 2, "weight")
        if made is call
        else next((k.value for k in made.keywords if k.arg == "weight"), None)
    )
    held = Flow(case).tensor(given) if given is not None else None
    if (
        given is None
        or (held is not None and str(held.dtype) != "torch.float64")
        or (held is None and not made.keywords)
    ):
        return None
    return finding(
        case,
        f"The weights {code(case, given)} on line {line(given)} are `torch.float64`, and the scores are"
        f" `torch.float32`. Convert the weights: `.float()`.",
        f"第 {line(given)} 行的权重 {code(case, given)} 是 `torch.float64`，而得分是 `torch.float32`。请转换权重："
        f"`.float()`。",
        case.fix(case.followed(given, ".float()"), made),
        given,
    )


@finds(errors.SCALAR_TYPE)
def _kept_in_loss(case: Case) -> Finding | None:
    """A loss that was made elsewhere, in a function or the ``__init__`` of a class, and keeps its weights."""
    call = case.find(ast.Call)
    loss = case.value(call.func) if call is not None else None
    held = loss.__dict__["_buffers"].get("weight") if isinstance(loss, Layer) else None
    scores = Flow(case).tensor(call.args[0]) if call is not None and call.args else None
    if call is None or not isinstance(held, Tensor) or str(held.dtype) != "torch.float64":
        return None
    made = _first_double(case, held)
    if made is None or scores is None or str(scores.dtype) != "torch.float32":
        return None
    plain = called(made) in _FROM_ARRAYS and not any(one.arg == "dtype" for one in made.keywords)
    numpy, numpy_zh = (
        (", the dtype that NumPy gives to fractions", "（NumPy 的小数默认就是这种类型）") if plain else ("", "")
    )
    edits, text = case.followed(made, ".float()"), f"{case.text(made)}.float()"
    if case.text(made).endswith(".double()"):
        edits, text = case.rename_end(made, "double()", "float()"), f"{case.text(made)[:-8]}float()"
    return finding(
        case,
        f"The weights of the classes that {code(case, call.func)} keeps are `torch.float64`{numpy}: {code(case, made)} on line {line(made)} makes them."
        f" The scores {code(case, call.args[0])} are `torch.float32`. Convert the weights there: `{text}`.",
        f"{code(case, call.func)} 所保存的类别权重是 `torch.float64`{numpy_zh}：它们由第 {line(made)} 行的 {code(case, made)} 生成。得分 {code(case, call.args[0])} 是"
        f" `torch.float32`。请在那里转换权重：`{text}`。",
        case.fix(edits, made),
        made,
    )


def _first_double(case: Case, tensor: Tensor) -> ast.Call | None:
    """The call that gave the first tensor of float64, on the way back from one."""
    entry = tensor._entry.first if tensor._entry is not None else None
    for _ in range(_MOST):
        before = [one.first for one in operands_of(entry)] if entry is not None else []
        double = [one for one in before if one is not entry and one.array.dtype == "float64"]
        if not double:
            break
        entry = double[0]
    return case.at(ast.Call, entry.place) if entry is not None else None
