"""Traps of results that nothing keeps, in functions: a mask that is computed and thrown away."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.traps.habits import PURE, THROWN_AWAY
from gradflow.engine.diagnosis.traps.record import Record
from gradflow.engine.recording.entries import NodeEntry
from gradflow.engine.trace import Note

_FUNCTIONS: Final = PURE | {"softmax", "log_softmax", "dropout", "normalize", "pad", "layer_norm", "leaky_relu", "gelu"}
"""Of ``torch`` and of ``torch.nn.functional``: they give a tensor and do nothing else."""


def unused_results(run: Record) -> Iterator[Note]:
    """``scores.masked_fill(mask, -1e9)`` as a statement of a function that goes on with ``scores``."""
    for statement in run.case.nodes(ast.Expr):
        scope, call = run.case.enclosing(statement, ast.FunctionDef), statement.value
        if scope is None or not isinstance(call, ast.Call) or run.case.enclosing(statement, ast.Try) is not None:
            continue
        owner = _operand(run, call)
        made = run.made_at(call)
        if not owner or not made or not _goes_on(run, scope, statement, owner) or _is_read(run, made):
            continue
        text = " ".join(run.case.text(call).split())
        meant = f"{owner} = {text}"
        fix = run.fix(run.case.before(statement, f"{owner} = "), f"`{meant}`", f"`{meant}`")
        outs = [out for node in made[-1:] for out in node.outputs]
        yield THROWN_AWAY.note(run.program.span_of(statement), outs, fix, text=text, owner=owner, meant=meant)


def _operand(run: Record, call: ast.Call) -> str:
    """The name of the tensor that a function computes with that has no effect; "" for other functions."""
    if any(one.arg in ("inplace", "out") for one in call.keywords):
        return ""
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch" | "F" | "nn" | "functional"), attr=name), args=args):
            taken = args[0] if args and name in _FUNCTIONS else None
        case ast.Call(func=ast.Attribute(value=owner)) if called(call) in PURE:
            taken = owner
        case _:
            taken = None
    match taken:
        case ast.Name() | ast.Attribute(value=ast.Name(id="self")):
            return run.case.text(taken)
    return ""


def _goes_on(run: Record, scope: ast.FunctionDef, statement: ast.Expr, owner: str) -> bool:
    """Whether a function reads a name behind a statement, as if that had changed it."""
    end = statement.end_lineno or statement.lineno
    return any(
        isinstance(one, ast.Name | ast.Attribute)
        and isinstance(one.ctx, ast.Load)
        and one.lineno > end
        and run.case.text(one) == owner
        for one in ast.walk(scope)
    )


def _is_read(run: Record, made: list[NodeEntry]) -> bool:
    """Whether something else computes with what was made."""
    own = set(made)
    return any(
        reader not in own for node in made for out in node.outputs for reader in run.consumers.get(out.first, ())
    )


TRAPS: Final = (unused_results,)
