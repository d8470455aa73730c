"""Batch normalisation of one sample: a model that was not told that its training is over, or a training with batches of one."""

from __future__ import annotations

import ast
import re

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, insertion
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import shape_at
from gradflow.engine.diagnosis.findings.layers import maker_of, running
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit


@finds(errors.BATCH_VALUES)
def _after_the_training(case: Case) -> Finding | None:
    """``model(one)`` behind the training, without ``model.eval()``."""
    outer, call = running(case)
    if outer is None or call is None:
        return None
    passes = [one for one in case.nodes(ast.Call) if getattr(one.func, "attr", "") == "backward"]
    outermost = model_call(case)
    predicts = outermost is not None and bool(passes) and not _trains(case, outermost, passes)
    without = _without_gradient(case, call) or (outermost is not None and _without_gradient(case, outermost))
    if outermost is None or not (predicts or without):
        return None
    name = _model(case, outermost, outer)
    statement = _whole(case, outermost)
    if name is None or statement is None:
        return None
    norm = _norm(case, outer)
    given = outermost.args[0] if outermost.args else None
    shape = shape_at(case, given) if given is not None else None
    one, one_zh = (
        (f"{code(case, given)} is one sample ({list(shape)})", f"{code(case, given)} 只有一个样本（{list(shape)}）")
        if given is not None and shape is not None
        else (f"{code(case, outermost)} is given one sample", f"{code(case, outermost)} 得到的只有一个样本")
    )
    who = f"{code(case, norm)} on line {line(norm)}" if norm is not None else "its batch normalisation"
    who_zh = f"第 {line(norm)} 行的 {code(case, norm)} " if norm is not None else "其中的批量归一化"
    after = "after the training" if predicts else "without gradients"
    after_zh = "训练之后" if predicts else "不计算梯度时"
    goes_on = training_goes_on(case, outermost, passes)
    back = f" before, and `{name}.train()` behind it, where the training goes on" if goes_on else " before"
    back_zh = f"，并在其后训练继续之前调用 `{name}.train()`" if goes_on else ""
    return finding(
        case,
        f"{one}, and `{name}`, called {after} on line {line(outermost)}, is still in training mode, in which {who} takes mean and variance over the batch."
        f" Call `{name}.eval()`{back}: it then uses those that it learned.",
        f"{one_zh}，而第 {line(outermost)} 行在{after_zh}调用的 `{name}` 仍处于训练模式，这时{who_zh}要对一批样本求均值和方差。"
        f"请在此之前调用 `{name}.eval()`{back_zh}，它就会使用训练中学到的均值和方差。",
        apply(case, _evaluated(case, statement, name, goes_on), f"`{name}.eval()`", f"`{name}.eval()`") or (),
        outermost,
    )


def training_goes_on(case: Case, call: ast.Call, passes: list[ast.Call]) -> bool:
    """Whether a gradient is taken after a call: in a loop around it, or around a call of the function that it stands in."""
    scope = Flow(case).scope(call)
    name = scope.name if isinstance(scope, ast.FunctionDef) else None
    places = [call, *(one for one in case.nodes(ast.Call) if name is not None and called(one) == name)]
    loops = [
        one
        for one in case.nodes(ast.For) + case.nodes(ast.While)
        if any(_stands_in(case, each, one) for each in places)
    ]
    inner = {one.name for one in case.nodes(ast.FunctionDef) if any(_stands_in(case, each, one) for each in passes)}
    training = [*passes, *(one for one in case.nodes(ast.Call) if called(one) in inner)]
    return any(_stands_in(case, one, loop) for one in training for loop in loops)


