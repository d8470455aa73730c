"""Traps of schedules and hooks: a learning rate that nobody changes, one that is 0, hooks that grow in number."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.traps.edits import line_after, moved_before
from gradflow.engine.diagnosis.traps.proven.held import optimizer_call
from gradflow.engine.diagnosis.traps.record import Record, Trap, attributes_of
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix, Note, Text

SCHEDULE_IDLE: Final = Trap(
    "schedule-never-stepped",
    "`{name}` is made and never stepped, so the learning rate stays {rate:g} in all {count} steps. Call `{name}.step()` behind the optimizer's, once an epoch.",
    "`{name}` 创建之后从未调用 `step()`，所以 {count} 步里学习率一直是 {rate:g}。请在优化器的 `step()` 之后调用 `{name}.step()`，每轮一次。",
)
SCHEDULE_OF_OTHER: Final = Trap(
    "schedule-of-other-optimizer",
    "`{name}` was made for another optimizer than the one that takes the steps: it changes a learning rate that nobody uses. Make it of the optimizer that trains, behind"
    " the line that makes it.",
    "`{name}` 是为另一个优化器创建的，而不是执行更新的那个：它改变的学习率没有人用。请在创建用于训练的优化器之后，用它来创建学习率调度器。",
)
HOOK_AGAIN: Final = Trap(
    "hook-registered-in-every-turn",
    "`{text}` registers one more hook in every turn, and all of them run: in the last pass {last} of them, one after the other. Register it once, before the loop.",
    "`{text}` 在每一轮都再注册一个 hook，而它们全都会运行：最后一次反向传播里依次运行了 {last} 个。请在循环之前只注册一次。",
)
RATE_ZERO: Final = Trap(
    "learning-rate-is-zero",
    "The learning rate is 0 in all {count} steps, so nothing moves: {why}",
    "全部 {count} 步的学习率都是 0，什么也没有移动：{why}",
)

_FEWEST: Final = 2


_LOOKING: Final = r"\.(?:get_last_lr|state_dict|last_epoch|_last_lr)\b"
"""What reads a schedule and moves nothing."""


def schedules(run: Record) -> Iterator[Note]:
    """A schedule that is never stepped, or that belongs to an optimizer that takes no steps."""
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                own = attributes_of(run.namespace.get(name))
            case _:
                continue
        optimizer = own.get("optimizer")
        if "last_epoch" not in own or not isinstance(optimizer, Optimizer) or len(run.steps) < _FEWEST:
            continue
        moved = set(map(id, (entry.tensor for entry in run.moved)))
        params = [id(p) for group in optimizer.param_groups for p in group["params"]]
        used = re.search(
            rf"\b{name}\b(?!\s*=[^=])(?!{_LOOKING})", run.program.source.replace(run.case.text(statement), "")
        )
        if used is None and any(one in moved for one in params):
            rate = optimizer.param_groups[0]["lr"]
            yield SCHEDULE_IDLE.note(
                run.program.span_of(call), (), _stepping(run, name), name=name, rate=rate, count=len(run.steps)
            )
        elif used is not None and _is_left(run, optimizer, call) and _is_made_once(run, name):
            yield SCHEDULE_OF_OTHER.note(run.program.span_of(call), (), None, name=name)


def rate_zero(run: Record) -> Iterator[Note]:
    """``LambdaLR(opt, lambda epoch: epoch // 10)``."""
    rates = [settings.get("lr") for step in run.steps for _, settings, _ in step.told["groups"]]
    if (
        len(run.steps) < _FEWEST
        or not rates
        or any(one is None or isinstance(one, Tensor) or float(one) != 0 for one in rates)
    ):
        return
    made = [one for one in run.case.nodes(ast.Call) if called(one) in ("LambdaLR", "MultiplicativeLR")]
    place = made[0] if len(made) == 1 else optimizer_call(run)
    text = run.case.text(made[0].args[1]) if len(made) == 1 and len(made[0].args) > 1 else ""
    lamb = Text(
        f"`{text}` gives 0 for all of them. Let it begin above 0.",
        f"`{text}` 给它们的都是 0。请让它从大于 0 的数开始。",
    )
    plain = Text("the optimizer was given 0. Choose a number above 0.", "给优化器的就是 0。请选择大于 0 的数。")
    yield RATE_ZERO.note(
        run.program.span_of(place) if place else run.span(run.steps[0].place),
        (),
        None,
        count=len(run.steps),
        why=lamb if text else plain,
    )


def own_schedules(run: Record) -> Iterator[Note]:
    """``self.scheduler = CosineAnnealingLR(...)`` that nobody steps."""
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=ast.Call() as call):
                pass
            case _:
                continue
        read = any(one.attr == name and isinstance(one.ctx, ast.Load) for one in run.case.nodes(ast.Attribute))
        if called(call).endswith("LR") and not read and len(run.steps) >= _FEWEST and "step(" in run.program.source:
            rate = next((settings["lr"] for _, settings, _ in run.steps[-1].told["groups"] if "lr" in settings), 0.0)
            words = {"name": f"self.{name}", "rate": float(rate), "count": len(run.steps)}
            yield SCHEDULE_IDLE.note(run.program.span_of(call), (), None, **words)


