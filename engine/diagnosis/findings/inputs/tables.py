"""The number of rows of a table, where the program gave it to the model that makes the table."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line, write


def given_size(case: Case, given: ast.expr, made: ast.Call, size: ast.Constant, sizes: tuple[int, int]) -> Finding:
    """``Encoder(max_len=16)``, whose table is made with as many rows."""
    (high, rows), outer = sizes, case.enclosing(size, ast.Call)
    shown = code(case, outer) if outer is not None and line(outer) == line(size) else code(case, size)
    name = case.text(made.args[0])
    return finding(
        case,
        f"{code(case, given)} has the index {high}, and {code(case, made)} on line {line(made)} has the rows 0 to {rows - 1}, for {shown} on"
        f" line {line(size)} sets `{name}` to {rows}. Write {high + 1} there, or keep the indices below {rows}.",
        f"{code(case, given)} 里有下标 {high}，而第 {line(made)} 行的 {code(case, made)} 只有第 0 到 {rows - 1} 行，因为第 {line(size)} 行的 {shown} 把"
        f" `{name}` 设成了 {rows}。请在那里写 {high + 1}，或者让下标小于 {rows}。",
        write(case, size, str(high + 1), outer),
        size,
    )
