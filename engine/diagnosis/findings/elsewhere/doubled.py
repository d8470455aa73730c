"""More rows of scores than samples: parts of each sample that were joined below one another on the way to a loss."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import first_size
from gradflow.engine.diagnosis.findings.nearer.other_view import joined_with_itself
from gradflow.engine.diagnosis.findings.sizes_written import size_written
from gradflow.engine.diagnosis.findings.words import code, finding, line, text_with
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import is_made_by, leaves_behind, operands_of
from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.trace import Edit

_FAR: Final = 40


@finds(errors.TARGET_BATCH)
def _joined_below(case: Case) -> Finding | None:
    """``head(torch.cat([text, image]))`` of a batch, and a target for each sample of it."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2:
        return None
    flow = Flow(case)
    scores, targets = flow.tensor(call.args[0]), flow.tensor(call.args[1])
    if scores is None or targets is None or scores._entry is None or targets.dim() < 1:
        return None
    if joined_with_itself(scores._entry) is not None:
        return None  # two views of each sample, to be compared with one another
    rows, path = int(targets.shape[0]), [scores._entry]
    for _ in range(_FAR):
        entry = path[-1]
        before = [one for one in operands_of(entry) if one.array.ndim > 1]
        if is_made_by(entry, "cat"):
            parts = [tuple(map(int, one.array.shape)) for one in before]
            below = len(parts) * rows == int(scores.shape[0]) and {one[0] for one in parts} == {rows}
            alike = len(parts) > 1 and len({one[:-1] for one in parts}) == 1 and len(parts[0]) == 2
            return _told(case, call, path, parts, rows) if below and alike and _are_apart(before) else None
        following = [one for one in before if one.array.shape[0] == entry.array.shape[0]]
        if not following:
            return None
        path.append(following[0])
    return None


def _are_apart(parts: list[TensorEntry]) -> bool:
    """Whether each part was computed by layers of its own: two sides of a sample, not two batches of samples."""
    leaves = [leaves_behind(one) for one in parts]
    return all(leaves) and sum(map(len, leaves)) == len(set[TensorEntry]().union(*leaves))


def _told(
    case: Case, call: ast.Call, path: list[TensorEntry], parts: list[tuple[int, ...]], rows: int
) -> Finding | None:
    node = case.at(ast.Call, path[-1].place)
    if node is None:
        return None
    dim, width = argument_of(node, 1, "dim"), sum(one[-1] for one in parts)
    edits: list[Edit] = case.replace(dim, "1") if dim is not None else case.argument(node, "dim=1")
    made = _layer_behind(case, path)
    first = first_size(made) if made is not None else None
    also, also_zh = "", ""
    if made is not None and first is not None:
        text = size_written(case, first, width)
        edits += case.replace(first, text)
        shown = text_with(case, made, first, text)
        also, also_zh = (
            f", and make the layer of line {line(made)} for these {width} numbers: `{shown}`",
            f"，并按这 {width} 个数创建第 {line(made)} 行的层：`{shown}`",
        )
    total, sizes = len(parts) * rows, " + ".join(str(rows) for _ in parts)
    return finding(
        case,
        f"{code(case, node)} on line {line(node)} joins along dimension 0, the batch, so {code(case, call.args[0])} has {total} = {sizes} rows, and"
        f" {code(case, call.args[1])} has a target for each of the {rows} samples. Join the features of a sample: `dim=1`{also}.",
        f"第 {line(node)} 行的 {code(case, node)} 沿第 0 维（批量）拼接，所以 {code(case, call.args[0])} 有 {total} = {sizes} 行，而 {code(case, call.args[1])} 只为 {rows} 个样本"
        f"各有一个目标。请把一个样本的特征接在一起：`dim=1`{also_zh}。",
        case.fix(edits, node) if made is not None else (),
        node,
    )


def _layer_behind(case: Case, path: list[TensorEntry]) -> ast.Call | None:
    """The call that made the linear layer that took the joined tensor first."""
    for entry in reversed(path[:-1]):
        for one in (part for held in operands_of(entry) for part in (held, *operands_of(held))):
            made = case.at(ast.Call, one.first.place) if isinstance(one.tensor, Parameter) else None
            if made is not None:
                return made if called(made) == "Linear" else None
    return None
