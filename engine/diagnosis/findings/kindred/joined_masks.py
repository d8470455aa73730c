"""A mask of the steps and one of the samples that are put together: the one of the samples lacks the dimension of what looks."""

from __future__ import annotations

import ast
import re

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import shape_at
from gradflow.engine.diagnosis.findings.words import apply, code, finding
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.error_kind import Shape


@finds(errors.SHAPE_BROADCAST)
def _of_each_sample(case: Case) -> Finding | None:
    """``causal & keep``, of T×T and B×T, for scores of B×T×T."""
    return _told(case, "[:, None, :]", ("a dimension for the queries", "查询那一维"))


@finds(errors.SHAPE_BROADCAST)
def _of_each_head(case: Case) -> Finding | None:
    """The same for scores of B×H×T×T."""
    return _told(case, "[:, None, None, :]", ("dimensions for the heads and the queries", "头和查询的两维"))


def _told(case: Case, end: str, what: tuple[str, str]) -> Finding | None:
    node = case.find(ast.BinOp)
    if not re.search(r"softmax|attention", case.program.source, re.IGNORECASE):
        return None  # other matrices of yes and no, as of a graph
    if node is None or not isinstance(node.op, ast.BitAnd | ast.BitOr | ast.Mult):
        return None
    for own, other in ((node.right, node.left), (node.left, node.right)):
        mask, square = shape_at(case, own), shape_at(case, other)
        if mask is None or square is None or len(mask) != 2 or len(square) != 2 or square[0] != square[1]:
            continue
        if mask[1] != square[1] or mask[0] in (1, square[0]) or not (_is_mask(case, own) and _is_mask(case, other)):
            continue
        text = f"{case.operand(own)}{end}"
        return finding(
            case,
            f"{code(case, own)} is {Shape(mask):en}, one row for each sample, and {code(case, other)} {Shape(square):en}, one row for each step that looks: their rows are not the"
            f" same thing. Give {code(case, own)} {what[0]}: `{text}`.",
            f"{code(case, own)} 是{Shape(mask):zh}，每个样本一行，而 {code(case, other)} 是{Shape(square):zh}，每个查询步一行：两者的行不是一回事。请给 {code(case, own)} 加上{what[1]}："
            f"`{text}`。",
            apply(case, case.followed(own, end), f"`{text}`", f"`{text}`"),
            own,
        )
    return None


def _is_mask(case: Case, node: ast.expr) -> bool:
    """Whether a tensor holds nothing but yes and no."""
    held = Flow(case).tensor(node)
    return held is not None and (str(held.dtype) == "torch.bool" or set(held._a.reshape(-1).tolist()) <= {0, 1})
