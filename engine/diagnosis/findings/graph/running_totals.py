"""A total of losses that every turn adds to and goes back from, though each turn moves the parameters by itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.nothing_differentiable import output_of
from gradflow.engine.diagnosis.findings.second_pass import loop_around
from gradflow.engine.diagnosis.findings.words import apply, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.tensor import Tensor

Sum = ast.Assign | ast.AugAssign


@finds(errors.BACKWARD_TWICE)
def _total_of_turns(case: Case) -> Finding | None:
    """``running = 0.9 * running + 0.1 * loss``, ``running.backward()`` and ``opt.step()`` in one loop."""
    call, output = case.find(ast.Call), output_of(case)
    loop = loop_around(case, call)
    if call is None or not isinstance(output, ast.Name) or loop is None:
        return None
    if not any(called(one) == "step" for one in ast.walk(loop) if isinstance(one, ast.Call)):
        return None
    sums = [one for one in ast.walk(loop) if isinstance(one, Sum) and _adds_to(one, output.id)]
    if len(sums) != 1 or loop_around(case, sums[0]) is not loop or _is_renewed(loop, sums[0], output.id):
        return None
    added = list(_losses(case, sums[0], output.id))
    if len(added) != 1 or Flow(case).scope(added[0]) is not Flow(case).scope(output):
        return None
    loss = added[0].id
    text, kept = f"{loss}.backward()", f"{loss}.detach()"
    return finding(
        case,
        f"`{output.id}` is carried from turn to turn (line {line(sums[0])}), so the pass of this turn goes back through the graphs of the turns before, which are"
        f" already freed. Begin the pass at the loss of this turn, `{text}`, and add up its value alone, `{kept}`.",
        f"`{output.id}` 一轮一轮地传下去（第 {line(sums[0])} 行），所以这一轮的反向会走进之前各轮的计算图，而它们已经被释放了。请从这一轮自己的损失"
        f"开始反向传播：`{text}`，累加时只用它的数值：`{kept}`。",
        apply(
            case,
            [*case.after(added[0], ".detach()"), *case.replace(output, loss)],
            f"`{kept}` and `{text}`",
            f"`{kept}` 和 `{text}`",
        )
        or (),
        sums[0],
    )


def _adds_to(statement: Sum, name: str) -> bool:
    """Whether a statement computes a name from its value before."""
    if isinstance(statement, ast.AugAssign):
        return (
            isinstance(statement.target, ast.Name) and statement.target.id == name and isinstance(statement.op, ast.Add)
        )
    if not isinstance(statement.value, ast.BinOp) or [getattr(one, "id", "") for one in statement.targets] != [name]:
        return False
    return any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(statement.value))


def _is_renewed(loop: ast.AST, total: Sum, name: str) -> bool:
    """Whether the loop gives the name another value, too."""
    return any(
        isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store)
        for statement in ast.walk(loop)
        if isinstance(statement, ast.stmt) and statement is not loop and statement is not total
        if not any(part is total for part in ast.walk(statement))
        for one in ast.walk(statement)
    )


def _losses(case: Case, total: Sum, name: str) -> Iterator[ast.Name]:
    """The names of single numbers with a graph that are added."""
    for one in ast.walk(total.value):
        held = case.value(one) if isinstance(one, ast.Name) and one.id != name else None
        if isinstance(one, ast.Name) and isinstance(held, Tensor) and held.grad_fn is not None and held.numel() == 1:
            yield one
