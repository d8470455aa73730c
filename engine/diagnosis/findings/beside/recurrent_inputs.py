"""Numbers of another dtype than the weights of a recurrent layer: doubles of NumPy, whole numbers, packed or not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import kind_source
from gradflow.engine.diagnosis.findings.inputs.dtypes import RECURRENT
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line, on_line, on_other_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.layers.recurrent import RNNBase
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor

_OF_NUMPY: Final = frozenset({"from_numpy", "as_tensor", "tensor"})
_PACKING: Final = frozenset({"pack_padded_sequence", "pack_sequence"})


@finds(errors.MODULE_ARGUMENT, errors.AFFINE_DTYPE)
def _doubles(case: Case) -> Finding | None:
    """``lstm(torch.from_numpy(series))``."""
    call, given, held = _refused(case)
    if call is None or given is None or held is None or str(held.dtype) != "torch.float64":
        return None
    if _kind_of_weights(case, call) != "torch.float32":
        return None
    made = list(_made_of_numpy(case, given))
    texts = [f"{case.text(one)}.float()" for one in made] or [f"{case.operand(given)}.float()"]
    edits = [edit for one in made for edit in case.followed(one, ".float()")] or case.followed(given, ".float()")
    shown, shown_zh = joined([f"`{one}`" for one in texts], "en"), joined([f"`{one}`" for one in texts], "zh")
    whose = f" NumPy counts in float64, and {code(case, made[0])} on line {line(made[0])} keeps that." if made else ""
    whose_zh = f"NumPy 默认使用 float64，第 {line(made[0])} 行的 {code(case, made[0])} 保留了这个类型。" if made else ""
    where, where_zh = ("there", "在那里") if made else ("here", "在这里")
    return finding(
        case,
        f"{code(case, given)} is `torch.float64`, and the weights of {code(case, call.func)} are `torch.float32`; a recurrent layer does not convert."
        f"{whose} Convert {where}: {shown}.",
        f"{code(case, given)} 是 `torch.float64`，而 {code(case, call.func)} 的权重是 `torch.float32`；循环层不会自动转换类型。{whose_zh}请{where_zh}转换：{shown_zh}。",
        apply(case, edits, shown, shown_zh),
        made[0] if made else given,
    )


def _refused(case: Case) -> tuple[ast.Call | None, ast.expr | None, Tensor | None]:
    """The call of a recurrent layer that refused its input for its dtype, the input, and the tensor; of packed rows what was packed."""
    call = case.find(ast.Call)
    refused = str(case.details.get("message", "")).startswith(RECURRENT) or "message" not in case.details
    if call is None or not call.args or not refused or not isinstance(case.value(call.func), RNNBase):
        return None, None, None
    flow = Flow(case)
    for one in flow.behind(call.args[0]):
        if isinstance(one, ast.Call) and called(one) in _PACKING and one.args:
            return call, one.args[0], flow.tensor(one.args[0])
        if flow.tensor(one) is not None:
            break
    return call, call.args[0], flow.tensor(call.args[0])


def _kind_of_weights(case: Case, call: ast.Call) -> str:
    layer = case.value(call.func)
    weight = next(iter(layer.parameters()), None) if isinstance(layer, Layer) else None
    return str(weight.dtype) if weight is not None else ""


def _made_of_numpy(case: Case, given: ast.expr) -> Iterator[ast.Call]:
    """The call that made a tensor of an array, with those beside it that did the same for the targets."""
    made = kind_source(case, given)
    if not isinstance(made, ast.Call) or not _keeps_kind(made):
        return
    yield made
    around = case.parents.get(made)
    for one in around.elts if isinstance(around, ast.Tuple) else ():
        held = Flow(case).tensor(one)
        doubles = held is not None and str(held.dtype) == "torch.float64"
        if one is not made and isinstance(one, ast.Call) and _keeps_kind(one) and doubles:
            yield one


def _keeps_kind(made: ast.Call) -> bool:
    return called(made) in _OF_NUMPY and len(made.args) == 1 and not made.keywords


@finds(errors.MODULE_ARGUMENT, errors.AFFINE_DTYPE)
def _whole_numbers(case: Case) -> Finding | None:
    """``lstm(ids)``: numbers of words, which an embedding makes vectors of, or counts that are features themselves."""
    call, given, held = _refused(case)
    if call is None or given is None or held is None or held.dtype.is_floating_point or held.dtype.is_complex:
        return None
    made = kind_source(case, given)
    where, where_zh = on_other_line(made, call) if made is not None else ("", "")
    layer = case.value(call.func)
    owner = maker_of(case, layer) if isinstance(layer, Layer) else None
    size = argument_of(owner, 0, "input_size") if owner is not None else None
    width = case.value(size) if size is not None else None
    told, told_zh = on_line(owner)
    wide = f" of {width} floats" if isinstance(width, int) else " of floats"
    wide_zh = f" {width} 个" if isinstance(width, int) else ""
    return finding(
        case,
        f"{code(case, given)}{where} holds whole numbers (`{held.dtype}`), and {code(case, call.func)}{told} takes vectors{wide}, one for each step. Numbers"
        f" of words or classes go through an `nn.Embedding` first; counts and measurements are converted: `{case.operand(given)}.float()`.",
        f"{code(case, given)}{where_zh} 存的是整数（`{held.dtype}`），而 {code(case, call.func)}{told_zh} 每一步需要一个由{wide_zh}浮点数组成的向量。词或类别的编号要先经过 `nn.Embedding`；"
        f"计数和测量值则要转换：`{case.operand(given)}.float()`。",
        (),
        made if made is not None else given,
    )
