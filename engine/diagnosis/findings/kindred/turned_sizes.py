"""Two dimensions in each other's place, where they are said: channels last in a view, the batch in a transposition."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import shape_at
from gradflow.engine.diagnosis.findings.layers import constant
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow


@finds(errors.CONV_CHANNELS, errors.CONV_TRANSPOSED_CHANNELS)
def _channels_last_in_view(case: Case) -> Finding | None:
    """``decoder(h.view(-1, 4, 4, 8))`` of what a layer gave, for one of 8 channels. Pictures can be stored so, and are left alone."""
    call, wanted = case.find(ast.Call), case.details.get("wanted")
    view = call.args[0] if call is not None and call.args else None
    if (
        not isinstance(view, ast.Call)
        or not isinstance(view.func, ast.Attribute)
        or called(view) not in ("view", "reshape")
    ):
        return None
    rows, shape = shape_at(case, view.func.value), shape_at(case, view)
    held = Flow(case).tensor(view.func.value)
    if (
        rows is None
        or shape is None
        or held is None
        or not held.requires_grad
        or len(rows) != 2
        or len(shape) < 4
        or len(view.args) != len(shape)
    ):
        return None
    if shape[-1] != wanted or shape[1] == wanted or constant(case, view.args[-1]) != wanted:
        return None
    sizes = [view.args[0], view.args[-1], *view.args[1:-1]]
    text = f"{case.text(view.func)}({', '.join(case.text(one) for one in sizes)})"
    return finding(
        case,
        f"{code(case, view)} lays {code(case, view.func.value)} out as {list(shape)}, with {wanted} channels last, and PyTorch's convolutions have them right"
        f" behind the batch. Write the sizes in that order: `{text}`.",
        f"{code(case, view)} 把 {code(case, view.func.value)} 排成 {list(shape)}，{wanted} 个通道在最后，而 PyTorch 的卷积要求通道紧跟在批量之后。请按这个次序写大小：`{text}`。",
        case.fix(case.replace(view, text), view),
        view,
    )


@finds(errors.SHAPE_BROADCAST, errors.BMM_SHAPE)
def _batch_transposed(case: Case) -> Finding | None:
    """``q @ k.transpose(0, 1)`` of batches: the first of these two dimensions is the batch."""
    node = case.find(ast.BinOp)
    turned = node.right if node is not None and isinstance(node.op, ast.MatMult) else None
    if node is None or not isinstance(turned, ast.Call) or called(turned) != "transpose" or len(turned.args) != 2:
        return None
    owner = turned.func.value if isinstance(turned.func, ast.Attribute) else None
    left, right = shape_at(case, node.left), shape_at(case, owner) if owner is not None else None
    dims = {constant(case, one) for one in turned.args}
    if owner is None or left is None or right is None or len(left) < 3 or len(left) != len(right) or 0 not in dims:
        return None
    if left[:-2] != right[:-2] or left[-1] != right[-1]:
        return None
    text = f"{case.text(owner)}.transpose(-2, -1)"
    return finding(
        case,
        f"{code(case, owner)} has the shape {list(right)}, and dimension 0, which {code(case, turned)} on line {line(turned)} exchanges, is the batch. A product"
        f" needs the last two in each other's place: `{text}`.",
        f"{code(case, owner)} 的形状是 {list(right)}，第 {line(turned)} 行的 {code(case, turned)} 所交换的第 0 维是批量。矩阵乘积要交换的是最后两维：`{text}`。",
        case.fix(case.replace(turned, text), node),
        turned,
    )
