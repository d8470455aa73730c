"""Traps of how models and loops are built: attributes that are spelled otherwise, layers made anew or only once, steps at the wrong turn."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from gradflow.engine.diagnosis.case import UNKNOWN, called
from gradflow.engine.diagnosis.traps.edits import moved_after, moved_before
from gradflow.engine.diagnosis.traps.record import Record, Trap, children_of, modules_in, parameters_in
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.trace import Edit, Note, Span

MISSPELLED: Final = Trap(
    "misspelled-attribute",
    "Nothing reads `{wrong}`: this line gives the object a new attribute of that name and changes nothing else. It is called `{meant}`.",
    "没有任何地方会读 `{wrong}`：这一行只是给对象加了一个这样的新属性，别的什么也没有改变。正确的名字是 `{meant}`。",
)
MADE_ANEW: Final = Trap(
    "layer-made-in-forward",
    "`{text}` makes a new layer, with new random weights, every time `forward` runs: what it learns is thrown away, and no optimizer knows"
    " its parameters. Make it once, in `__init__`, as an attribute of `self`.",
    "每次运行 `forward`，`{text}` 都会创建一个新的层，权重是新的随机数：学到的东西随即丢弃，优化器也不知道它的参数。请在 `__init__` 里创建一次，作为 `self` 的属性。",
)
REPEATED: Final = Trap(
    "one-layer-repeated",
    "`{text}` puts one and the same layer into the list more than once: all its entries share one set of weights. For layers with weights of their own make each"
    " anew: `{meant}`.",
    "`{text}` 把同一个层多次放进列表：各项共用同一份权重。要让每一层都有自己的权重，请每次新建：`{meant}`。",
)
CLIPPED_BEFORE: Final = Trap(
    "clipped-before-backward",
    "`{text}` runs before `backward()`, which computes the gradients: it clips those that were there before, or none, and the step uses the new"
    " ones as they are. Clip between `backward()` and `step()`.",
    "`{text}` 在 `backward()` 之前运行，而梯度由 `backward()` 计算：它裁剪的是之前的梯度，或者根本没有梯度，更新时用的是未经裁剪的新梯度。请在 `backward()` 和"
    " `step()` 之间裁剪。",
)
CLIPPED_AFTER: Final = Trap(
    "clipped-after-step",
    "`{text}` runs after the step, which has used the gradients already, so it limits nothing. Clip between `backward()` and `step()`.",
    "`{text}` 在更新之后才运行，梯度已经用过了，所以它什么也没有限制。请在 `backward()` 和 `step()` 之间裁剪。",
)
FORWARDS: Final = Trap(
    "returns-from-the-front",
    "A return counts the rewards that come after it, so it is computed from the last reward back to the first; this loop begins with the first."
    " Go through them backwards: `{meant}`.",
    "回报计算的是之后的奖励，所以要从最后一个奖励往回算；而这个循环是从第一个开始的。请倒着遍历：`{meant}`。",
)

_KNOWN: Final = ("requires_grad", "grad", "data", "training", "weight", "bias")


def misspelled(run: Record) -> Iterator[Note]:
    """``p.require_grad = False``."""
    for statement in run.case.nodes(ast.Assign):
        for target in statement.targets:
            if not isinstance(target, ast.Attribute) or target.attr in _KNOWN or ast.unparse(target.value) == "self":
                continue
            near = [one for one in ("requires_grad",) if SequenceMatcher(None, target.attr, one).ratio() > 0.85]
            read = any(
                isinstance(one, ast.Attribute) and one.attr == target.attr and isinstance(one.ctx, ast.Load)
                for one in run.case.nodes(ast.Attribute)
            )
            module = isinstance(run.case_at_end.value(target.value), Layer)
            if near and not read and not module:
                fix = run.fix(run.case.rename_end(target, target.attr, near[0]), f"`{near[0]}`", f"`{near[0]}`")
                yield MISSPELLED.note(run.program.span_of(statement), (), fix, wrong=target.attr, meant=near[0])


_LEARNING: Final = (
    "Linear",
    "Conv",
    "LSTM",
    "GRU",
    "RNN",
    "Embedding",
    "BatchNorm",
    "LayerNorm",
    "Bilinear",
    "MultiheadAttention",
)


def _layer_class(run: Record, call: ast.expr) -> str:
    """The name of the class of a layer with parameters that a call makes; nothing for another call."""
    if not isinstance(call, ast.Call):
        return ""
    value = run.case.value(call.func)
    name = called(call)
    known = isinstance(value, type) and issubclass(value, Layer)
    return name if known and name.startswith(_LEARNING) else ""


def made_anew(run: Record) -> Iterator[Note]:
    """``nn.Linear(8, 1)(h)`` in ``forward``."""
    for method in run.case.nodes(ast.FunctionDef):
        owner = run.case.parents.get(method)
        if method.name != "forward" or not isinstance(owner, ast.ClassDef):
            continue
        for call in ast.walk(method):
            if not isinstance(call, ast.Call) or not _layer_class(run, call):
                continue
            outer = run.case.parents.get(call)
            applied = isinstance(outer, ast.Call) and outer.func is call
            named = isinstance(outer, ast.Assign) and isinstance(outer.targets[0], ast.Name)
            if applied or named:
                yield MADE_ANEW.note(run.program.span_of(call), (), None, text=" ".join(run.case.text(call).split()))


def repeated(run: Record) -> Iterator[Note]:
    """``[nn.Linear(4, 4)] * 3``."""
    for node in run.case.nodes(ast.BinOp):
        match node:
            case ast.BinOp(left=ast.List(elts=[made]), op=ast.Mult(), right=count) if (
                _layer_class(run, made) or _is_own_module(run, made) or _is_joined(run, node, made)
            ):
                times = run.case.value(count)
            case _:
                continue
        times = _times(run) if times is UNKNOWN else times
        if isinstance(times, int) and times > 1:
            meant = f"[{run.case.text(made)} for _ in range({run.case.text(count)})]"
            fix = run.fix(run.case.replace(node, meant), f"`{meant}`", f"`{meant}`")
            yield REPEATED.note(run.program.span_of(node), (), fix, text=run.case.text(node), meant=meant)


def same_in_list(run: Record) -> Iterator[Note]:
    """``nn.ModuleList([block for _ in range(3)])``, ``[block] * 3``, and ``blocks.append(block)`` in a loop."""
    count = _times(run)
    if count < 2 or _SHARING.search(run.program.source):
        return
    for node, name, turns in _listed_names(run):
        new = _made_anew_text(run, node, name)
        if new is None:
            continue
        text, edits = new
        meant = (
            turns.format(text) if turns else f"{run.case.text(node.func)}({text})" if isinstance(node, ast.Call) else ""
        )
        fix = run.fix([*run.case.replace(node, meant), *edits], f"`{meant}`", f"`{meant}`")
        yield REPEATED.note(run.program.span_of(node), (), fix, text=run.case.text(node), meant=meant)


def _listed_names(run: Record) -> Iterator[tuple[ast.expr, ast.Name, str]]:
    """What puts the value of a name several times into a list, and the list of new ones as a pattern."""
    for node in run.case.nodes(ast.expr):
        match node:
            case ast.ListComp(
                elt=ast.Name(id=name) as one, generators=[ast.comprehension(target=ast.Name(id=other), iter=source)]
            ) if name != other:
                yield node, one, f"[{{}} for {other} in {run.case.text(source)}]"
            case ast.BinOp(left=ast.List(elts=[ast.Name() as one]), op=ast.Mult(), right=times):
                yield node, one, f"[{{}} for _ in range({run.case.text(times)})]"
            case ast.Call(func=ast.Attribute(attr="append"), args=[ast.Name(id=name) as one]):
                loop = run.case.enclosing(node, ast.For)
                if loop is not None and not any(
                    isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store)
                    for each in ast.walk(loop)
                ):
                    yield node, one, ""


def _made_anew_text(run: Record, node: ast.expr, name: ast.Name) -> tuple[str, list[Edit]] | None:
    """The call that makes another layer like the one of a name; of one that a function is given, a copy."""
    function = run.case.enclosing(node, ast.FunctionDef)
    stored = [
        one
        for one in ast.walk(function or run.program.tree)
        if isinstance(one, ast.Name) and one.id == name.id and isinstance(one.ctx, ast.Store)
    ]
    if not stored and function is not None and name.id in [one.arg for one in function.args.args]:
        alias = run.case.module_alias("copy")
        given = any(
            isinstance(value, Layer)
            for value in run.case_at(run.program.span_of(node) or Span(1, 0, 1, 0)).values.values()
        )
        return (
            (f"{alias or 'copy'}.deepcopy({name.id})", [] if alias else run.case.import_line("import copy"))
            if given
            else None
        )
    made = run.case_at(run.program.span_of(node) or Span(1, 0, 1, 0)).assignment(name.id)
    again = {type(one) for count, one in _held_again(run) if count > 1}
    if not isinstance(made, ast.Call) or not _is_layer(run, made) or run.case.value(made.func) not in again:
        return None
    return " ".join(run.case.text(made).split()), []


def _is_layer(run: Record, made: ast.Call) -> bool:
    """Whether a call makes a module with parameters: a layer, or a row of some."""
    if _layer_class(run, made):
        return True
    kind = run.case.value(made.func)
    inside = any(_layer_class(run, one) for one in ast.walk(made) if isinstance(one, ast.Call) and one is not made)
    return isinstance(kind, type) and issubclass(kind, Layer) and (inside or called(made) not in ("Sequential",))


_SHARING: Final = re.compile(r"shar(e|ing)|tie[ds]?\b|recurren|universal|albert|unroll", re.IGNORECASE)


def _is_own_module(run: Record, call: ast.expr) -> bool:
    """Whether a call makes a module of a class of the program, with parameters that nothing says are to be shared."""
    kind = run.case.value(call.func) if isinstance(call, ast.Call) else None
    if not isinstance(kind, type) or not issubclass(kind, Layer) or _SHARING.search(run.program.source):
        return False
    return any(
        isinstance(child, kind) and any(parameters_in(part) for _, part in modules_in(child))
        for held in run.held()
        for _, own in modules_in(held)
        for child in children_of(own).values()
    )


def _is_joined(run: Record, node: ast.BinOp, made: ast.expr) -> bool:
    """Whether what a function of the program gives stands several times in one container of layers: ``*[block(8)] * 3``."""
    outer = run.case.parents.get(node)
    outer = run.case.parents.get(outer) if isinstance(outer, ast.Starred) else outer
    held = isinstance(made, ast.Call) and isinstance(outer, ast.Call) and called(outer) in ("Sequential", "ModuleList")
    return held and _times(run) > 1 and not _SHARING.search(run.program.source)


def _times(run: Record) -> int:
    """How many times a container of some module of the program holds one and the same layer."""
    return max((count for count, _ in _held_again(run)), default=1)


def _held_again(run: Record) -> Iterator[tuple[int, Layer]]:
    """The layers with parameters in the containers, and how many times each is there."""
    for held in run.held():
        for _, own in modules_in(held):
            parts = list(children_of(own).values())
            for one in parts:
                if isinstance(one, Layer) and any(parameters_in(part) for _, part in modules_in(one)):
                    yield sum(each is one for each in parts), one


def _calls_in(statement: ast.stmt, name: str) -> bool:
    return any(isinstance(one, ast.Attribute) and one.attr == name for one in ast.walk(statement))


def clipped(run: Record) -> Iterator[Note]:
    """``clip_grad_norm_`` before ``backward``, or after ``step``."""
    for call in run.case.nodes(ast.Call):
        name = called(call)
        statement = run.case.statement(call) if name.startswith(("clip_grad_norm", "clip_grad_value")) else None
        parent = run.case.parents.get(statement) if statement is not None else None
        body = getattr(parent, "body", [])
        if statement is None or statement not in body:
            continue
        at = body.index(statement)
        before, after = body[:at], body[at + 1 :]
        backward = [one for one in after if _calls_in(one, "backward")]
        passed = any(_calls_in(one, "backward") for one in before)
        stepped = [one for one in before if _calls_in(one, "step")]
        text = name
        if backward and not passed and any(_calls_in(one, "step") for one in after):
            edits = moved_after(run.case, statement, backward[0])
            fix = run.fix(edits, "Move it behind `backward()`", "移到 `backward()` 之后")
            yield CLIPPED_BEFORE.note(run.program.span_of(statement), (), fix, text=text)
        elif passed and stepped and not backward:
            last_pass = max(k for k, one in enumerate(before) if _calls_in(one, "backward"))
            if all(before.index(one) > last_pass for one in stepped):
                edits = moved_before(run.case, statement, stepped[0]) if len(stepped) == 1 else []
                fix = run.fix(edits, "Move it in front of `step()`", "移到 `step()` 之前")
                yield CLIPPED_AFTER.note(run.program.span_of(statement), (), fix, text=text)


_DISCOUNTS: Final = ("gamma", "discount", "g")


def forwards(run: Record) -> Iterator[Note]:
    """``R = r + gamma * R`` from the first reward on."""
    for loop in run.case.nodes(ast.For):
        if not isinstance(loop.target, ast.Name) or not isinstance(loop.iter, ast.Name):
            continue
        total = next((name for one in loop.body if (name := _discounted(one, loop.target.id))), "")
        kept = any(
            isinstance(one, ast.Call)
            and isinstance(one.func, ast.Attribute)
            and one.func.attr in ("insert", "append", "appendleft")
            and any(isinstance(part, ast.Name) and part.id == total for part in one.args)
            for one in ast.walk(loop)
        )
        if total and kept:
            meant = f"reversed({loop.iter.id})"
            fix = run.fix(run.case.replace(loop.iter, meant), f"`{meant}`", f"`{meant}`")
            yield FORWARDS.note(run.program.span_of(loop.iter), (), fix, meant=meant)


def _discounted(statement: ast.stmt, reward: str) -> str:
    """``R = r + gamma * R``."""
    match statement:
        case ast.Assign(
            targets=[ast.Name(id=total)],
            value=ast.BinOp(
                left=ast.Name(id=first),
                op=ast.Add(),
                right=ast.BinOp(left=ast.Name(id=a), op=ast.Mult(), right=ast.Name(id=b)),
            ),
        ) if first == reward and total in (a, b) and (b if total == a else a).lower() in _DISCOUNTS:
            return total
    return ""


TRAPS: Final = (misspelled, made_anew, repeated, same_in_list, clipped, forwards)
