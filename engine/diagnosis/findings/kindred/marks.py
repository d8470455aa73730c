"""What the ones of a mask mark, where it was made for sequences of several lengths: the padding, or what is there."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import code
from gradflow.engine.diagnosis.flow import Flow

Meaning = Literal["covered", "kept"]


@dataclass(frozen=True)
class Marks:
    """What the ones mark, the sentence that says why, and the expression that made them."""

    meaning: Meaning
    en: str
    zh: str
    made: ast.expr


def marks(case: Case, mask: ast.expr) -> Marks | None:
    """Told by the numbers: no row can be without its first entry, so that is what is there, and what ends a row is the padding."""
    tensor, made = Flow(case).tensor(mask), definition(case, mask)
    array = tensor._a if tensor is not None else None
    if array is None or array.ndim < 2 or array.size == 0 or not np.isin(array, (0, 1)).all():
        return None
    rows = array.reshape(-1, array.shape[-1]).astype(int)
    falling, rising = bool((np.diff(rows) <= 0).all()), bool((np.diff(rows) >= 0).all())
    if falling and rows[:, 0].all() and not rows.all():
        return Marks(
            "kept",
            "Each of its rows begins with ones, and zeros fill the rest",
            "它的每一行都以 1 开头，其余用 0 填满",
            made,
        )
    if rising and rows.any() and not rows[:, 0].any():
        if _turned(made):
            return Marks("covered", f"{code(case, made)} turns a mask around", f"{code(case, made)} 把掩码取反了", made)
        return Marks(
            "covered",
            "Each of its rows begins with zeros, and ones stand at the end, as padding behind a sequence is marked",
            "它的每一行都以 0 开头，1 都在末尾，这像是标出序列后面的填充",
            made,
        )
    return None


def _turned(made: ast.expr) -> bool:
    match made:
        case ast.BinOp(left=ast.Constant(value=1), op=ast.Sub()):
            return True
    return False
