"""Traps of what a step is given: the same batch again, rows shuffled apart, masks that show the future, statistics of the test."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.traps.edits import evaluating
from gradflow.engine.diagnosis.traps.proven.bootstraps import called_at
from gradflow.engine.diagnosis.traps.proven.trails import leads_to_pass
from gradflow.engine.diagnosis.traps.record import (
    Record,
    Trap,
    attributes_of,
    children_of,
    is_call_of,
    modules_in,
    producer,
)
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Note, Text

FIRST_BATCH: Final = Trap(
    "first-batch-every-turn",
    "`{text}` begins anew in every turn, so every turn gets the first batch of `{name}` and never another. Go through it: `for ... in {name}:`, or make the iterator once,"
    " before the loop.",
    "`{text}` 每一轮都重新开始，所以每一轮得到的都是 `{name}` 的第一个批次，永远不会是别的。请写 `for ... in {name}:`，或者在循环之前只创建一次迭代器。",
)
FUTURE: Final = Trap(
    "mask-shows-future",
    "This mask leaves step i the steps from i on, and hides those before it: a causal mask does the opposite. What is above the diagonal is to be hidden: `torch.triu(..., diagonal=1)`"
    " marks it, `torch.tril(...)` what may be seen.",
    "这个掩码让第 i 步只能看到 i 及之后的步，而把之前的都掩盖了：因果掩码正好相反。要掩盖的是对角线以上的部分：`torch.triu(..., diagonal=1)` 标出它，`torch.tril(...)` 标出可以看到的部分。",
)
BATCH_STATISTICS: Final = Trap(
    "batch-statistics-while-predicting",
    "`{layer}` is in training mode here: it normalises by the statistics of this batch, and takes them into its running ones, so what is predicted for a sample depends on the"
    " others, and the test changes the model.{also} Call `model.eval()` before predicting, and `model.train()` before training goes on.",
    "`{layer}` 在这里处于训练模式：它用这一批的统计量做归一化，还把它们并入滑动统计量，所以一个样本的预测取决于同批的其他样本，测试也会改变模型。{also}"
    "预测之前请调用 `model.eval()`，继续训练之前再调用 `model.train()`。",
)
SKIP_WRITTEN: Final = Trap(
    "skip-written-in-place",
    "`{name}` is no copy of `{source}`, and `{text}` works in place: it writes into `{source}`, so what `{name}` adds back is the changed values. Leave `inplace=True` out.",
    "`{name}` 不是 `{source}` 的副本，而 `{text}` 是就地运算：它改写了 `{source}`，所以 `{name}` 加回来的是改变之后的值。请去掉 `inplace=True`。",
)
SUMMED: Final = Trap(
    "accumulated-without-division",
    "The step comes after {count} passes, whose gradients add up, and each loss is a mean: the step is {count} times as large as that of one batch. Divide each loss:"
    " `{meant}`.",
    "每 {count} 次反向传播才更新一次，梯度会累加，而每个损失都是平均值：这一步是一个批次的 {count} 倍。请把每个损失除以它：`{meant}`。",
)
PLAIN_WEIGHT: Final = Trap(
    "weight-is-no-parameter",
    "`{text}` is a plain tensor that requires no gradient: by its name it is a weight, and no optimizer trains it, no `state_dict` saves it. Make it a parameter: `{meant}`; if it"
    " is to stay, say so with `register_buffer`.",
    "`{text}` 是不需要梯度的普通张量：从名字看它是权重，但没有优化器训练它，`state_dict` 也不会保存。请写成参数：`{meant}`；如果它应当不变，请用 `register_buffer` 说明。",
)
TEST_APART: Final = Trap(
    "test-standardized-apart",
    "`{text}` takes mean and deviation of the test data itself, and line {line} those of the training data: the same measurement becomes another number in the"
    " test than in the training. Use those of the training{meant}.",
    "`{text}` 用的是测试数据自己的均值和标准差，而第 {line} 行用的是训练数据的：同一个测量值在测试和训练中变成了不同的数。请使用训练数据的统计量{meant}。",
)
_TEST: Final = re.compile(r"test|valid|(^|_)val(_|$)|测试|验证", re.IGNORECASE)
_OF_ROWS: Final = re.compile(r"\.mean\((?:\w+=)?(?:1|-1|\(1|\[1)\b")
_PREDICTING: Final = re.compile(r"eval|valid|test|predict|infer|accura|_val\b|\bval_|^x?val$|^xv$", re.IGNORECASE)
_WEIGHTS: Final = re.compile(
    r"(weights?|w\d*|bias|query|queries|kernel|gamma|beta|scale|alpha|pos_emb\w*|cls_token|W\d*|U|V)$"
)


def first_batch(run: Record) -> Iterator[Note]:
    """``x, y = next(iter(loader))`` in the loop of the steps."""
    if len(run.steps) < 3:
        return
    for call in run.case.nodes(ast.Call):
        match call:
            case ast.Call(
                func=ast.Name(id="next"), args=[ast.Call(func=ast.Name(id="iter"), args=[ast.Name(id=name)])]
            ):
                loop = run.case.enclosing(call, ast.For) or run.case.enclosing(call, ast.While)
            case _:
                continue
        made = run.case_at_end.assignment(name)
        shuffled = (made is not None and "shuffle=True" in run.case.text(made)) or "sampler" in run.program.source
        stepped = loop is not None and any(
            loop.lineno <= run.line(one.place) <= (loop.end_lineno or 0) for one in run.steps[1:]
        )
        if (
            loop is None
            or shuffled
            or not stepped
            or name
            in {one.id for one in ast.walk(loop) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        ):
            continue
        yield FIRST_BATCH.note(run.program.span_of(call), (), None, text=run.case.text(call), name=name)


def futures(run: Record) -> Iterator[Note]:
    """``scores.masked_fill(torch.triu(...) == 0, -inf)``."""
    for node in run.calls("masked_fill"):
        mask = node.inputs[1].array if len(node.inputs) > 1 else np.zeros(0)
        size = mask.shape[-1] if mask.ndim > 1 else 0
        if size < 3 or mask.shape[-2] != size or mask.dtype.kind != "b":
            continue
        hidden = mask.reshape(-1, size, size)
        readers = [one for out in node.outputs for one in run.consumers.get(out.first, ())]
        soft = any(is_call_of(one, "softmax_dim safe_softmax") for one in readers)
        if soft and (hidden == np.tril(np.ones((size, size), bool), -1)).all():
            yield FUTURE.note(run.span(node.place), node.outputs)


def batch_statistics(run: Record) -> Iterator[Note]:
    """Batch normalisation in training mode under ``no_grad``, in a function that evaluates a model that is trained."""
    if (
        not run.steps
        or ".eval()" in run.program.source
        or ".training" in run.program.source
        or "update_bn" in run.program.source
        or "train(False)" in run.program.source
    ):
        return
    for node in run.calls("batch_norm"):
        trains = bool(node.settings) and node.settings[0] is True
        if not trains or node.node is not None or len(node.inputs) < 4 or node.number < run.steps[0].nodes:
            continue
        span = called_at(run, node)
        call = run.call_at(span)
        function = run.case.enclosing(call, ast.FunctionDef) if call is not None else None
        given = [run.case.text(one) for one in (call.args if call is not None else ())]
        names = [function.name if function is not None else "", *given]
        over = node.number >= run.steps[-1].nodes and not _trains_two(run)
        if call is not None and (over or any(map(_PREDICTING.search, names))):
            place = node.within
            layer = type(getattr(getattr(place, "what", None), "what", getattr(place, "what", None))).__name__
            also = _DROPPING if _drops_too(run) else Text("", "")
            yield BATCH_STATISTICS.note(
                span, node.outputs, evaluating(run, span), layer=layer if "Norm" in layer else "BatchNorm", also=also
            )
            return


_DROPPING: Final = Text(
    " `Dropout` still drops elements at random, too.",
    "`Dropout` 也仍然在随机丢弃元素。",
)


def _drops_too(run: Record) -> bool:
    """Whether dropout in training mode runs under ``no_grad``."""
    for node in run.calls("mul"):
        place = node.within
        module = getattr(place.what, "what", place.what) if place is not None and place.kind == "module" else None
        if node.node is None and "Dropout" in type(module).__name__:
            return True
    return False


def _trains_two(run: Record) -> bool:
    """Whether two optimizers take turns: of two that train against each other one stays in training mode."""
    held = {
        frozenset(id(leaf) for leaf in [*(entry.tensor for entry in step.told["tensors"]), *step.told["idle"]])
        for step in run.steps[:_LOOKED_AT]
    }
    return len(held) > 1


_LOOKED_AT: Final = 20
"""Steps among which those of a second optimizer are found."""


def standardized_apart(run: Record) -> Iterator[Note]:
    """``x_test = (x_test - x_test.mean(0)) / x_test.std(0)``, and the same of ``x_train``; a scaler that is fitted to both."""
    if not run.steps:
        return
    found = list(_standardized(run))
    for one in found:
        node, name, how = one.node, one.name, one.how
        others = [
            other.node
            for other in found
            if other.name != name and other.how == how and other.scope is one.scope and not _TEST.search(other.name)
        ]
        if not _TEST.search(name) or not others:
            continue
        kept = _scaler(run, others[0]) if how == "fit" else ""
        whole = isinstance(node, ast.Call) and called(node) == "fit_transform"
        instead = f"{kept}.transform({name})" if whole else kept
        fix = run.fix(run.case.replace(node, instead), f"`{instead}`", f"`{instead}`") if kept else None
        words = {"text": run.case.text(node), "line": getattr(others[0], "lineno", 0)}
        meant = f": `{instead}`" if kept else ""
        yield TEST_APART.note(run.program.span_of(node), (), fix, **words, meant=Text(meant, meant))


@dataclass(frozen=True)
class _Standardized:
    """An expression that takes mean and deviation of what has a name, in which way, and the function that it stands in."""

    node: ast.expr
    name: str
    how: str
    scope: ast.FunctionDef | None


def _standardized(run: Record) -> Iterator[_Standardized]:
    helpers = {
        function.name
        for function in run.case.nodes(ast.FunctionDef)
        if len(function.args.args) == 1
        and isinstance(back := function.body[-1], ast.Return)
        and _by_itself(run, back.value) == function.args.args[0].arg
    }
    for node in (*run.case.nodes(ast.BinOp), *run.case.nodes(ast.Call)):
        scope = run.case.enclosing(node, ast.FunctionDef)
        if (own := _by_itself(run, node)) is not None:
            yield _Standardized(node, own, re.sub(rf"\b{own}\b", "x", run.case.text(node)), scope)
        match node:
            case ast.Call(func=ast.Attribute(attr="fit" | "fit_transform"), args=[ast.Name(id=name)]):
                yield _Standardized(node, name, "fit", scope)
            case ast.Call(func=ast.Name(id=helper), args=[ast.Name(id=name)], keywords=[]) if helper in helpers:
                yield _Standardized(node, name, helper, scope)


def _by_itself(run: Record, node: ast.expr | None) -> str | None:
    """The name in ``(x - x.mean(0)) / x.std(0)``; None of other expressions, and where each row is taken by itself."""
    match node:
        case ast.BinOp(
            left=ast.BinOp(left=ast.Name(id=name), op=ast.Sub(), right=ast.Call(func=ast.Attribute(attr="mean"))),
            op=ast.Div(),
        ) if re.search(rf"\b{name}\.mean\(.*\b{name}\.std\(", (text := run.case.text(node)), re.DOTALL):
            return None if _OF_ROWS.search(text) else name
    return None


def _scaler(run: Record, fitted: ast.AST) -> str:
    """The name that what was fitted to the training data is kept under."""
    match fitted:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=kept))):
            return kept
    match run.case.statement(fitted):
        case ast.Assign(targets=[ast.Name(id=kept)], value=value) if value is fitted:
            return kept
    return ""


def skips_written(run: Record) -> Iterator[Note]:
    """``identity = x``, then ``nn.ReLU(inplace=True)`` of ``x``, and ``out + identity``."""
    if "inplace" not in run.program.source and "_(" not in run.program.source:
        return
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=source)):
                function = run.case.enclosing(statement, ast.FunctionDef)
            case _:
                continue
        if function is None or statement not in function.body:
            continue
        rest = function.body[function.body.index(statement) + 1 :]
        call = _first_use(rest, source)
        later = any(
            isinstance(one, ast.BinOp)
            and isinstance(one.op, ast.Add)
            and name in (getattr(one.left, "id", ""), getattr(one.right, "id", ""))
            for each in rest
            for one in ast.walk(each)
        )
        later = later or any(isinstance(one, ast.AugAssign) and getattr(one.value, "id", "") == name for one in rest)
        if call is not None and later and _is_in_place(run, call):
            yield SKIP_WRITTEN.note(
                run.program.span_of(call), (), None, name=name, source=source, text=run.case.text(call)
            )


def _first_use(block: list[ast.stmt], source: str) -> ast.Call | None:
    """The call that is given a name first, before the name gets another value."""
    for statement in block:
        for one in ast.walk(statement):
            if isinstance(one, ast.Call) and any(
                isinstance(each, ast.Name) and each.id == source for each in one.args[:1]
            ):
                return one
        if any(isinstance(one, ast.Name) and one.id == source for one in ast.walk(statement)):
            return None
    return None


def _is_in_place(run: Record, call: ast.Call) -> bool:
    if any(
        one.arg == "inplace" and isinstance(one.value, ast.Constant) and one.value.value is True
        for one in call.keywords
    ):
        return True
    match call.func:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            found = [children_of(own).get(name) for held in run.held() for _, own in modules_in(held)]
            layers = [one for one in found if one is not None]
            return bool(layers) and all(attributes_of(one).get("inplace") is True for one in layers)
    return False


def summed(run: Record) -> Iterator[Note]:
    """``accumulation_steps = 4``, a step in every fourth turn, and losses that are not divided."""
    if "accum" not in run.program.source.lower() or len(run.steps) < 2:
        return
    for choice in run.case.nodes(ast.If):
        match choice.test:
            case ast.Compare(
                left=ast.BinOp(op=ast.Mod(), right=ast.Name(id=name)), comparators=[ast.Constant(value=0)]
            ) if "accum" in name.lower():
                count = run.case.value(ast.Name(id=name)) if name not in run.namespace else run.namespace[name]
            case _:
                continue
        source = run.program.source
        divided = re.search(rf"/=?\s*\(?\s*{name}\b|/=?\s*len\(|reduction=.sum|/=?\s*float\(|lr\s*/|\*\s*\(?1", source)
        if not isinstance(count, int) or count < 2 or divided or ".sum()" in source:
            continue
        one = next((each for each in run.passes if each.kind == "backward" and each.roots), None)
        made = producer(one.roots[0][0]) if one is not None else None
        if one is None or made is None or not _stands_in(run, one.place, choice):
            continue
        if is_call_of(
            made, "mean_all mse_loss nll_loss_rows binary_cross_entropy_with_logits binary_cross_entropy smooth_l1_loss"
        ):
            call = run.call_at(run.span(one.place))
            owner = call.func.value if call is not None and isinstance(call.func, ast.Attribute) else None
            meant = f"({run.case.text(owner)} / {name}).backward()" if owner is not None else f"loss / {name}"
            fix = (
                run.fix(run.case.replace(owner, f"({run.case.text(owner)} / {name})"), f"`{meant}`", f"`{meant}`")
                if isinstance(owner, ast.Name)
                else None
            )
            yield SUMMED.note(run.span(one.place), [one.roots[0][0]], fix, count=count, meant=meant)
            return


def _stands_in(run: Record, place: object, choice: ast.If) -> bool:
    """Whether a pass stands in the same loop as a condition."""
    statement = run.statement_at(run.span(place))  # type: ignore[arg-type]  # a place in the program
    return statement is not None and run.case.enclosing(statement, ast.For) is run.case.enclosing(choice, ast.For)


def plain_weights(run: Record) -> Iterator[Note]:
    """``self.query = torch.randn(d)`` in a module whose other parts are trained."""
    if not run.steps or re.search(
        r"fixed|frozen|fourier|random feature|not trained|reservoir|register_buffer", run.program.source, re.IGNORECASE
    ):
        return
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value) if (
                _WEIGHTS.search(name)
            ):
                owner = run.case.enclosing(statement, ast.ClassDef)
            case _:
                continue
        inner = [one for one in ast.walk(value) if isinstance(one, ast.Call) and called(one) in ("randn", "rand")]
        held = [
            own[name]
            for one in run.held()
            for _, own in modules_in(one)
            if owner is not None and isinstance(own.get(name), Tensor)
        ]
        tensor = next((one for one in held if isinstance(one, Tensor) and not one.requires_grad), None)
        if not inner or tensor is None or tensor._entry is None or "Parameter" in run.case.text(value):
            continue
        if leads_to_pass(run, tensor._entry) and not _is_written(run, tensor):
            nn = "nn" if "nn" in run.namespace else "torch.nn"
            meant = f"{nn}.Parameter({run.case.text(value)})"
            fix = run.fix(run.case.replace(value, meant), f"`{meant}`", f"`{meant}`")
            yield PLAIN_WEIGHT.note(
                run.program.span_of(statement), [tensor._entry], fix, text=f"self.{name}", meant=meant
            )


def _is_written(run: Record, tensor: Tensor) -> bool:
    return any(each.tensor is tensor for event in run.events() if event.kind == "write" for each in event.tensors())


TRAPS: Final = (
    first_batch,
    futures,
    batch_statistics,
    standardized_apart,
    skips_written,
    summed,
    plain_weights,
)
