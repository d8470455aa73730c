"""Values outside of what a distribution has, where it is plain how they are to be mapped: spins, labels from 1, grey levels."""

from __future__ import annotations

import ast
import re
from typing import Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import code, finding, on_other_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow

_OUTSIDE: Final = re.compile(
    r"Expected value argument .* to be within the support \((\w+)\((.*?)\)\) of the distribution (\w+)", re.DOTALL
)
_PERCENT: Final = re.compile(r"percent|pct|百分", re.IGNORECASE)
_GREY: Final = 255

Told = tuple[str, str, str]
"""How a value is mapped, with ``{}`` in its place, and what it is, in English and in Chinese."""


@finds(errors.MODULE_ARGUMENT)
def _mapped(case: Case) -> Finding | None:
    """``Bernoulli(p).log_prob(spins)`` of -1 and 1."""
    call, told = case.find(ast.Call), _OUTSIDE.search(str(case.details.get("message", "")))
    if call is None or told is None:
        return None
    given = next(iter([*call.args, *(one.value for one in call.keywords)]), None)
    held = Flow(case).tensor(given) if given is not None else None
    if given is None or held is None:
        return None
    low, high = (re.search(rf"{name}=(-?[\d.]+)", told[2]) for name in ("lower_bound", "upper_bound"))
    bounds = (float(low[1]), float(high[1])) if low is not None and high is not None else (0.0, 1.0)
    kind = "whole" if told[1] == "IntegerInterval" else "yes" if told[1] == "Boolean" else "part"
    if told[1] not in ("Boolean", "IntegerInterval", "Interval") or bounds[0] != 0:
        return None
    mapped = mapping(held._a, kind, bounds[1], case.text(given))
    if mapped is None:
        return None
    way, what, what_zh = mapped
    text = way.format(case.operand(given))
    made = definition(case, given)
    where, where_zh = on_other_line(made, call)
    values = {"yes": "0 and 1", "whole": f"0 to {int(bounds[1])}", "part": "0 to 1"}[kind]
    values_zh = {"yes": "0 和 1", "whole": f"0 到 {int(bounds[1])}", "part": "0 到 1"}[kind]
    return finding(
        case,
        f"{code(case, given)}{where} holds {what}, and the values of `{told[3]}` are {values}. Map the one to the other: `{text}`.",
        f"{code(case, given)}{where_zh} 的值是{what_zh}，而 `{told[3]}` 的取值是 {values_zh}。请做相应的换算：`{text}`。",
        case.fix(case.replace(given, text), call),
        given,
    )


def mapping(array: np.ndarray, kind: str, most: float, text: str) -> Told | None:
    """How values become those that are meant: ``yes`` or no, ``whole`` numbers up to the most, a ``part`` of one."""
    values = np.asarray(array, float)
    if not values.size or not np.isfinite(values).all():
        return None
    low, high, whole = float(values.min()), float(values.max()), bool((values == values.round()).all())
    held = set(np.unique(values).tolist())
    if held == {-1.0, 1.0} and most == 1:
        return ("({} + 1) // 2" if kind == "whole" else "({} + 1) / 2"), "-1 and 1", " -1 和 1"
    if kind == "yes":
        if held == {0.0, float(_GREY)}:
            return f"{{}} / {_GREY}", f"0 and {_GREY}", f" 0 和 {_GREY}"
        return ("{} - 1", "1 and 2", " 1 和 2") if held == {1.0, 2.0} else None
    if kind == "whole":
        counted = whole and low >= 1 and high == most + 1
        return ("{} - 1", f"numbers from 1 to {int(high)}", f"从 1 到 {int(high)} 的编号") if counted else None
    if low < -0.5 and low >= -1 and high <= 1:
        return "({} + 1) / 2", "numbers between -1 and 1", " -1 到 1 之间的数"
    if low >= 0 and high <= 100 and high > 1 and _PERCENT.search(text):
        return "{} / 100", "percentages", "百分数"
    if low >= 0 and whole and 100 < high <= _GREY:
        return f"{{}} / {_GREY}", f"grey levels from 0 to {_GREY}", f" 0 到 {_GREY} 的灰度值"
    return None
