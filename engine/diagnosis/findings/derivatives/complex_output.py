"""An output that is a complex number, such as an expectation value: where it is made, and its real part."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.nothing_differentiable import output_of
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, on_other_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned

_ROUNDING: Final = 1e-4


@finds(errors.NONREAL_BACKWARD)
def _complex_number(case: Case) -> Finding | None:
    """``energy = torch.dot(state.conj(), H @ state)``."""
    output = output_of(case)
    held = Flow(case).tensor(output) if output is not None else None
    if output is None or held is None or held.numel() != 1:
        return None
    made = _maker(case, output)
    number = complex(held._a.reshape(-1)[0])
    where, where_zh = on_other_line(made, output)
    comes = f", which {code(case, made)}{where} gives," if made is not output else ""
    comes_zh = f"（由{where_zh[1:-1].strip()}的 {code(case, made)} 得到）" if made is not output and where_zh else ""
    real, size = (
        apply(case, case.followed(made, one), *[f"`{_followed(case, made)}{one}`"] * 2) for one in (".real", ".abs()")
    )
    text = f"`{_followed(case, made)}.real`"
    why = f"{code(case, output)}{comes} is a complex number, and `backward` begins by itself only at a real one."
    why_zh = f"{code(case, output)}{comes_zh} 是复数，而 `backward` 只会自动从实数开始。"
    if abs(number.imag) <= _ROUNDING * max(abs(number), _ROUNDING):
        return finding(
            case,
            f"{why} Its imaginary part is 0, as that of every energy or expectation value: go on with the real part, {text}.",
            f"{why_zh}它的虚部是 0，能量和期望值都是如此：请只用实部继续计算：{text}。",
            real,
            made,
        )
    return finding(
        case,
        f"{why} Its imaginary part is {number.imag:.3g}, so say which real number is meant: the real part, {text}, or the magnitude, `.abs()`.",
        f"{why_zh}它的虚部是 {number.imag:.3g}，所以请说明要哪个实数：实部 {text}，或者模 `.abs()`。",
        [real, size],
        made,
    )


def _maker(case: Case, output: ast.expr) -> ast.expr:
    """The expression that makes an output: inside of a function where only one call of the program uses that."""
    made = definition(case, output)
    for _ in range(5):
        functions = Flow(case).called(made) if isinstance(made, ast.Call) else []
        results = returned(functions[0]) if len(functions) == 1 else []
        name = getattr(functions[0], "name", "") if functions else ""
        uses = [one for one in case.nodes(ast.Name) if one.id == name]
        if len(results) != 1 or len(uses) != 1 or isinstance(results[0], ast.Tuple | ast.List | ast.Dict):
            return made
        inner = definition(case, results[0])
        if line(inner) == 0 or case.enclosing(inner, ast.FunctionDef) is not functions[0]:
            return results[0]
        made = inner
    return made


def _followed(case: Case, made: ast.expr) -> str:
    text = " ".join(case.text(made).split())
    return text if isinstance(made, ast.Name | ast.Call | ast.Attribute | ast.Subscript) else f"({text})"
