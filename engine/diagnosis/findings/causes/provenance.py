"""Where a tensor got the property that an operation refuses: its truth values, its order in memory, its random numbers."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, kind_source
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import code, finding, line, on_other_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import operands_of
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.recording.entries import TensorEntry

_MOST: Final = 20
_COMPARED: Final = frozenset(
    {"eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite", "logical_not", "logical_and", "logical_or"}
)


@finds(errors.BOOL_SUBTRACT, errors.BOOL_SUBTRACT_ONE)
def _compared(case: Case) -> Finding | None:
    """``1 - mask``, where a comparison on another line made ``mask``."""
    operation = case.find(ast.BinOp)
    for node in (operation.right, operation.left) if operation is not None else ():
        tensor = Flow(case).tensor(node)
        made = kind_source(case, node) if tensor is not None and str(tensor.dtype) == "torch.bool" else None
        if made is None or line(made) == line(node) or not _is_comparison(made):
            continue
        return finding(
            case,
            f"{code(case, node)} holds truth values: the comparison {code(case, made)} on line {line(made)} made it, and since PyTorch 1.2 comparisons give `bool`, of which"
            f" nothing can be subtracted. To turn the mask around write `~{case.text(node)}`; to count with it convert it by `.float()`.",
            f"{code(case, node)} 存的是布尔值：它来自第 {line(made)} 行的比较 {code(case, made)}，而从 PyTorch 1.2 起比较得到的是 `bool`，不能做减法。要把掩码取反请写"
            f" `~{case.text(node)}`；要用它计数请用 `.float()` 转换。",
            None,
            made,
        )
    return None


def _is_comparison(node: ast.expr) -> bool:
    name = getattr(node.func, "attr", "") if isinstance(node, ast.Call) else ""
    return isinstance(node, ast.Compare) or name in _COMPARED


@finds(errors.VIEW_SIZE)
def _turned(case: Case) -> Finding | None:
    """``ctx.view(...)``, where ``ctx`` was transposed on another line."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    viewed = call.func.value
    tensor = Flow(case).tensor(viewed)
    entry = _rearranged(tensor._entry) if tensor is not None and tensor._entry is not None else None
    made = case.at(ast.expr, entry.place) if entry is not None else None
    if made is None or not isinstance(made, ast.Call | ast.Attribute):
        return None
    place, place_zh = on_other_line(made, call)
    its, its_zh = (
        ("its elements", "它的元素")
        if made is viewed
        else (f"the elements of {code(case, viewed)}", f"{code(case, viewed)} 的元素")
    )
    return finding(
        case,
        f"{code(case, made)}{place} exchanges dimensions without moving a number, so {its} do not lie one after the other in"
        f" memory, and `{call.func.attr}` cannot join its dimensions. Write `reshape`, which copies where it must.",
        f"{code(case, made)}{place_zh} 只交换维度而不移动数据，所以{its_zh}在内存中不是依次排列的，`{call.func.attr}` 无法合并它的维。请写 `reshape`，它会在必要时复制。",
        None,
        made,
    )


def _rearranged(entry: TensorEntry) -> TensorEntry | None:
    """The view, on the way back, that made the elements lie in another order."""
    current: TensorEntry | None = entry.first
    for _ in range(_MOST):
        if current is None or current.array.flags.c_contiguous:
            return None
        name = current.node.op.name if current.node is not None and current.node.op is not None else ""
        before = current.view_of or next(iter(operands_of(current)), None)
        if before is not None and before.array.flags.c_contiguous and current.array.ndim == before.array.ndim:
            turned = sorted(before.array.shape) == sorted(current.array.shape)
            return current if turned and name not in ("select", "slice", "flip") else None
        current = before.first if before is not None else None
    return None


def dropping_layer(case: Case, node: ast.expr) -> tuple[ast.Call | None, str] | None:
    """The layer that draws random numbers in a model that is called, in training: where it is made, and its class."""
    for one in ast.walk(node):
        value = case.value(one) if isinstance(one, ast.Name | ast.Attribute) else None
        for layer in value.modules() if isinstance(value, Layer) else ():
            if "Dropout" in type(layer).__name__ and layer.training:
                return _maker(case, layer), type(layer).__name__
    return None


def _maker(case: Case, layer: Layer) -> ast.Call | None:
    made = maker_of(case, layer)
    found = definition(case, made) if made is not None else None
    return found if isinstance(found, ast.Call) else None
