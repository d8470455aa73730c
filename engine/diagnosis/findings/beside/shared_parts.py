"""A part that two optimizers train, stepped between the passes of two losses of one forward computation."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gradflow.engine import errors
from gradflow.engine.diagnosis.blocks import block_of
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.meant.trained import layer_with, trained
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.findings.writes import last_write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix, Span


@dataclass(frozen=True)
class _Between:
    """The statements of two passes and of the step between them, in one block."""

    body: Sequence[ast.stmt]
    first: ast.stmt
    step: ast.stmt
    second: ast.stmt
    written: set[int]


@finds(errors.SAVED_MODIFIED, errors.SAVED_MODIFIED_TRACED)
def _step_on_shared_part(case: Case) -> Finding | None:
    """``critic_loss.backward(); critic_opt.step()``, then ``actor_loss.backward()`` through the trunk of both."""
    call, write = case.find(ast.Call), last_write(case)
    found = _between(case, call, write) if call is not None and isinstance(write, ast.Call) else None
    if call is None or write is None or found is None:
        return None
    steps = [one for one in case.nodes(ast.Call) if called(one) == "step" and case.text(one) != case.text(write)]
    both = next(((one, shared) for one in steps if (shared := found.written & trained(case, one))), None)
    loss = call.func.value if isinstance(call.func, ast.Attribute) else None
    if both is None or not isinstance(loss, ast.Name) or not _is_of_before(case, found, loss):
        return None
    other, shared = both
    part = next(_parts(case, shared), None)
    whose, whose_zh = (f" of `{part}`", f" `{part}` 的") if part is not None else ("", "")
    optimizers = [
        f"`{case.text(one.func).removesuffix('.step')}`" for one in (write, other) if isinstance(one, ast.Call)
    ]
    passes = [code(case, one) for one in (found.first, found.second)]
    return finding(
        case,
        f"{code(case, write)} on line {line(write)} changes the weights{whose}, which {optimizers[0]} and {optimizers[1]} both train, and {passes[1]} on line"
        f" {line(found.second)} needs them as they were: `{loss.id}` comes from the same forward computation. Run both passes first, {passes[0]} and"
        f" {passes[1]}, and both steps behind them; clear the gradients of both optimizers in front of the passes.",
        f"第 {line(write)} 行的 {code(case, write)} 修改了{whose_zh}权重，而这些权重由 {optimizers[0]} 和 {optimizers[1]} 共同训练，第 {line(found.second)} 行的 {passes[1]}"
        f" 还需要旧值：`{loss.id}` 来自同一次前向计算。请先做完两次反向传播 {passes[0]} 和 {passes[1]}，再执行两次更新；两个优化器的梯度都在反向传播之前清零。",
        _reordered(case, found) or (),
        write,
    )


def _between(case: Case, call: ast.Call, write: ast.Call) -> _Between | None:
    written = trained(case, write)
    step, second = case.statement(write), case.statement(call)
    body = block_of(case, step) if step is not None else []
    if not written or step is None or second not in body or second is None or body.index(step) >= body.index(second):
        return None
    passes = [one for one in body[: body.index(step)] if _calls(one) == "backward"]
    return _Between(body, passes[-1], step, second, written) if passes else None


def _calls(statement: ast.stmt) -> str:
    """What a statement that is one call calls."""
    return called(statement.value) if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) else ""


def _is_of_before(case: Case, found: _Between, loss: ast.Name) -> bool:
    """Whether a loss uses nothing that was computed with the new weights: its own part of the forward computation stands before the step."""
    behind = found.body[found.body.index(found.step) + 1 : found.body.index(found.second)]
    if any(layer_with(case, one, found.written) is not None for one in behind):
        return False
    value = next(iter(Flow(case).assigned(loss, loss.id)), None)
    made = case.statement(value) if value is not None else None
    return made in found.body and isinstance(case.value(loss), Tensor)


def _parts(case: Case, shared: set[int]) -> Iterator[str]:
    """The models, or parts of models, all of whose parameters are shared, by their names in the program."""
    for name, value in case.values.items():
        if not isinstance(value, Layer) or name.startswith("_"):
            continue
        for path, part in value.named_modules():
            own = [id(one) for one in part.parameters()]
            if own and set(own) <= shared and not path.rpartition(".")[2].isdigit():
                yield f"{name}.{path}" if path else name
                return


def _reordered(case: Case, found: _Between) -> Fix | None:
    """Both passes, and then the step: the lines from the first pass to the second written anew."""
    body = found.body
    start, end = body.index(found.first), body.index(found.second)
    while start and body[start - 1].end_lineno == body[start].lineno:
        start -= 1
    rows = list(body[start : end + 1])
    last = body[end + 1] if end + 1 < len(body) else None
    first_span, last_span = case.program.span_of(rows[0]), case.program.span_of(rows[-1])
    if first_span is None or last_span is None or (last is not None and last.lineno == rows[-1].end_lineno):
        return None
    whole = Span(first_span.line, first_span.column, last_span.end_line, len(case.line(last_span.end_line)))
    between = rows[rows.index(found.first) + 1 : -1]
    clears = [one for one in between if _calls(one) == "zero_grad"]
    made = [one for one in between if isinstance(one, ast.Assign)]
    if len(clears) + len(made) + 1 != len(between) or "#" in case.program.text_at(whole):
        return None
    ahead = rows[: rows.index(found.first)]
    order = [*ahead, *clears, found.first, *made, found.second, found.step]
    indent = case.line(whole.line)[: whole.column]
    if indent.strip():
        return None
    text = f"\n{indent}".join(case.text(one) for one in order)
    return apply(case, [Edit(whole, text)], "Both passes, then the steps", "先做两次反向传播，再更新")
