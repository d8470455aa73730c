"""Traps of modes: a loop that trains a model which an ``eval()`` of it has switched to prediction."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.traps.edits import line_before
from gradflow.engine.diagnosis.traps.record import Record, Trap, attributes_of, children_of, modules_in
from gradflow.engine.diagnosis.traps.statements import made_in
from gradflow.engine.trace import Fix, Note

EVALUATED: Final = Trap(
    "training-in-eval-mode",
    "`{call}` puts {layers} into evaluation mode here, and nothing in the loop switches it back: from then on the loop trains"
    " the model in that mode. Call `{owner}.train()` at the beginning of every turn.",
    "`{call}` 在这里把 {layers} 切换到求值模式，而循环里没有再切换回来：之后训练也在求值模式下进行。请在每一轮开始时调用"
    " `{owner}.train()`。",
)
MODE_IGNORED: Final = Trap(
    "dropout-ignores-mode",
    "`{call}` does not know the mode of the model: it drops elements also after `{model}.eval()`, because its `training` is"
    " `True` unless it is given. Give it the mode: `training=self.training`, or use the layer `nn.Dropout`.",
    "`{call}` 不知道模型处于什么模式：不给出 `training` 时它就是 `True`，所以在 `{model}.eval()` 之后仍然会丢弃元素。请把模式告诉它："
    "`training=self.training`，或者使用层 `nn.Dropout`。",
)
OUTER_ALONE: Final = Trap(
    "mode-of-outer-module-alone",
    "`{text} = {value}` sets the mode of `{owner}` itself and of nothing in it: {layers} inside of it stays in the mode that it was in. `{meant}` goes through all modules.",
    "`{text} = {value}` 只设置了 `{owner}` 自己的模式，没有设置其中的部分：里面的 {layers} 仍是原来的模式。`{meant}` 会作用到所有子模块。",
)
_FUNCTIONS: Final = frozenset(
    {"dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"}
)
_CHANGING: Final = ("Dropout", "BatchNorm")


def evaluated(run: Record) -> Iterator[Note]:
    """``model.eval()`` in a loop that trains the model, in a program without ``train()``."""
    if not run.steps:
        return
    for call in run.case.nodes(ast.Call):
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Name() as owner, attr="eval"), args=[], keywords=[]):
                loop = _training_loop(run, call)
                layers = _switched(run, owner.id) or _seen(run, loop, owner.id)
                if loop is not None and layers and not (_switched_back(run, loop) or made_in(loop, owner.id)):
                    words = {"call": run.case.text(call), "layers": layers, "owner": owner.id}
                    yield EVALUATED.note(run.program.span_of(call), (), _trained(run, loop, owner.id), **words)


def _training_loop(run: Record, call: ast.Call) -> ast.For | None:
    """The outermost loop around a call in which an optimizer takes more than one step."""
    function, found = run.case.enclosing(call, ast.FunctionDef), _outermost(run, call)
    here = found is not None
    if function is not None and not here:
        uses = [one for one in run.case.nodes(ast.Call) if getattr(one.func, "id", "") == function.name]
        found = _outermost(run, uses[0]) if len(uses) == 1 else None
    span = run.program.span_of(found) if found is not None else None
    own = run.program.span_of(call)
    if span is None or own is None:
        return None
    lines = [run.line(step.place) for step in run.steps]
    inside = [row for row in lines if span.line <= row <= span.end_line]
    return found if len(inside) > 1 or (here and any(row > own.line for row in inside)) else None


def _outermost(run: Record, node: ast.AST) -> ast.For | None:
    """The outermost loop around a node in its function."""
    found, current = None, run.case.parents.get(node)
    while current is not None and not isinstance(current, ast.FunctionDef):
        found = current if isinstance(current, ast.For) else found
        current = run.case.parents.get(current)
    return found


def _switched_back(run: Record, loop: ast.For) -> bool:
    """Whether ``train()`` is called in a loop, or in a function, which the loop may call."""
    own = run.case.enclosing(loop, ast.FunctionDef)
    return any(
        isinstance(one.func, ast.Attribute)
        and one.func.attr == "train"
        and (
            run.case.enclosing(one, ast.FunctionDef) not in (None, own)
            or any(one is part for part in ast.walk(loop))
            or _is_called_again(run, own)
        )
        for one in run.case.nodes(ast.Call)
    )


def _is_called_again(run: Record, function: ast.FunctionDef | None) -> bool:
    """Whether a function may be called in every turn of a loop."""
    if function is None:
        return False
    calls = [
        one
        for one in run.case.nodes(ast.Call)
        if function.name in (getattr(one.func, "id", ""), getattr(one.func, "attr", ""))
    ]
    return any(
        run.case.enclosing(one, ast.For) is not None or not _is_once(run, run.case.enclosing(one, ast.FunctionDef))
        for one in calls
    )


def _is_once(run: Record, function: ast.FunctionDef | None) -> bool:
    """Whether this is the program itself, or a function that it calls once, by its name and outside of functions."""
    if function is None:
        return True
    calls = [one for one in run.case.nodes(ast.Call) if getattr(one.func, "id", "") == function.name]
    return len(calls) == 1 and all(run.case.enclosing(calls[0], kind) is None for kind in (ast.For, ast.FunctionDef))


def _switched(run: Record, name: str) -> str:
    """The layers of a model that work otherwise in evaluation mode, and are in it at the end."""
    kinds = [
        type(child).__name__
        for _, own in modules_in(run.namespace.get(name))
        for child in children_of(own).values()
        if getattr(child, "training", True) is False
    ]
    return ", ".join(f"`{kind}`" for kind in dict.fromkeys(kinds) if kind.startswith(_CHANGING))


def _seen(run: Record, loop: ast.For | None, owner: str) -> str:
    """The layers of a model without a name of its own that worked otherwise in the last pass than in the first."""
    if loop is None or len(run.passes) < 2 or not _names(loop, owner):
        return ""
    first, last = (
        {(step.node.op.name, step.node.settings) for step in one.steps if step.node.op is not None}
        for one in (run.passes[0], run.passes[-1])
    )
    gone = [(name, settings) for name, settings in first - last if name == "batch_norm" and settings[:1] == (True,)]
    return "`BatchNorm`" if gone and any(name == "batch_norm" and not settings[0] for name, settings in last) else ""


def _names(loop: ast.For, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(loop))


def _trained(run: Record, loop: ast.For, owner: str) -> Fix | None:
    line = f"{owner}.train()"
    first = loop.body[0]
    match first:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="eval") as method)):
            return run.fix(run.case.rename_end(method, "eval", "train"), f"`{line}`", f"`{line}`")
    return run.fix(line_before(run.case, first, line), f"`{line}`", f"`{line}`")


def ignoring_mode(run: Record) -> Iterator[Note]:
    """``F.dropout(x)`` in ``forward``, in a model that was switched to evaluation before it predicted."""
    for call in run.case.nodes(ast.Call):
        method = run.case.enclosing(call, ast.FunctionDef)
        owner = run.case.enclosing(call, ast.ClassDef)
        if (
            not isinstance(call.func, ast.Attribute)
            or call.func.attr not in _FUNCTIONS
            or method is None
            or owner is None
        ):
            continue
        if (
            method.name != "forward"
            or len(call.args) > 2
            or any(one.arg in (None, "training") for one in call.keywords)
            or _asks_for_mode(run, call)
        ):
            continue
        name = _predicting(run, owner.name)
        if name and ast.unparse(call.func.value) != "self":
            words = {"call": run.case.text(call.func), "model": name}
            fix = run.fix(
                run.case.argument(call, "training=self.training"),
                "`training=self.training`",
                "`training=self.training`",
            )
            yield MODE_IGNORED.note(run.program.span_of(call), (), fix, **words)


def _asks_for_mode(run: Record, call: ast.Call) -> bool:
    """Whether a call stands under ``if self.training:``."""
    test = run.case.enclosing(call, ast.If) or run.case.enclosing(call, ast.IfExp)
    return test is not None and ".training" in run.case.text(test.test)


def _predicting(run: Record, kind: str) -> str:
    """The model of a class that is in evaluation mode at the end, and is called behind its ``eval()``."""
    for name, held in run.named():
        if type(held).__name__ != kind or getattr(held, "training", True) is not False:
            continue
        switched = [one.lineno for one in run.case.nodes(ast.Call) if _switches_off(one, name, kind)]
        uses = [one for one in run.case.nodes(ast.Call) if isinstance(one.func, ast.Name) and one.func.id == name]
        if switched and any(one.lineno >= min(switched) for one in uses):
            return name
    return ""


def _switches_off(call: ast.Call, name: str, kind: str) -> bool:
    """``net.eval()``, ``Net().eval()``."""
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="eval"), args=[]):
            return owner == name
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id=made)), attr="eval"), args=[]):
            return made == kind
    return False


def outer_alone(run: Record) -> Iterator[Note]:
    """``model.training = False``."""
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id=owner), attr="training") as target],
                value=ast.Constant(value=bool() as value),
            ):
                inside = [*modules_in(run.namespace.get(owner))]
            case _:
                continue
        kinds = [
            type(child).__name__
            for _, own in inside
            for child in children_of(own).values()
            if _mode_of(child) is not value
        ]
        layers = next((f"`{kind}`" for kind in kinds if kind.startswith(_CHANGING)), "")
        if not layers:
            continue
        meant = f"{owner}.train()" if value else f"{owner}.eval()"
        fix = run.fix(run.case.replace(statement, meant), f"`{meant}`", f"`{meant}`")
        words = {"text": run.case.text(target), "owner": owner, "layers": layers, "meant": meant}
        yield OUTER_ALONE.note(run.program.span_of(statement), (), fix, value=value, **words)


def _mode_of(module: object) -> object:
    return attributes_of(module).get("training")


TRAPS: Final = (evaluated, ignoring_mode, outer_alone)