def _evaluated(case: Case, statement: ast.stmt, name: str, goes_on: bool) -> list[Edit]:
    """``model.eval()`` before a statement, and ``model.train()`` behind it where the training goes on."""
    before = case.line_before(statement, f"{name}.eval()")
    span = case.program.span_of(statement)
    if not goes_on or not before or span is None:
        return before
    if any(isinstance(one, ast.Return) for one in ast.walk(statement)) or not isinstance(
        case.parents.get(statement), ast.For | ast.While
    ):
        return []
    indent = before[0].text.rpartition("\n")[2]
    return [*before, insertion(span.end_line, len(case.line(span.end_line)), f"\n{indent}{name}.train()")]


@finds(errors.BATCH_VALUES)
def _batches_of_one(case: Case) -> Finding | None:
    """``DataLoader(data, batch_size=1)``, or one sample at a time, in the training."""
    outer, call = running(case)
    outermost = model_call(case)
    passes = [one for one in case.nodes(ast.Call) if getattr(one.func, "attr", "") == "backward"]
    if outer is None or call is None or outermost is None or not _trains(case, outermost, passes):
        return None
    norm, loop = _norm(case, outer), case.enclosing(outermost, ast.For)
    made = next((one for one in _loaders(case, loop) if _size(case, one) == 1), None) if loop is not None else None
    if norm is None:
        return None
    if made is None:
        loads = loop is not None and any(case.text(one.func).endswith("DataLoader") for one in _loaders(case, loop))
        return None if loads else _one_left(case, outer, outermost, norm)
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} gives batches of one sample, and {code(case, norm)} on line {line(norm)} takes mean and variance over the"
        f" samples of a batch, which one alone has not. Train with larger batches, or, if it has to be one at a time, with a layer that takes them over the"
        f" features of each sample: `nn.LayerNorm`, `nn.GroupNorm`.",
        f"第 {line(made)} 行的 {code(case, made)} 每批只给一个样本，而第 {line(norm)} 行的 {code(case, norm)} 要对一批样本求均值和方差，只有一个时无法计算。"
        f"请用更大的批量训练；如果必须一次一个样本，请改用对每个样本的特征求均值和方差的层：`nn.LayerNorm`、`nn.GroupNorm`。",
        (),
        made,
    )


def _one_left(case: Case, outer: Layer, call: ast.Call, norm: ast.Call) -> Finding | None:
    """The last batch of those that a loop cuts itself."""
    given = call.args[0] if call.args else None
    shape = shape_at(case, given) if given is not None else None
    statement = case.statement(call)
    if given is None or shape is None or shape[0] != 1 or statement is None:
        return None
    if not isinstance(case.parents.get(statement), ast.For) or not _has_learned(outer):
        return None
    span = case.program.span_of(statement)
    skip = f"if len({case.text(given)}) < 2: continue"
    indent = " " * (span.column if span is not None else 0)
    return finding(
        case,
        f"In this turn {code(case, given)} is one sample ({list(shape)}): the data do not divide evenly into batches, and {code(case, norm)} on line"
        f" {line(norm)} takes mean and variance over the samples of a batch, which one alone has not. Leave such a batch out: `{skip}`.",
        f"在这一轮，{code(case, given)} 只有一个样本（{list(shape)}）：数据不能平均分成批次，而第 {line(norm)} 行的 {code(case, norm)} 要对一批样本求均值和方差，只有一个时无法计算。"
        f"请跳过这样的批次：`{skip}`。",
        apply(
            case,
            case.line_before(statement, f"if len({case.text(given)}) < 2:\n{indent}    continue"),
            f"`{skip}`",
            f"`{skip}`",
        )
        or (),
        norm,
    )


def _has_learned(outer: Layer) -> bool:
    """Whether a layer was given larger batches before."""
    held = [one.__dict__["_buffers"].get("running_mean") for one in outer.modules()]
    return any(isinstance(one, Tensor) and bool(one._a.any()) for one in held)


def _loaders(case: Case, loop: ast.For) -> list[ast.Call]:
    behind = Flow(case).behind(loop.iter)
    return [
        one for one in behind if isinstance(one, ast.Call) and case.text(one.func).endswith(("DataLoader", "split"))
    ]


