"""Traps of training loops: gradients that are not zeroed, steps that move nothing, parameters that nobody reaches."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.traps.edits import (
    cut_for_one_pass,
    evaluating,
    joined,
    moved_behind,
    optimizer_later,
    optimizer_maker,
    optimizer_of_made,
    zeroing,
)
from gradflow.engine.diagnosis.traps.record import (
    Record,
    Trap,
    is_call_of,
    is_to_stay,
    modules_kept,
    parameters_in,
    producer,
)
from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.recording.chronology import EventEntry
from gradflow.engine.recording.entries import NodeEntry, PassEntry, TensorEntry
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix, Note, Span, Text

NOT_ZEROED: Final = Trap(
    "gradient-not-zeroed",
    "{names}: `.grad` still held the gradient that line {step} had used already, and this pass added the new one to it. The"
    " next update moved by both. `backward()` always adds; set the gradients to zero once in every turn, before it.",
    "{names}：`.grad` 里还留着第 {step} 行已经用过的梯度，这次反向传播又把新的梯度加了上去，下一次更新用的是两者之和。"
    "`backward()` 总是累加；每一轮都要在它之前把梯度清零一次。",
)
NOTHING_TO_STEP: Final = Trap(
    "step-without-gradients",
    "No parameter had a gradient here, so this step moved nothing: `step()` reads `.grad`, and `backward()`, which fills it,"
    " comes later. The order is zero_grad, forward, backward, step.",
    "执行到这里时没有任何参数有梯度，所以这一步什么也没有更新：`step()` 读取 `.grad`，而填充它的 `backward()` 在后面才调用。"
    "正确的顺序是 zero_grad、前向计算、backward、step。",
)
ZEROED_BEFORE_STEP: Final = Trap(
    "zeroed-before-step",
    "This step moved nothing: the gradients that `backward()` computed in line {backward} were thrown away in line {zero},"
    " before they were used. Zero them before `backward()`, not between it and `step()`.",
    "这一步什么也没有更新：第 {backward} 行的 `backward()` 算出的梯度，还没有用上就在第 {zero} 行被清掉了。"
    "清零应当在 `backward()` 之前，而不是在它和 `step()` 之间。",
)
CUT_OFF: Final = Trap(
    "parameter-cut-off",
    "{names}: no pass ever reached it, so it is never trained. What was computed from it left the graph in this line"
    " ({how}); behind it no gradient flows back. {do}",
    "{names}：没有任何一次反向传播到达过它，因此它从未被训练。由它算出的结果在这一行离开了计算图（{how}），梯度无法再往回流。{do}",
)
NEVER_USED: Final = Trap(
    "parameter-never-used",
    "{names}: this optimizer is to train it, but nothing that a loss depends on was computed from it, so it never gets a"
    " gradient and never changes.",
    "{names}：优化器应当训练它，但没有任何损失依赖由它算出的结果，因此它永远得不到梯度，也永远不会改变。",
)
REPLACED: Final = Trap(
    "parameter-replaced",
    "{names}: the optimizer that is made here holds this parameter, and the model does not any more: it got another one in its place later{where}. The new one"
    " gets gradients and is never moved. Make the optimizer after the model is complete.",
    "{names}：这里创建的优化器保存着这个参数，但模型里已经没有它了：它后来被换成了另一个参数{where}。新的参数得到了梯度，却永远不会被更新。请在模型完全建好之后再创建优化器。",
)
DROPS: Final = Trap(
    "dropout-while-predicting",
    "{layer} still drops elements at random here: the model is in training mode, and `torch.no_grad()` does not change that."
    " Call `model.eval()` before predicting, and `model.train()` before training goes on.",
    "{layer} 在这里仍然随机丢弃元素：模型还处于训练模式，`torch.no_grad()` 并不会改变这一点。"
    "预测之前请调用 `model.eval()`，继续训练之前再调用 `model.train()`。",
)


# -- zeroing -----------------------------------------------------------------------------------------------------------


def not_zeroed(run: Record) -> Iterator[Note]:
    """Gradients that were used for an update, added to by the next pass, and used again."""
    if any(isinstance(one.value, ast.Attribute) and one.value.attr == "zero_grad" for one in run.case.nodes(ast.Expr)):
        return  # the brackets behind it are missing, which is told
    used: dict[TensorEntry, EventEntry] = {}
    added: dict[TensorEntry, PassEntry] = {}
    found: dict[TensorEntry, EventEntry] = {}  # what was moved since the last pass, by both gradients
    for event in run.events():
        if event.kind == "pass":
            yield from _all_not_zeroed(run, found, added)
            found = {}
            for entry, before, *_ in run.passes[event.told["index"]].accumulations:
                if entry.first in used and before is not None and before.any():
                    added[entry.first] = run.passes[event.told["index"]]
            continue
        if event.kind == "zero" or (event.kind == "write" and event.told["leaf"] is not None):
            for entry in event.tensors():
                used.pop(entry.first, None)
                if entry.first not in found:
                    added.pop(entry.first, None)
            continue
        updated = [entry.first for entry in _updated(run, event)]
        found |= {entry: used[entry] for entry in updated if entry in added and entry not in found}
        used.update(dict.fromkeys(updated, event))
    yield from _all_not_zeroed(run, found, added)


def _all_not_zeroed(
    run: Record, found: dict[TensorEntry, EventEntry], added: dict[TensorEntry, PassEntry]
) -> Iterator[Note]:
    """One note for what was moved after one pass, where the leaves are moved one by one, too."""
    if found:
        one = added[next(iter(found))]
        own = [entry for entry in found if added[entry] is one]
        updates = list(dict.fromkeys(found[entry] for entry in own))
        words = {"names": run.names(own), "step": run.line(updates[0].place)}
        yield NOT_ZEROED.note(run.span(one.place), own, zeroing(run, one, updates), **words)


def _updated(run: Record, event: EventEntry) -> list[TensorEntry]:
    """The leaves that an event moved by their gradients."""
    if event.kind == "step":
        return list(event.told["tensors"])
    if event.kind != "write" or event.told["leaf"] is not None or ".grad" not in run.builder.statement(event.place):
        return []
    return [event.told["after"]]


# -- steps that move nothing -------------------------------------------------------------------------------------------


def nothing_to_step(run: Record) -> Iterator[Note]:
    """Steps of an optimizer none of whose parameters had a gradient, though they get one."""
    last: EventEntry | None = None
    zeroed: EventEntry | None = None
    used: set[TensorEntry] = set()  # what was moved since the last pass
    early: set[TensorEntry] = set()  # what an optimizer was to move before there was any pass
    for event in run.events():
        if event.kind == "pass":
            last, zeroed, used = event, None, set()
        elif event.kind == "zero" and last is not None:
            zeroed = event
        elif event.kind == "step" and event.told["tensors"]:
            used |= {entry.first for entry in event.told["tensors"]}
        elif event.kind == "step" and _trained(run, event):
            if last is None:
                early |= _idle(event)
            if (last is None and _is_first_alone(run, event)) or used & _idle(event):
                continue  # one step before all turns, for the sake of a schedule; one more after that which moved
            if last is None or zeroed is not None or not run.is_of_unmoved(last):
                yield from _without_gradients(run, event, last, None if early & _idle(event) else zeroed)


def _is_first_alone(run: Record, step: EventEntry) -> bool:
    """Whether one of several steps is taken at a place of its own, once."""
    return len(run.steps) > 1 and [run.span(one.place) for one in run.steps].count(run.span(step.place)) == 1


def _idle(step: EventEntry) -> set[TensorEntry]:
    """What an optimizer could not move in a step."""
    return {leaf._entry.first for leaf in step.told["idle"] if leaf._entry is not None}


def _trained(run: Record, step: EventEntry) -> bool:
    """Whether some pass reaches a parameter of an optimizer."""
    return any(entry in run.reached for entry in _idle(step))


def _without_gradients(
    run: Record, step: EventEntry, last: EventEntry | None, zeroed: EventEntry | None
) -> Iterator[Note]:
    own = run.statement_at(run.span(step.place))
    if last is not None and zeroed is not None:
        zeroing, backward = run.statement_at(run.span(zeroed.place)), run.statement_at(run.span(last.place))
        edits: list[Edit] = moved_behind(run.case, backward, zeroing, before=True)
        fix = run.fix(edits, "Zero the gradients before backward()", "在 backward() 之前清零")
        behind_step = run.fix(
            moved_behind(run.case, zeroing, own), "Zero the gradients behind step()", "在 step() 之后清零"
        )
        lines = {"backward": run.line(last.place), "zero": run.line(zeroed.place)}
        yield ZEROED_BEFORE_STEP.note(run.span(step.place), (), fix or behind_step, **lines)
        return
    behind = next((one for one in run.passes if last is None or run.line(one.place) > run.line(step.place)), None)
    if behind is not None:
        edits = moved_behind(run.case, own, run.statement_at(run.span(behind.place)))
        fix = run.fix(edits, "Move this line behind backward()", "把这一行移到 backward() 之后")
        yield NOTHING_TO_STEP.note(run.span(step.place), (), fix)


# -- parameters without gradients --------------------------------------------------------------------------------------


def without_gradient(run: Record) -> Iterator[Note]:
    """Parameters of optimizers that took steps, which no pass of the run reached."""
    steps = run.steps
    if not steps or not any(one.complete for one in run.passes):
        return
    taught = run.moved.keys() | run.reached
    idle: dict[TensorEntry, EventEntry] = {}
    for step in steps:
        for leaf in step.told["idle"]:
            if leaf._entry is not None and leaf._entry.first not in taught:
                idle.setdefault(leaf._entry.first, step)
    held = set(map(id, _parameters(run)))
    replaced = [entry for entry in idle if held and id(entry.tensor) not in held and _successors(run, entry)]
    if replaced and not optimizer_of_made(run):
        new, maker = _successors(run, replaced[0])[0], optimizer_maker(run)
        fix = run.fix(optimizer_later(run, new), "Make the optimizer behind it", "在它之后创建优化器")
        line = run.line(new.place)
        where = Text(f", on line {line}", f"（第 {line} 行）") if line else Text("", "")
        span = run.span(idle[replaced[0]].place) if maker is None else run.program.span_of(maker)
        yield REPLACED.note(span, replaced, fix, names=run.names(replaced), where=where)
    rest = [entry for entry in idle if entry not in replaced]
    cuts: dict[Span | None, tuple[NodeEntry, list[TensorEntry]]] = {}
    for entry in rest:
        if (cut := _cut(run, entry)) is not None:
            cuts.setdefault(run.span(cut.place), (cut, []))[1].append(entry)
    for cut, entries in cuts.values():
        yield _left_at(run, cut, entries, run.names(entries))
    unused = [entry for entry in rest if not run.consumers.get(entry)]
    if unused and len(unused) < len(_all_of(idle[unused[0]])):
        yield NEVER_USED.note(run.span(idle[unused[0]].place), unused, names=run.names(unused))


def read_without(run: Record) -> Iterator[Note]:
    """``print(encoder.weight.grad)`` of a parameter that passes could not reach, in a program without an optimizer."""
    if run.steps or not any(one.complete and one.kind == "backward" for one in run.passes):
        return
    for node in run.case.nodes(ast.Attribute):
        if node.attr != "grad" or not isinstance(node.ctx, ast.Load):
            continue
        held = run.case.value(node.value)
        entry = held._entry if isinstance(held, Parameter) and held.requires_grad else None
        if entry is None or entry.first in run.reached or entry.tensor.grad is not None or _is_copy(run, node.value):
            continue
        if (cut := _cut(run, entry.first)) is not None:
            name = f"`{run.case.text(node.value)}`"
            yield _left_at(run, cut, [entry], name)


def _left_at(run: Record, cut: NodeEntry, lost: list[TensorEntry], names: str) -> Note:
    """The note of leaves whose graph was left at a place, and what to do there."""
    fix, do = joined(run, cut), Text("If it is to learn, leave that out.", "如果要训练它，请去掉这一步。")
    if (shared := cut_for_one_pass(run, cut)) is not None:
        fix = shared
        do = Text(
            f"Cut it only where it is not to learn: {fix.title.en}.", f"请只在不训练它的地方切断：{fix.title.zh}。"
        )
    return CUT_OFF.note(run.span(cut.place), lost, fix, names=names, how=_how(run, cut), do=do)


def _is_copy(run: Record, node: ast.expr) -> bool:
    """Whether a parameter is that of a copy, or of a model that its name says is to stay as it is."""
    root = next((one for one in ast.walk(node) if isinstance(one, ast.Name)), None)
    made = run.case_at_end.assignment(root.id) if root is not None else None
    return root is not None and (is_to_stay(root.id) or (made is not None and "copy" in run.case.text(made)))


def cut_off(
    run: Record, span: Span | None, lost: list[TensorEntry], fix: Fix | None, how: str, meant: Text | None = None
) -> Note:
    """The note of parameters that no pass reaches, because what was computed from them left the graph at a place."""
    do = meant or Text("If it is to learn, keep the tensor itself.", "如果要训练它，请保留张量本身。")
    return CUT_OFF.note(span, lost, fix, names=run.names(lost), how=how, do=do)


def _all_of(step: EventEntry) -> list[object]:
    return [*step.told["tensors"], *step.told["idle"]]


def _parameters(run: Record) -> list[Tensor]:
    """The parameters of all modules that have a name at the end of the run."""
    return [p for held in run.held() for _, own in modules_kept(held) for p in parameters_in(own)]


def _successors(run: Record, entry: TensorEntry) -> list[TensorEntry]:
    """The parameters that a model holds, that got gradients, and that stand in no optimizer."""
    fresh = run.reached - {*run.moved, *run.idle}
    return [
        p._entry.first
        for p in _parameters(run)
        if p._entry is not None and p._entry.first in fresh and p._entry.array.ndim == entry.array.ndim
    ]


def _cut(run: Record, entry: TensorEntry) -> NodeEntry | None:
    """Where what was computed from a leaf left the graph: the nearest detach or the like."""
    seen, waiting = {entry}, [entry]
    for current in waiting:
        for node in run.consumers.get(current, ()):
            if is_call_of(node, "detach data") and current is not entry and _is_before_end(run, node):
                return node
            for out in node.outputs:
                if out.first not in seen and len(seen) < 5000:
                    seen.add(out.first)
                    waiting.append(out.first)
    return None


def _is_before_end(run: Record, node: NodeEntry) -> bool:
    """Whether a function ran before the last pass: what is looked at behind the training takes nothing away from it."""
    return any(node.number < one.ended for one in run.passes)


def _how(run: Record, cut: NodeEntry) -> str:
    text = run.builder.expression(cut.place)
    return f"`{text}`" if text else "`detach`"


# -- modes ----------------------------------------------------------------------------------------------


def drops(run: Record) -> Iterator[Note]:
    """Dropout in training mode under ``no_grad``, in a program that never leaves it, and asks for it only to train."""
    if not all(_begins_training(run, call) for call in run.case.nodes(ast.Call)):
        return
    if ".training = " in run.program.source:
        return  # told of where the mode is set
    for node in run.calls("mul"):
        place = node.within
        if place is None or place.kind != "module" or node.node is not None or not node.inputs:
            continue
        module = getattr(place.what, "what", place.what)
        if "Dropout" in type(module).__name__ and _is_without_grad(node.inputs[0]):
            span = run.span(node.place)
            yield DROPS.note(span, node.outputs, evaluating(run, span), layer=f"`{type(module).__name__}`")
            return


def _begins_training(run: Record, call: ast.Call) -> bool:
    """Of a change of the mode, whether it is ``train()`` beside a backward pass; of other calls always."""
    if getattr(call.func, "attr", "") not in ("eval", "train"):
        return True
    around = run.case.enclosing(call, ast.For) or run.case.enclosing(call, ast.FunctionDef) or _next_loop(run, call)
    return ast.unparse(call).endswith(".train()") and around is not None and ".backward(" in run.case.text(around)


def _next_loop(run: Record, call: ast.Call) -> ast.stmt | None:
    """The loop that begins next behind a statement of the program itself."""
    loops = (one for one in run.program.tree.body if isinstance(one, ast.For | ast.While) and one.lineno > call.lineno)
    return next(loops, None)


def _is_without_grad(entry: TensorEntry) -> bool:
    """Whether a tensor was computed under ``no_grad`` from one that requires gradients."""
    for _ in range(20):
        node = producer(entry)
        if node is None or entry.requires_grad or not node.inputs:
            return False
        if any(each.requires_grad for each in node.inputs):
            return True
        entry = node.inputs[0]
    return False


TRAPS: Final = (not_zeroed, nothing_to_step, without_gradient, read_without, drops)
