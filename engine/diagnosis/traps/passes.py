"""Traps of passes: a gradient argument that is the output itself, a pass that begins at a leaf, the first nan."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from gradflow.engine.autograd.grad_inputs import array_of
from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.traps.edits import without_line
from gradflow.engine.diagnosis.traps.losses import log_of_zero
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of, produced_by
from gradflow.engine.recording.entries import PassEntry, StepEntry, TensorEntry
from gradflow.engine.recording.gradient_argument import gradient_argument
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix, Note, Span

OWN_OUTPUT: Final = Trap(
    "gradient-is-output",
    "{name} is passed to its own backward as the gradient argument. The argument holds a weight for every element of the"
    " output, so this computes the gradient of Σ y²/2, not that of Σ y. For the gradient of the plain sum the weights are"
    " ones.",
    "{name} 把自己当作 gradient 参数传给了自己的 backward。这个参数是输出每个元素的权重，"
    "所以这里算出的是 Σ y²/2 的梯度，而不是 Σ y 的梯度。要得到元素之和的梯度，权重应当全为 1。",
)
BEGINS_AT_LEAF: Final = Trap(
    "loss-made-anew",
    "This pass begins at a leaf: {name} was made anew from numbers, so nothing stands behind it in the graph. The pass ends"
    " where it begins, and the parameters get no gradient. Use the loss itself, without `.item()`, `.data` or"
    " `torch.tensor(...)` around it.",
    "这次反向传播从一个叶子张量开始：{name} 是用数值重新创建的，计算图里它后面什么也没有。反向传播在起点就结束了，"
    "参数得不到梯度。请直接使用损失本身，不要经过 `.item()`、`.data` 或 `torch.tensor(...)`。",
)
ENDS_AT_NUMBERS: Final = Trap(
    "loss-of-numbers",
    "`{text}` makes a new leaf of plain numbers: the pass of line {line} ends there and never reaches {names}. `requires_grad=True` only makes the numbers"
    " a leaf; it does not bring back what they were computed from. Put the tensors themselves together, as they are: `torch.stack([...])`.",
    "`{text}` 用普通的数创建了一个新的叶子张量：第 {line} 行的反向传播到那里就结束，到不了 {names}。`requires_grad=True` 只是让这些数成为叶子张量，"
    "并不能找回它们是由什么算出来的。请直接把张量本身放在一起：`torch.stack([...])`。",
)
BY_VARIABLE: Final = Trap(
    "gradient-is-variable",
    "The argument of `backward` is no variable to differentiate by: it holds a weight for every element of the output. With {name} there, every"
    " derivative is multiplied by {name}. For the derivatives themselves the weights are ones: `{text}`.",
    "`backward` 的参数不是求导的变量，而是输出每个元素的权重。这里给了 {name}，每个导数都乘上了 {name}。要得到导数本身，权重应当全为 1：`{text}`。",
)
NAN_BEHIND_CHOICE: Final = Trap(
    "nan-behind-where",
    "`where` chooses among results, and both are computed: {input} holds {value}, where the derivative of `{function}` is infinite or not defined, and"
    " 0 times that is nan. From here on nan spreads to {names}. Choose the input first, so that the function never sees such numbers: `{meant}`.",
    "`where` 是在结果之间选择，而两个结果都会计算：{input} 中有 {value}，`{function}` 的导数在那里是无穷大或没有定义，乘以 0 就是 nan。nan 从这里一直传到 {names}。"
    "请先选择输入，让这个函数看不到那些数：`{meant}`。",
)
FIRST_NAN: Final = Trap(
    "first-nan",
    "The backward of `{function}` gave nan here, from numbers that are all finite or infinite: {input} holds {value}, where"
    " the derivative is infinite or not defined. From here on nan spreads to {names}. Keep the input away from there, with"
    " a small number added or a `clamp`.",
    "`{function}` 的反向传播在这里从不含 nan 的数得到了 nan：{input} 中有 {value}，导数在那里是无穷大或没有定义。"
    "nan 从这里一直传到 {names}。请用加一个很小的数或 `clamp` 的办法让输入避开那里。",
)

OVERFLOWED: Final = Trap(
    "gradient-overflows",
    "The numbers of this pass have grown beyond what `{kind}` can hold: {input} goes up to {value}, the gradient that arrives at `{function}` is infinite, and"
    " infinite times 0 is nan. From here on nan spreads to {names}. Keep the numbers small: a smaller learning rate, or gradients clipped between"
    " `backward()` and `step()`.",
    "这次反向传播的数已经超出 `{kind}` 的范围：{input} 最大到 {value}，传到 `{function}` 的梯度是无穷大，而无穷大乘 0 就是 nan。nan 从这里一直传到 {names}。"
    "请让数值保持较小：用更小的学习率，或者在 `backward()` 和 `step()` 之间裁剪梯度。",
)


def own_output(run: Record) -> Iterator[Note]:
    """``y.backward(y)``."""
    for one in run.passes:
        for output, _, given in one.roots:
            own = given is not None and given.first is output.first and output.array.size > 1
            if own and not _is_residual(output):
                yield _own_output(run, one, output)


def _is_residual(entry: TensorEntry) -> bool:
    """Whether it is a prediction without what was measured: half the sum of its squares is what is made least."""
    node = produced_by(entry, "sub")
    if node is None or len(node.inputs) < 2:
        return False
    predicted, measured = node.inputs[:2]
    return predicted.requires_grad != measured.requires_grad and predicted.array.shape == measured.array.shape


def _own_output(run: Record, one: PassEntry, output: TensorEntry) -> Note:
    span = run.span(one.place)
    argument = gradient_argument(run.program, span, one.kind) if span is not None else None
    fix = None
    if argument is not None:
        torch, more = run.case.with_torch()
        new = f"{torch}.ones_like({run.program.text_at(argument)})"
        node = next((each for each in run.case.nodes(ast.expr) if run.program.span_of(each) == argument), None)
        fix = run.fix([*run.case.replace(node, new), *more], f"`{new}`", f"`{new}`") if node is not None else None
    return OWN_OUTPUT.note(argument or span, [output], fix, name=run.name(output))


def by_variable(run: Record) -> Iterator[Note]:
    """``y.backward(x)``, as if `x` were what is differentiated by."""
    for one in run.passes:
        leaves = {entry.first for entry, *_ in one.accumulations}
        for output, _, given in one.roots:
            if given is None or given.first not in leaves or given.array.size < 2 or given.first is output.first:
                continue
            span = run.span(one.place)
            argument = gradient_argument(run.program, span, one.kind) if span is not None else None
            node = next((each for each in run.case.nodes(ast.expr) if run.program.span_of(each) == argument), None)
            torch, more = run.case.with_torch()
            text = f"{torch}.ones_like({run.builder.naming.label(output.first)})"
            fix = (
                run.fix([*run.case.replace(node, text), *more], f"`{text}`", f"`{text}`") if node is not None else None
            )
            yield BY_VARIABLE.note(argument or span, [output], fix, name=run.name(given), text=text)


def begins_at_leaf(run: Record) -> Iterator[Note]:
    """A loss that has nothing behind it, while an optimizer waits for gradients."""
    if not any(step.told["idle"] for step in run.steps):
        return
    for one in run.passes:
        for output, *_ in one.roots:
            if output.is_leaf and output.first.node is None and output.array.ndim == 0 and len(one.steps) <= 1:
                span = run.span(output.first.place)
                yield BEGINS_AT_LEAF.note(span, [output], _in_the_graph(run, span), name=run.name(output))


def ends_at_numbers(run: Record) -> Iterator[Note]:
    """``torch.tensor([loss.item() for ...], requires_grad=True).mean()``, while an optimizer waits for gradients."""
    for one in run.passes if run.idle else ():
        leaves = {entry.first for entry, *_ in one.accumulations}
        made = [leaf for leaf in leaves if leaf.place is not None and leaf.node is None and leaf not in run.idle]
        if not one.steps or not made or leaves != set(made) or not leaves.isdisjoint(run.moved):
            continue
        span = run.span(made[0].place)
        call = run.call_at(span)
        if (
            call is None
            or called(call) != "tensor"
            or not (
                ".item()" in run.program.source or _of_tensors(run, call) or _without_numbers(run, call) is not None
            )
        ):
            continue
        words = {"text": " ".join(run.case.text(call).split()), "line": run.line(one.place)}
        yield ENDS_AT_NUMBERS.note(span, made, _stacked(run, call), **words, names=run.names(run.idle[:4]))
        return


def _of_tensors(run: Record, call: ast.Call) -> bool:
    """Whether ``torch.tensor`` was given a list whose elements are tensors with a graph, which it takes the numbers of."""
    held = run.case.value(call.args[0]) if call.args else None
    parts = held if isinstance(held, list | tuple) else ()
    return bool(parts) and all(isinstance(one, Tensor) and one.requires_grad for one in parts)


def _stacked(run: Record, call: ast.Call) -> Fix | None:
    """``torch.stack`` in the place of ``torch.tensor`` of a list of tensors, or of their numbers."""
    listed = call.args[0].elts if call.args and isinstance(call.args[0], ast.List) else []
    numbers = [one for one in listed if isinstance(one, ast.Call) and called(one) == "item" and not one.args]
    of_numbers = bool(numbers) and len(numbers) == len(listed)
    numbered = _without_numbers(run, call)
    if not (of_numbers or numbered is not None or _of_tensors(run, call)) or not isinstance(call.func, ast.Attribute):
        return None
    edits = [edit for one in call.keywords for edit in run.case.without_argument(call, one)]
    if numbered is not None:
        title = f"`{run.case.text(call.func.value)}.stack({numbered})`"
        edits += run.case.replace(call.args[0], numbered)
        return run.fix([*run.case.rename_end(call.func, "tensor", "stack"), *edits], title, title)
    edits += [edit for one in numbers for edit in run.case.without_tail(one)]
    if of_numbers:
        parts = ", ".join(run.case.operand(one.func.value) for one in numbers if isinstance(one.func, ast.Attribute))
        title = f"`{run.case.text(call.func.value)}.stack([{parts}])`"
        return run.fix([*run.case.rename_end(call.func, "tensor", "stack"), *edits], title, title)
    text = f"{run.case.text(call.func.value)}.stack({run.case.text(call.args[0])})"
    return run.fix([*run.case.rename_end(call.func, "tensor", "stack"), *edits], f"`{text}`", f"`{text}`")


def _without_numbers(run: Record, call: ast.Call) -> str | None:
    """The tensors themselves, of ``[float(t) for t in terms]`` or ``[f(x).item() for x in xs]``."""
    match call.args:
        case [
            ast.ListComp(elt=elt, generators=[ast.comprehension(target=ast.Name(id=name), iter=source, ifs=[])]) as made
        ]:
            pass
        case _:
            return None
    match elt:
        case ast.Call(func=ast.Name(id="float"), args=[held], keywords=[]):
            pass
        case ast.Call(func=ast.Attribute(value=held, attr="item"), args=[], keywords=[]):
            pass
        case _:
            return None
    if isinstance(held, ast.Name) and held.id == name and isinstance(source, ast.Name | ast.Attribute):
        return run.case.text(source)
    return run.case.text(made).replace(run.case.text(elt), run.case.text(held), 1)


def _in_the_graph(run: Record, span: Span | None) -> Fix | None:
    """The loss itself, in place of ``torch.tensor(loss.item(), ...)``; a line that then says nothing is taken out."""
    call = run.call_at(span)
    if call is None or not call.args or not isinstance(call.func, ast.Attribute) or call.func.attr != "tensor":
        return None
    held = call.args[0]
    if isinstance(held, ast.Call) and isinstance(held.func, ast.Attribute) and held.func.attr == "item":
        held = held.func.value
    statement = run.statement_at(span)
    text = run.case.text(held)
    edits = run.case.replace(call, text)
    if isinstance(statement, ast.Assign) and [run.case.text(target) for target in statement.targets] == [text]:
        edits = without_line(run.case, statement)
    return run.fix(edits, f"`{text}` itself", f"直接用 `{text}`")


def first_nan(run: Record) -> Iterator[Note]:
    """Where a pass whose loss is a number first gave nan, and leaves got it; not where `log_of_zero` tells of it."""
    for one in run.passes if next(log_of_zero(run), None) is None else ():
        spoiled = [entry for entry, _, incoming, *_ in one.accumulations if _has_nan(incoming)]
        if not spoiled or any(_has_nan(root.array) or _has_nan(seed) for root, seed, _ in one.roots):
            continue
        step = next((step for step in one.steps if _made_nan(step)), None)
        if step is not None and step.node.node is not None and (found := _singular(step)) is not None:
            words: dict[str, Any] = {"function": step.node.node.printed_name, "names": run.names(spoiled)}
            if (choice := _behind_choice(run, step)) is not None:
                call, meant, fix = choice
                words |= {"input": run.name(found[0]), "value": found[1], "meant": meant}
                yield NAN_BEHIND_CHOICE.note(run.program.span_of(call), spoiled, fix, **words)
                continue
            if (largest := _overflowing(one, step)) is not None:
                size = f"{_size(largest):.3g}"
                words |= {"input": run.name(largest), "value": size, "kind": str(largest.array.dtype)}
                yield OVERFLOWED.note(run.span(step.node.place), spoiled, **words)
                continue
            yield FIRST_NAN.note(run.span(step.node.place), spoiled, **words, input=run.name(found[0]), value=found[1])


_HUGE: Final = 1e15
_LOOKED_AT: Final = 500
"""Steps of a pass."""


def _overflowing(made: PassEntry, step: StepEntry) -> TensorEntry | None:
    """The tensor of a pass with the largest numbers, where they are huge and a function was given an infinite gradient."""
    if not any(each is not None and np.isinf(each).any() for each in map(array_of, step.grads)):
        return None
    nodes = [one.node for one in made.steps[:_LOOKED_AT]]
    tensors = [*(root for root, *_ in made.roots), *(one for node in nodes for one in (*node.outputs, *node.inputs))]
    sizes = [(_size(one), one) for one in tensors]
    size, largest = max(sizes, key=lambda pair: pair[0])
    return largest if size > _HUGE else None


def _size(entry: TensorEntry) -> float:
    array = entry.array
    known = array[~np.isnan(array)] if array.dtype.kind == "f" else array[:0]
    return float(np.abs(known).max()) if known.size else 0.0


def _behind_choice(run: Record, step: StepEntry) -> tuple[ast.Call, str, Fix | None] | None:
    """The ``torch.where(condition, f(x), other)`` whose branch a function is, and the function of numbers that are chosen."""
    readers = [one for out in step.node.outputs for one in run.consumers.get(out.first, ())]
    if not any(is_call_of(one, "where") for one in readers):
        return None
    span = run.span(step.node.place)
    inner = run.case.find(ast.Call, span) if span is not None else None
    outer = run.case.parents.get(inner) if inner is not None else None
    if inner is None or not isinstance(outer, ast.Call) or len(outer.args) != 3 or len(step.node.inputs) != 1:
        return None
    if inner not in outer.args[1:] or not run.case.text(outer.func).endswith("where"):
        return None
    given = inner.args[0] if inner.args else getattr(inner.func, "value", None)
    if not isinstance(given, ast.Name):
        return None
    where, condition = run.case.text(outer.func), run.case.text(outer.args[0])
    order = (given.id, "1.0") if inner is outer.args[1] else ("1.0", given.id)
    meant = f"{where}({condition}, {', '.join(order)})"
    return outer, meant, run.fix(run.case.replace(given, meant), f"`{meant}`", f"`{meant}`")


def _made_nan(step: StepEntry) -> bool:
    grads = [array_of(each) for each in step.grads]
    given = [array_of(each) for each in step.passed]
    return any(map(_has_nan, given)) and not any(map(_has_nan, grads))


def _has_nan(array: np.ndarray | None) -> bool:
    if array is None or array.dtype.kind not in "fc" or not array.size:
        return False
    largest = np.maximum.reduce(array, axis=None)  # nan, where any is
    return bool(largest != largest)


def _singular(step: StepEntry) -> tuple[TensorEntry, str] | None:
    """The operand at which a derivative is not finite, and its value where that is."""
    for position, gradient in enumerate(step.passed):
        array = array_of(gradient)
        if array is None or not _has_nan(array) or position >= len(step.node.inputs):
            continue
        entry = step.node.inputs[position]
        if entry.array.shape == array.shape:
            value = entry.array[np.isnan(array)].reshape(-1)[0]
            return (entry, f"{value:g}") if entry.array.dtype.kind == "f" else None
    return None


TRAPS: Final = (own_output, by_variable, begins_at_leaf, ends_at_numbers, first_nan)
