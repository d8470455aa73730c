"""Conditions that are true whatever is asked: a text stands in the place of a question, or the bits of a number are turned for a yes or no."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.findings.language.constant_conditions import always_true
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of
from gradflow.engine.recording.entries import NodeEntry
from gradflow.engine.trace import Note, Text

ALWAYS_TRUE: Final = Trap(
    "condition-always-true",
    "`{whole}` is always true: Python takes `{text}` for a condition of its own, and a text that is not empty is true. Ask for each text: `{asked}`.",
    "`{whole}` 永远为真：Python 把 `{text}` 单独当作一个条件，而非空字符串为真。请对每个字符串都提问：`{asked}`。",
)
INVERTED: Final = Trap(
    "bits-of-mask-inverted",
    "`{name}` holds whole numbers ({dtype}), and `~` flips all their bits: it makes {zero} of 0 and {one} of 1, which are not 1 and 0. So {effect}. Compare with 0: `{meant}`.",
    "`{name}` 里是整数（{dtype}），而 `~` 翻转它们的所有二进制位：0 变成 {zero}，1 变成 {one}，而不是 1 和 0。于是{effect}。请改为与 0 比较：`{meant}`。",
)
_AS_TRUTH: Final = "to_dtype any all logical_and logical_or logical_xor logical_not where"
_AS_NUMBER: Final = "mul div"
_FEWEST: Final = 3  # numbers of a mask that is an index: `x[~i]` counts from the end on purpose
_BY_TRUTH: Final = Text("every element counts as true", "每个元素都算作真")
_BY_NUMBER: Final = Text("as factors they hide nothing", "它们作为因子什么也遮不住")
_BY_INDEX: Final = Text("they are taken for positions, counted from the end", "它们被当作从末尾数起的下标")


def always_true_tests(run: Record) -> Iterator[Note]:
    """``if "conv" or "norm" in name``."""
    if " or " not in run.program.source:
        return
    for node in run.case.nodes(ast.BoolOp):
        parent = run.case.parents.get(node)
        is_test = getattr(parent, "test", None) is node or node in getattr(parent, "ifs", ())
        found = always_true(run.case, node) if is_test else None
        if found is None:
            continue
        fix = run.fix(run.case.replace(node, found.asked), f"`{found.asked}`", f"`{found.asked}`")
        words = {
            "whole": " ".join(run.case.text(node).split()),
            "text": run.case.text(found.text),
            "asked": found.asked,
        }
        yield ALWAYS_TRUE.note(run.program.span_of(node), (), fix, **words)


def inverted_masks(run: Record) -> Iterator[Note]:
    """``(~mask).bool()`` of a mask of zeros and ones that are whole numbers."""
    if "~" not in run.program.source:
        return
    for node in run.case.nodes(ast.UnaryOp):
        made = run.made_at(node) if isinstance(node.op, ast.Invert) else []
        if not made or not all(_is_of_zeros_and_ones(one) for one in made):
            continue
        effect = _effect(run, node, made)
        if effect is None:
            continue
        name, kind = run.case.text(node.operand), made[0].inputs[0].array.dtype
        meant = f"{run.case.operand(node.operand)} == 0"
        fix = run.fix(
            run.case.replace(node, meant if _is_enclosed(run, node) else f"({meant})"), f"`{meant}`", f"`{meant}`"
        )
        zero, one = int(np.invert(kind.type(0))), int(np.invert(kind.type(1)))
        words = {"name": " ".join(name.split()), "dtype": str(kind), "zero": zero, "one": one}
        yield INVERTED.note(run.program.span_of(node), [], fix, effect=effect, meant=meant, **words)


def _is_of_zeros_and_ones(node: NodeEntry) -> bool:
    """Whether `~` was taken of whole numbers that are all 0 or 1."""
    held = node.inputs[0].array if len(node.inputs) == 1 else np.empty(0)
    return (
        is_call_of(node, "bitwise_not")
        and held.dtype.kind in "iu"
        and held.ndim > 0
        and bool(np.isin(held, (0, 1)).all())
    )


def _effect(run: Record, node: ast.UnaryOp, made: list[NodeEntry]) -> Text | None:
    """What the inverted numbers are used for; None where it is not as a mask, or for several things."""
    readers = [reader for one in made for out in one.outputs for reader in run.consumers.get(out.first, ())]
    if any(not is_call_of(one, f"{_AS_TRUTH} {_AS_NUMBER}") for one in readers):
        return None
    if any(is_call_of(one, "to_dtype") and one.outputs[0].array.dtype.kind in "iu" for one in readers):
        return None
    if any(is_call_of(one, _AS_NUMBER) or one.outputs[0].array.dtype.kind == "f" for one in readers):
        return _BY_NUMBER
    if readers:
        return _BY_TRUTH
    if not _is_index(run, node) or made[0].inputs[0].array.size < _FEWEST:
        return None
    return _BY_TRUTH if made[0].inputs[0].array.dtype == np.uint8 else _BY_INDEX


def _is_index(run: Record, node: ast.UnaryOp) -> bool:
    """Whether an expression stands as an index, or under a name that does."""
    statement = run.case.statement(node)
    names = (
        {getattr(one, "id", "") for one in statement.targets}
        if isinstance(statement, ast.Assign) and statement.value is node
        else set()
    )
    slices = [one.slice for one in run.case.nodes(ast.Subscript)]
    return any(one is node or (isinstance(one, ast.Name) and one.id in names) for one in slices)


def _is_enclosed(run: Record, node: ast.UnaryOp) -> bool:
    """Whether a comparison can stand where the expression stands, without brackets of its own."""
    span, parent = run.program.span_of(node), run.case.parents.get(node)
    if span is None or isinstance(parent, ast.Assign | ast.Call | ast.keyword | ast.Subscript | ast.Return):
        return not (isinstance(parent, ast.Call) and parent.func is node)
    return run.case.line(span.line)[: span.column].endswith("(") and run.case.line(span.end_line)[
        span.end_column :
    ].startswith(")")


TRAPS: Final = (always_true_tests, inverted_masks)
