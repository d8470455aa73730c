"""The dimension that was meant: a sum over the wrong one, classes that stand last, one that is missing in a join."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import maker_of, running
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of


@finds(errors.TARGET_SIZE)
def _classes_last(case: Case) -> Finding | None:
    """Scores of shape (batch, places, classes) for a loss that has the classes in dimension 1."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2:
        return None
    flow = Flow(case)
    scores, target = flow.tensor(call.args[0]), flow.tensor(call.args[1])
    if scores is None or target is None or scores.dim() < 3:
        return None
    own, other = tuple(map(int, scores.shape)), tuple(map(int, target.shape))
    if own[:-1] != other:
        return None
    last = scores.dim() - 1
    text = ".transpose(1, 2)" if last == 2 else f".permute(0, {last}, {', '.join(map(str, range(1, last)))})"
    return finding(
        case,
        f"{code(case, call.args[0])} has the shape {list(own)}, with the scores of the {own[-1]} classes last, and cross-entropy"
        f" looks for the classes in dimension 1, behind the batch. Move them there: `{text}`.",
        f"{code(case, call.args[0])} 的形状是 {list(own)}，{own[-1]} 个类别的得分排在最后，而交叉熵要求类别在第 1 维，紧跟在批量之后。请移到那里："
        f"`{text}`。",
        case.fix(case.followed(call.args[0], text), call),
        call.args[0],
    )


@finds(errors.TARGET_BATCH)
def _one_row_each(case: Case) -> Finding | None:
    """Scores of shape (batch * places, classes), and a target of shape (batch, places)."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2:
        return None
    flow = Flow(case)
    scores, target = flow.tensor(call.args[0]), flow.tensor(call.args[1])
    if scores is None or target is None or scores.dim() != 2 or target.dim() < 2:
        return None
    if int(scores.shape[0]) != target.numel() or target.dtype.is_floating_point:
        return None
    return finding(
        case,
        f"{code(case, call.args[0])} has {int(scores.shape[0])} rows of scores, and {code(case, call.args[1])} holds as many class"
        f" numbers, but in the shape {list(target.shape)}. Lay them in one row: `.reshape(-1)`.",
        f"{code(case, call.args[0])} 有 {int(scores.shape[0])} 行得分，{code(case, call.args[1])} 里的类别编号也是这么多，但形状是"
        f" {list(target.shape)}。请排成一行：`.reshape(-1)`。",
        case.fix(case.followed(call.args[1], ".reshape(-1)"), call),
        call.args[1],
    )


@finds(errors.CAT_DIMENSIONS)
def _missing_dimension(case: Case) -> Finding | None:
    """``torch.cat([matrix, vector], dim=1)``: the vector lacks a dimension of size 1."""
    call = case.find(ast.Call)
    listed = call.args[0] if call is not None and call.args else None
    if call is None or not isinstance(listed, ast.List | ast.Tuple):
        return None
    flow = Flow(case)
    tensors = [flow.tensor(one) for one in listed.elts]
    shapes = [tuple(map(int, one.shape)) for one in tensors if one is not None]
    dim = case.value(argument_of(call, 1, "dim")) if argument_of(call, 1, "dim") is not None else 0
    if len(shapes) != len(listed.elts) or not isinstance(dim, int):
        return None
    longest = max(shapes, key=len)
    if not -len(longest) <= dim < len(longest):
        return None
    edits, shown = [], None
    for part, shape in zip(listed.elts, shapes, strict=True):
        if len(shape) == len(longest):
            continue
        places = [at for at in range(len(longest)) if _fits((*shape[:at], 1, *shape[at:]), longest, dim % len(longest))]
        if not places or len(shape) != len(longest) - 1:
            return None
        text = f".unsqueeze({dim % len(longest) if dim % len(longest) in places else places[0]})"
        edits += case.followed(part, text)
        shown = shown or (part, shape, text)
    if shown is None:
        return None
    part, shape, text = shown
    return finding(
        case,
        f"{code(case, part)} has the shape {list(shape)} and the other {list(longest)}; what is joined must have the same number"
        f" of dimensions. Add the missing one, of size 1: `{case.text(part)}{text}`.",
        f"{code(case, part)} 的形状是 {list(shape)}，另一个是 {list(longest)}；拼接要求维数相同。请补上缺少的那一维，大小为 1："
        f"`{case.text(part)}{text}`。",
        case.fix(edits, call),
        part,
    )


def _fits(shape: tuple[int, ...], other: tuple[int, ...], dim: int) -> bool:
    return all(a == b for at, (a, b) in enumerate(zip(shape, other, strict=True)) if at != dim)


@finds(errors.BATCH_VALUES)
def _one_sample(case: Case) -> Finding | None:
    """Batch normalisation of a batch of one."""
    outer, call = running(case)
    if outer is None or call is None or not call.args:
        return None
    given = Flow(case).tensor(call.args[0])
    norms = [one for one in outer.modules() if type(one).__name__.startswith(("BatchNorm", "InstanceNorm"))]
    made = maker_of(case, norms[0]) if norms else None
    owner = _outermost(case, call)
    if given is None or made is None:
        return None
    return finding(
        case,
        f"{code(case, call.args[0])} has the shape {list(given.shape)}, one sample, and {code(case, made)} on line {line(made)} takes"
        f" mean and variance over the samples of a batch, which one alone has not. Train with larger batches (`drop_last=True` in"
        f" a loader); for a prediction call `{owner}.eval()` first.",
        f"{code(case, call.args[0])} 的形状是 {list(given.shape)}，只有一个样本，而第 {line(made)} 行的 {code(case, made)} 要对一批样本求均值和"
        f"方差，只有一个时无法计算。训练时请用更大的批量（加载器可写 `drop_last=True`）；如果只是预测，请先调用 `{owner}.eval()`。",
        (),
        made,
    )


def _outermost(case: Case, call: ast.Call) -> str:
    """The model of the program, where a layer inside of it failed."""
    if isinstance(call.func, ast.Name):
        return call.func.id
    held = [name for name, value in case.values.items() if isinstance(value, Layer) and name != "self"]
    return held[0] if len(held) == 1 else case.text(call.func)
