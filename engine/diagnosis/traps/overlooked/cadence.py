"""Traps of how often something is done: schedules that count batches for epochs, a first step after one pass of several."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.traps.edits import line_after, moved, moved_after
from gradflow.engine.diagnosis.traps.record import Record, Trap, attributes_of
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.recording.chronology import EventEntry
from gradflow.engine.recording.entries import CodePosition, TensorEntry
from gradflow.engine.recording.places import PlaceEntry
from gradflow.engine.trace import Edit, Fix, Note

EACH_BATCH: Final = Trap(
    "schedule-stepped-each-batch",
    "`{text}` is called after every batch, {count} times in {epochs} epochs, while {setting} counts epochs: the schedule is through long before"
    " the training is, and the learning rate is {last:g}. Call it once an epoch, behind the loop over the batches.",
    "`{text}` 在每个批次之后都会调用，{epochs} 轮里共 {count} 次，而 {setting} 是按轮数设的：训练还远没有结束，学习率的变化就已经走完了，学习率是 {last:g}。请每轮只调用一次，放在遍历批次的循环之后。",
)
EACH_EPOCH: Final = Trap(
    "schedule-stepped-each-epoch",
    "`{text}` is called once an epoch, {count} times, while the schedule was made for {total} steps, one after every batch: it never gets past its beginning. Call it"
    " behind the optimizer's step.",
    "`{text}` 每轮只调用一次，共 {count} 次，而这个学习率调度器是按 {total} 步（每个批次一步）设的：它一直停留在开头。请在优化器的 `step()` 之后调用。",
)
FIRST_STEP_EARLY: Final = Trap(
    "first-step-after-one-pass",
    "`{text}` is true in the first turn already, where `{name}` is 0: the first step has the gradient of 1 pass, all others have those of {count}, and what comes after"
    " the last step of the loop is left over. Count from one: `{meant}`.",
    "`{text}` 在第一轮（`{name}` 为 0）就已经成立：第一次更新只用了 1 次反向传播的梯度，其余每次都是 {count} 次累积的梯度，循环末尾剩下的梯度则没有用上。请从 1 开始数：`{meant}`。",
)

_GONE: Final = 1e-4
"""Of a learning rate what is as good as nothing."""
_FEWEST: Final = 2


def each_batch(run: Record) -> Iterator[Note]:
    """``MultiStepLR(opt, milestones=[4, 8])``, stepped in the loop over the batches."""
    for own, call, marks in _stepped(run):
        around = [_outer_turn(one) for one in marks]
        epochs, count = len(set(around)), len(marks)
        setting, rates = _setting(run, own, epochs, count), own["_last_lr"]
        if None in around or epochs < _FEWEST or count < _FEWEST * epochs or not setting:
            continue
        text, statement = run.case.text(call), run.case.statement(call)
        loop = _inside_epoch(run, call, marks[0])
        edits: list[Edit] = []
        if isinstance(statement, ast.Expr) and loop is not None:
            edits = moved_after(run.case, statement, loop)
        elif isinstance(statement, ast.Expr):
            edits = _out_of_helper(run, call, statement, marks[0])
        fix = run.fix(edits, "Once an epoch, behind the loop", "每轮一次，放在循环之后")
        words = {"text": text, "count": count, "epochs": epochs, "setting": setting, "last": float(rates[0])}
        yield EACH_BATCH.note(run.program.span_of(call), (), fix, **words)


def _inside_epoch(run: Record, call: ast.Call, mark: EventEntry) -> ast.stmt | None:
    """The outermost loop around a call that lies within one turn of the loop over the epochs."""
    around = _loops_around(run, call)
    epoch = _outer_turn(mark)
    inner = [one for one in around if epoch is None or one.lineno != epoch.what.statement.lineno]
    if len(inner) < len(around):
        return inner[-1] if inner and around[-1] not in inner else None
    function = run.case.enclosing(call, ast.FunctionDef)
    calls = [one for one in run.case.nodes(ast.Call) if function is not None and called(one) == function.name]
    once = len(calls) == 1 and len(_loops_around(run, calls[0])) == 1
    return inner[-1] if inner and once else None


def _out_of_helper(run: Record, call: ast.Call, statement: ast.stmt, mark: EventEntry) -> list[Edit]:
    """The step taken out of a function that is called for each batch, and put behind the loop that calls it."""
    function = run.case.enclosing(call, ast.FunctionDef)
    calls = _calls_of(run, function) if function is not None else []
    if function is None or len(calls) != 1 or _loops_around(run, call) or len(function.body) < _FEWEST:
        return []
    loop = _inside_epoch(run, calls[0], mark)
    owner = _seen_outside(run, call, function, calls[0])
    if loop is None or not owner:
        return []
    return moved(run.case, statement, line_after(run.case, loop, f"{owner}.step()"))


def _calls_of(run: Record, function: ast.FunctionDef) -> list[ast.Call]:
    """The calls of a function by its name, or of a method by ``self`` or an object of its class."""
    owner = run.case.parents.get(function)
    found: list[ast.Call] = []
    for one in run.case.nodes(ast.Call):
        match one.func:
            case ast.Name(id=name) if not isinstance(owner, ast.ClassDef) and name == function.name:
                found.append(one)
            case ast.Attribute(value=ast.Name(id=held), attr=attr) if (
                isinstance(owner, ast.ClassDef) and attr == function.name
            ):
                own = run.case.enclosing(one, ast.ClassDef) is owner if held == "self" else False
                if own or type(run.namespace.get(held)).__name__ == owner.name:
                    found.append(one)
    return found


def _seen_outside(run: Record, call: ast.Call, function: ast.FunctionDef, outer: ast.Call) -> str:
    """What a schedule is called where a function is called; empty where that is not known."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    root: ast.AST | None = owner
    while isinstance(root, ast.Attribute):
        root = root.value
    if owner is None or not isinstance(root, ast.Name):
        return ""
    names, text = [one.arg for one in function.args.args], run.case.text(owner)
    bound = {one.id for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    if root.id in bound:
        return ""
    if root.id not in names:
        caller = run.case.enclosing(outer, ast.FunctionDef)
        return text if caller is None or root.id not in {one.arg for one in caller.args.args} else ""
    method = names[:1] == ["self"]
    if root.id == "self":
        held = outer.func.value if isinstance(outer.func, ast.Attribute) else None
        return text.replace("self", run.case.text(held), 1) if isinstance(held, ast.Name) else ""
    words = {one.arg: one.value for one in outer.keywords}
    at = names.index(root.id) - method
    given = outer.args[at] if at < len(outer.args) else words.get(root.id)
    if not isinstance(given, ast.Name | ast.Attribute):
        return ""
    return f"{run.case.text(given)}{text[len(root.id) :]}"


def _loops_around(run: Record, node: ast.AST) -> list[ast.For | ast.While]:
    """The loops around a node in its own function, the innermost first."""
    found: list[ast.For | ast.While] = []
    current = run.case.parents.get(node)
    while current is not None and not isinstance(current, ast.FunctionDef | ast.Lambda):
        if isinstance(current, ast.For | ast.While):
            found.append(current)
        current = run.case.parents.get(current)
    return found


def _setting(run: Record, own: Mapping[str, Any], epochs: int, count: int) -> str:
    """What a schedule was told that fits the epochs, and not the batches; nothing where it may be meant for these."""
    match own:
        case {"milestones": dict() as milestones} if milestones and max(milestones) <= epochs:
            return f"`milestones={sorted(milestones)}`"
        case {"step_size": int(size), "gamma": float(gamma)}:
            return f"`step_size={size}`" if gamma ** (count // size) < _GONE < gamma ** (epochs // size) else ""
        case {"T_max": int(turns)} if turns == epochs:
            return f"`T_max={turns}`"
        case {"lr_lambdas": list(), "_last_lr": [float(last), *_], "base_lrs": [float(first), *_]} if (
            last <= first * _GONE and _is_gone_early(_rates(run, own), first)
        ):
            return "`LambdaLR`"
        case {"gamma": float(gamma)} if "milestones" not in own:
            return f"`gamma={gamma:g}`" if gamma**count <= _GONE < gamma**epochs else ""
    return ""


def _rates(run: Record, own: Mapping[str, Any]) -> list[float]:
    """The learning rates of the steps of a schedule's optimizer, in their order."""
    held = {id(p) for group in own["optimizer"].param_groups for p in group["params"]}
    groups = [group for step in run.steps for group in step.told["groups"][:1]]
    return [told["lr"] for entries, told, *_ in groups if any(id(entry.tensor) in held for entry in entries)]


def _is_gone_early(rates: Sequence[float], first: float) -> bool:
    """Whether a third of the steps had a learning rate that is as good as nothing: one that reaches 0 at the end is meant to."""
    return sum(rate <= first * _GONE for rate in rates) * 3 >= len(rates) > 0


def each_epoch(run: Record) -> Iterator[Note]:
    """``OneCycleLR(opt, 0.1, total_steps=epochs * len(loader))``, stepped behind the loop over the batches."""
    for own, call, marks in _stepped(run):
        total, count = own.get("total_steps"), len(marks)
        if not isinstance(total, int) or count * 2 >= total or count < _FEWEST:
            continue
        held = {id(p) for group in own["optimizer"].param_groups for p in group["params"]}
        batches = [one for one in run.steps if any(id(entry.tensor) in held for entry in one.told["tensors"])]
        if not count < len(batches) <= total or len(batches) * 2 < total or len(batches) % count:
            continue
        text, statement = run.case.text(call), run.case.statement(call)
        step = run.statement_at(run.span(batches[0].place))
        edits: list[Edit] = []
        if isinstance(statement, ast.Expr) and step is not None and _within(run, step, statement):
            edits = moved_after(run.case, statement, step)
        fix = run.fix(edits, "Behind the optimizer's step", "放在优化器的 step() 之后")
        yield EACH_EPOCH.note(run.program.span_of(call), (), fix, text=text, count=count, total=total)


def _within(run: Record, step: ast.stmt, statement: ast.stmt) -> bool:
    """Whether an optimizer's step stands in a loop that lies in the one around a schedule's."""
    inner = run.case.enclosing(step, ast.For)
    return inner is not None and run.case.enclosing(inner, ast.For) is run.case.enclosing(statement, ast.For)


def _stepped(run: Record) -> Iterator[tuple[dict[str, Any], ast.Call, list[EventEntry]]]:
    """The schedules that one call in the program steps: their attributes, the call, what the calls left behind."""
    marks: dict[CodePosition, list[EventEntry]] = {}
    for event in run.events():
        if event.kind == "mark" and event.place is not None:
            marks.setdefault(event.place, []).append(event)
    schedules = [own for own in _kept(run) if isinstance(own.get("last_epoch"), int)]
    for place, events in marks.items():
        call = run.call_at(run.span(place))
        if call is None or called(call) != "step" or call.args:
            continue
        own = [one for one in schedules if one["last_epoch"] == len(events)]
        if len(own) == 1:
            yield own[0], call, events


def _kept(run: Record) -> Iterator[dict[str, Any]]:
    """The attributes of what has a name at the end, and of what that holds, where an optimizer is among them."""
    for held in run.held():
        own = attributes_of(held)
        for one in (own, *map(attributes_of, list(own.values()))):
            if isinstance(one.get("optimizer"), Optimizer):
                yield one


def _outer_turn(event: EventEntry) -> PlaceEntry | None:
    """The outermost of several turns that something was done in, which lie in each other; None where there is one at most."""
    turns: list[PlaceEntry] = []
    place = event.within
    while place is not None:
        if place.kind == "turn":
            turns.append(place)
        place = place.parent
    return turns[-1] if len(turns) > 1 else None


# -- the first step ----------------------------------------------------------------------------------------------------


def first_step_early(run: Record) -> Iterator[Note]:
    """``if i % 4 == 0: optimizer.step()`` behind a backward pass in every turn, from i = 0 on."""
    if "%" not in run.program.source:
        return
    for choice in run.case.nodes(ast.If):
        match choice.test:
            case ast.Compare(
                left=ast.BinOp(left=ast.Name(id=name) as counter, op=ast.Mod()),
                ops=[ast.Eq()],
                comparators=[ast.Constant(value=0)],
            ):
                pass
            case _:
                continue
        counts = _passes_before(run, choice)
        if counts[:1] != [1] or len(counts) < _FEWEST or counts[1] < _FEWEST or len(set(counts[1:])) > 2:
            continue
        text = run.case.text(choice.test)
        edits = run.case.replace(counter, f"({name} + 1)")
        meant = text.replace(name, f"({name} + 1)", 1)
        fix: Fix | None = run.fix(edits, f"`{meant}`", f"`{meant}`")
        words = {"text": text, "name": name, "count": counts[1], "meant": meant}
        yield FIRST_STEP_EARLY.note(run.program.span_of(choice.test), (), fix, **words)


def _passes_before(run: Record, choice: ast.If) -> list[int]:
    """How many passes added to what each step under a condition used, of steps whose leaves no other line moves."""
    counts: list[int] = []
    passes = 0
    moved: set[TensorEntry] = set()
    reached: set[TensorEntry] = set()
    for event in run.events():
        if event.kind == "pass":
            passes += 1
            reached |= {entry.first for entry, *_ in run.passes[event.told["index"]].accumulations}
        elif event.kind == "step":
            statement = run.statement_at(run.span(event.place))
            own = {entry.first for entry in event.told["tensors"]}
            if not any(one is statement for part in choice.body for one in ast.walk(part)):
                if own & moved or own & reached:
                    return []  # one of several
                continue
            if own and own <= reached:
                counts.append(passes)
            moved |= own
            passes, reached = 0, set()
    return counts


TRAPS: Final = (each_batch, each_epoch, first_step_early)
