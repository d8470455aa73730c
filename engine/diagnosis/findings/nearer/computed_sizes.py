"""The first size of a layer that is computed: by a function of the program, or as a sum of names."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.findings.sizes_written import number
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import is_made_by, operands_of


def is_swapped(case: Case, made: ast.Call) -> bool:
    """Whether the two sizes of a layer can be the wrong way round: no other layer beside it takes what this one gives.

    What is computed, ``nn.Linear(columns + 1, hidden)``, was written for an input.
    """
    if len(made.args) < 2 or isinstance(made.args[0], ast.BinOp):
        return False
    flow = Flow(case)
    first, second = (case.text(one) for one in made.args[:2])
    beside = [one for one in case.nodes(ast.Call) if called(one) == called(made) and one is not made and one.args]
    taken = [case.text(one.args[0]) for one in beside if flow.scope(one) is flow.scope(made)]
    return second not in taken or first in taken


def sum_written(case: Case, call: ast.Call, first: ast.expr, size: int) -> str:
    """``columns + 2`` for ``columns + 1``, where the parts that were joined are as many as the name says, and two; else ""."""
    match first:
        case ast.BinOp(left=ast.Name() | ast.Attribute() as name, op=ast.Add(), right=ast.Constant()):
            own, form = number(case, name), "{0} + {1}"
        case ast.BinOp(left=ast.Constant(), op=ast.Add(), right=ast.Name() | ast.Attribute() as name):
            own, form = number(case, name), "{1} + {0}"
        case _:
            return ""
    given = Flow(case).tensor(call.args[0]) if call.args else None
    entry = given._entry if given is not None else None
    if own is None or entry is None or not is_made_by(entry, "cat"):
        return ""
    widths = [int(one.array.shape[-1]) for one in operands_of(entry)]
    known = widths.count(own) == 1 and sum(widths) == size == int(entry.array.shape[-1])
    return form.format(case.text(name), size - own) if known else ""