def _stepping(run: Record, name: str) -> Fix | None:
    """The schedule's step at the end of the only loop that stands alone around the steps."""
    statement = run.statement_at(run.span(run.steps[0].place))
    loop = run.case.enclosing(statement, ast.For) if statement is not None else None
    if statement is None or loop is None or run.case.enclosing(loop, ast.For) is not None:
        return None
    text = f"{name}.step()"
    return (
        run.fix(line_after(run.case, statement, text), f"`{text}`", f"`{text}`")
        if run.case.parents.get(statement) is loop
        else None
    )


def _is_made_once(run: Record, name: str) -> bool:
    return sum(one.id == name and isinstance(one.ctx, ast.Store) for one in run.case.nodes(ast.Name)) == 1


def _is_left(run: Record, optimizer: Optimizer, call: ast.Call) -> bool:
    """Whether the name of an optimizer was given to another one since a schedule was made of it."""
    given = call.args[0] if call.args else None
    now = run.namespace.get(given.id) if isinstance(given, ast.Name) else None
    if not isinstance(now, Optimizer) or now is optimizer:
        return False
    scope = run.case.enclosing(call, ast.FunctionDef)
    again = [
        one.lineno
        for one in run.case.nodes(ast.Assign)
        if any(run.case.text(each) == run.case.text(given) for each in one.targets) and one.lineno > call.lineno  # type: ignore[arg-type]  # a name, as was looked
        if run.case.enclosing(one, ast.FunctionDef) is scope
    ]
    return len(again) == 1 and not any(run.line(step.place) < again[0] for step in run.steps)


def hooks(run: Record) -> Iterator[Note]:
    """``w.register_hook(...)`` in the loop that trains ``w``."""
    if "register_hook" not in run.program.source or ".remove()" in run.program.source:
        return
    counts: list[int] = []
    for event in run.events():
        if event.kind == "pass":
            counts.append(0)
        elif event.kind == "hook" and counts and event.told["tensor"] is not None and event.told["tensor"].is_leaf:
            counts[-1] += 1
    for call in run.case.nodes(ast.Call):
        loop = run.case.enclosing(call, ast.For)
        statement = run.case.statement(call)
        if called(call) != "register_hook" or loop is None or not isinstance(statement, ast.Expr):
            continue
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        stored = {one.id for one in ast.walk(loop) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        if isinstance(owner, ast.Name) and owner.id not in stored and len(counts) > _FEWEST and counts[-1] > counts[0]:
            fix = run.fix(moved_before(run.case, statement, loop), "Before the loop", "移到循环之前")
            text = " ".join(run.case.text(call).split())
            yield HOOK_AGAIN.note(run.program.span_of(call), (), fix, text=text, last=counts[-1])


TRAPS: Final = (schedules, own_schedules, rate_zero, hooks)
