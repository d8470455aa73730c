"""The state of an LSTM, a pair, indexed as if it were the one tensor that a GRU gives."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import is_made_by, operands_of
from gradflow.engine.diagnosis.search.spots import failed
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.tensor import Tensor

_MOST: Final = 300
_KINDS: Final = (
    errors.SHAPE_BROADCAST, errors.BMM_SHAPE, errors.MM_SHAPE, errors.CAT_SIZE, errors.CAT_DIMENSIONS,
    errors.TARGET_BATCH, errors.TARGET_SPATIAL, errors.MODULE_RUNTIME,
)  # fmt: skip


@finds(*_KINDS)
def _indexed(case: Case) -> Finding | None:
    """``out, state = lstm(x)`` and ``state[-1]``: that is `c` of all layers, not the last layer of `h`."""
    node = failed(case)
    if not isinstance(node, ast.expr):
        return None
    flow = Flow(case)
    behind, entries = list(flow.behind(node)), list(_entries(case, flow.behind(node)))
    calls = [one for one in case.nodes(ast.Call) if _made_by(case, one, "LSTM") is not None]
    for one in [*behind, *_on_the_stack(case)]:
        if not isinstance(one, ast.Subscript) or not isinstance(one.value, ast.Name | ast.Attribute):
            continue
        at = _number(one.slice)
        if at not in (0, 1, -1, -2) or case.context.made_at(case.program.span_of(one) or case.span) is not UNKNOWN:
            continue
        if not _may_be_pair(case, flow, one):
            continue
        for held, call in ((entry, call) for entry in entries for call in calls):
            if _is_state(case, held, call):
                return _told(case, one, call, at, tuple(map(int, held.array.shape)))
    return None


def _told(case: Case, index: ast.Subscript, call: ast.Call, at: int, shape: tuple[int, ...]) -> Finding | None:
    """The words, and `h` taken out of the pair: where it is made if a layer of another kind goes on from it."""
    name, shown = case.text(index.value), code(case, index)
    part = "h" if at in (0, -2) else "c"
    last = f"{name}[0][-1]"
    other = _goes_on(case)
    statement = case.statement(call)
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=[_, ast.Name() as state])], value=value) if (
            value is call and other is not None
        ):
            text = f"{case.text(statement.targets[0].elts[0])}, ({state.id}, _) = "  # type: ignore[attr-defined]
            fix = case.fix(case.replace(state, f"({state.id}, _)"), statement)
            where = f"on line {line(statement)} keep `h` alone: `{text}{case.text(call)}`"
            where_zh = f"在第 {line(statement)} 行只保留 `h`：`{text}{case.text(call)}`"
            why = f" {code(case, other)} on line {line(other)} goes on from `h` alone, so"
            why_zh = f"第 {line(other)} 行的 {code(case, other)} 只接着 `h` 往下算，所以请"
        case ast.Return(value=value) if value is call and other is not None:
            text = f"out, (h, _) = {case.text(call)}"
            fix = case.fix([*case.line_before(statement, text), *case.replace(call, "out, h")], statement)
            where, where_zh = (
                f"on line {line(call)} give back `h` alone: `{text}`",
                f"在第 {line(call)} 行只交回 `h`：`{text}`",
            )
            why = f" {code(case, other)} on line {line(other)} goes on from `h` alone, so"
            why_zh = f"第 {line(other)} 行的 {code(case, other)} 只接着 `h` 往下算，所以请"
        case _ if other is not None:
            return None
        case _:
            fix = case.fix(case.replace(index, last), index)
            where, where_zh = f"Take that: `{last}`", f"取出它：`{last}`"
            why, why_zh = "", "请"
    size = "×".join(map(str, shape))
    return finding(
        case,
        f"The state that the LSTM gives on line {line(call)}, {code(case, call)}, is the pair `(h, c)`, so {shown} on line {line(index)} takes `{part}` out of"
        f" the pair, all layers of it ({size}), and not the last layer of `h`.{why} {where}.",
        f"第 {line(call)} 行的 LSTM（{code(case, call)}）给出的状态是一对 `(h, c)`，因此第 {line(index)} 行的 {shown} 取到的是其中的 `{part}`，带着所有层（{size}），"
        f"而不是 `h` 的最后一层。{why_zh}{where_zh}。",
        [fix],
        index,
    )


def _on_the_stack(case: Case) -> Iterator[ast.expr]:
    """What stands in the calls that led to the error."""
    for frame in reversed(case.frames):
        node = case.find(ast.expr, frame.span) if frame.span is not None else None
        yield from (one for one in ast.walk(node) if isinstance(one, ast.expr)) if node is not None else ()


def _number(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return -value
    return None


def _may_be_pair(case: Case, flow: Flow, index: ast.Subscript) -> bool:
    """Whether what is indexed may be the state, as the text tells, and what it gives is used as it is."""
    owner = index.value
    if isinstance(case.parents.get(index), ast.Subscript | ast.Attribute | ast.Tuple):
        return False
    for one in flow.assigned(owner, owner.id) if isinstance(owner, ast.Name) else []:
        if isinstance(one, ast.List | ast.ListComp | ast.Tuple | ast.Dict):
            return False
        statement = case.statement(one)
        if isinstance(one, ast.Call) and isinstance(statement, ast.Assign) and _made_by(case, one, "LSTM") is not None:
            target = statement.targets[0]
            if not isinstance(target, ast.Tuple) or case.text(target.elts[0]) == case.text(owner):
                return False  # both, or the output
    return True


def _made_by(case: Case, call: ast.Call, kind: str) -> ast.Call | None:
    """The call that made the layer which this one calls, if it is of this kind."""
    text = case.text(call.func)
    for one in case.nodes(ast.Assign):
        made = one.value
        if isinstance(made, ast.Call) and called(made) == kind and text in [case.text(each) for each in one.targets]:
            return made
    return None


def _entries(case: Case, behind: Iterable[ast.expr]) -> Iterator[TensorEntry]:
    """The tensors of the record that the failed expression was computed from."""
    values = [case.value(one) for one in behind if isinstance(one, ast.Name | ast.Call)]
    parts = [part for value in values for part in (value if type(value) is tuple else [value])]
    waiting = [one._entry for one in parts if isinstance(one, Tensor) and one._entry is not None]
    seen = set(waiting)
    for current in waiting:
        yield current
        for one in operands_of(current) if len(seen) < _MOST else ():
            if one not in seen:
                seen.add(one)
                waiting.append(one)


def _is_state(case: Case, entry: TensorEntry, call: ast.Call) -> bool:
    """Whether a tensor is `h` or `c` that a call of an LSTM gave."""
    made = _made_by(case, call, "LSTM")
    if made is None or case.context.span_at(entry.place) != case.program.span_of(call):
        return False
    given = {one.arg: one.value for one in made.keywords}
    layers = given.get("num_layers", made.args[2] if len(made.args) > 2 else ast.Constant(1))
    count = case.value(layers)
    both = case.value(given.get("bidirectional", ast.Constant(False)))
    shape = entry.array.shape
    first = is_made_by(entry, "stack")
    known = not isinstance(count, int) or shape[0] == count * (2 if both is True else 1)
    return len(shape) == 3 and first and known


def _goes_on(case: Case) -> ast.Call | None:
    """A call of a GRU or of a plain RNN that is given a state."""
    for one in case.nodes(ast.Call):
        if len(one.args) > 1 and any(_made_by(case, one, kind) for kind in ("GRU", "RNN")):
            return one
    return None
