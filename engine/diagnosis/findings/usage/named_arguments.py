"""Any refusal whose message names arguments of the call: their values, and where they come from."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import place
from gradflow.engine.diagnosis.findings.models.constructed import given_to
from gradflow.engine.diagnosis.findings.usage.keyword_tables import brought, from_table
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finally_finds
from gradflow.engine.errors.language import python

_REFUSALS: Final = (
    errors.MODULE_ARGUMENT,
    errors.MODULE_ASSERTION,
    errors.MODULE_RUNTIME,
    errors.OPTIMIZER_ARGUMENT,
    errors.LAYER_ARGUMENT,
    errors.LOSS_ARGUMENT,
    python.VALUE,
)


@finally_finds(*_REFUSALS)
def _arguments_named(case: Case) -> Finding | None:
    """Any message that names arguments of the call: their values, and where they come from."""
    call, message = case.find(ast.Call), " ".join(str(case.details.get("message", "")).split())
    if call is None or not message:
        return None
    words = set(re.findall(r"\w+", message))
    tables = brought(case, call)
    named = [
        (name, node)
        for name, node in given_to(case, call).items()
        if (name in words and len(name) > 1) or (name in tables and message.endswith(f": {case.value(node)!r}"))
    ]
    told, told_zh = [], []
    for name, node in named[:4]:
        value = case.value(node)
        plain = type(value) in (int, float, str, bool, tuple)
        where, where_zh = from_table(case, tables[name]) if name in tables else place(case, node)
        if code(case, node) == f"`{name}`" and not plain:
            continue  # its name says nothing of its value
        shown = f"`{value!r}`" if plain and len(repr(value)) < 40 else code(case, node)
        told.append(f"`{name}` is {shown}{where}")
        told_zh.append(f"`{name}` 是 {shown}{where_zh}")
    if not told or all(case.value(node) is UNKNOWN for _, node in named):
        return None
    said = message.rstrip(".")
    return finding(
        case,
        f"{code(case, call)} on line {line(call)} refuses what it is given: {', '.join(told)}. It says: “{said}”. Give other"
        f" values for {'it' if len(told) == 1 else 'one of them'}.",
        f"第 {line(call)} 行的 {code(case, call)} 不接受给它的值：{'，'.join(told_zh)}。它的说明是：“{said}”。请换一个值。",
        (),
        named[0][1],
    )