def _size(case: Case, made: ast.Call) -> object:
    """How many samples a loader gives at once."""
    if case.text(made.func).endswith("DataLoader"):
        given = made.args[1] if len(made.args) > 1 else None
        given = next((one.value for one in made.keywords if one.arg == "batch_size"), given)
        return 1 if given is None else case.value(given)
    return case.value(made.args[-1]) if made.args else None


def model_call(case: Case) -> ast.Call | None:
    """The call of the whole model: the outermost of the calls of layers that were running."""
    for frame in case.frames:
        node = case.find(ast.Call, frame.span)
        for one in (node, *(ast.walk(node) if node is not None else ())):
            if isinstance(one, ast.Call) and isinstance(_callee(case, one), Layer):
                return one
    return None


def _callee(case: Case, call: ast.Call) -> object:
    """What is called; of a name in another function what the program gave it."""
    value = case.value(call.func)
    if isinstance(value, Layer) or not isinstance(call.func, ast.Name):
        return value
    given = Flow(case).assigned(call.func, call.func.id)
    return next((held for one in given if isinstance(held := case.value(one), Layer)), value)


def _model(case: Case, call: ast.Call, outer: Layer) -> str | None:
    """The name of the model at its call; of a layer of ``self`` in ``forward`` none."""
    if isinstance(call.func, ast.Name) or (
        isinstance(call.func, ast.Attribute) and isinstance(_callee(case, call), Layer)
    ):
        return case.text(call.func)
    return None


def _norm(case: Case, outer: Layer) -> ast.Call | None:
    """The call that made the layer which was given one value for each channel."""
    norms = [one for one in outer.modules() if type(one).__name__.startswith(("BatchNorm", "InstanceNorm"))]
    sizes = [int(one) for one in re.findall(r"\d+", str(case.details.get("size", "")))]
    kind = {2: "1d", 3: "1d", 4: "2d", 5: "3d"}.get(len(sizes), "")
    fitting = [
        one for one in norms if type(one).__name__.endswith(kind) and one.__dict__.get("num_features") in sizes[1:2]
    ]
    return maker_of(case, (fitting or norms)[0]) if norms else None


def _whole(case: Case, call: ast.Call) -> ast.stmt | None:
    """The statement of a call, or the ``with torch.no_grad()`` around it."""
    statement = case.statement(call)
    around = case.parents.get(statement) if statement is not None else None
    if isinstance(around, ast.With) and "no_grad" in case.text(around.items[0].context_expr):
        return around
    return statement


def _trains(case: Case, call: ast.Call, passes: list[ast.Call]) -> bool:
    """Whether a gradient is taken in the loop of a call, or behind the call in its scope."""
    flow = Flow(case)
    loop = case.enclosing(call, ast.For) or case.enclosing(call, ast.While)
    if loop is not None and any(_stands_in(case, one, loop) for one in passes):
        return True
    scope = flow.scope(call)
    if isinstance(scope, ast.Lambda) or not isinstance(scope, ast.Module):
        return any(flow.scope(one) is scope for one in passes) or not any(line(one) < line(call) for one in passes)
    return any(flow.scope(one) is scope and line(one) >= line(call) for one in passes)


def _stands_in(case: Case, node: ast.AST, outer: ast.AST) -> bool:
    current: ast.AST | None = node
    while current is not None and current is not outer:
        current = case.parents.get(current)
    return current is outer


def _without_gradient(case: Case, call: ast.Call) -> bool:
    """Whether a call stands under ``no_grad``, or in a function that does."""
    current: ast.AST | None = call
    while current is not None:
        heads: list[ast.expr] = []
        if isinstance(current, ast.With):
            heads = [one.context_expr for one in current.items]
        elif isinstance(current, ast.FunctionDef):
            heads = current.decorator_list
        if any("no_grad" in case.text(one) or "inference_mode" in case.text(one) for one in heads):
            return True
        current = case.parents.get(current)
    return False
