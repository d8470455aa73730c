"""What PyTorch's warnings mean, and the lines that were passed over."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from math import prod
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.case import Case, apply_edits, called, is_simple
from gradflow.engine.diagnosis.findings.causes.computed_leaves import mended, shown
from gradflow.engine.diagnosis.findings.causes.computed_weights import is_updated, weights_behind
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import leaves_behind
from gradflow.engine.diagnosis.traps.edits import line_after
from gradflow.engine.diagnosis.traps.record import Record, Trap
from gradflow.engine.recording.entries import NodeEntry
from gradflow.engine.sandbox.sessions.magics import DroppedLine
from gradflow.engine.trace import Edit, Fix, Note, Span

_SHOWN: Final = 60
"""Characters of a line that a note repeats."""

DROPPED: Final = Trap(
    "ipython-line",
    "`{text}` speaks to IPython, the program behind a notebook, and not to Python. There is no IPython here, so the line is"
    " passed over; the rest runs.",
    "`{text}` 是写给 IPython（笔记本背后的程序）的，不是 Python。这里没有 IPython，因此跳过这一行，其余照常运行。",
)


PROSE: Final = Trap(
    "prose-around-code",
    "Only what stands between the fences of Markdown, three backquotes each, is run, as one program. Text outside of them is passed over.",
    "只运行 Markdown 代码围栏（三个反引号）之间的内容，合在一起当作一个程序；围栏之外的文字被跳过。",
)


def dropped_line(line: DroppedLine) -> Note:
    """A line of IPython in a pasted notebook, or the prose around pasted code."""
    told = PROSE if line.is_prose else DROPPED
    return told.note(Span(line.line, line.column, line.line, line.end_column), text=line.text[:_SHOWN])


NON_LEAF: Final = Trap(
    "grad-of-non-leaf",
    "`.grad` is filled for leaves only: tensors that you made yourself with `requires_grad=True`. This one was computed, so"
    " its gradient was passed on and thrown away, and `.grad` is None. Call `retain_grad()` on it before `backward()`.",
    "只有叶子张量（你自己用 `requires_grad=True` 创建的张量）的 `.grad` 才会被填充。这个张量是算出来的，"
    "它的梯度传下去之后就丢掉了，所以 `.grad` 是 None。请在 `backward()` 之前对它调用 `retain_grad()`。",
)
HIDDEN_LEAF: Final = Trap(
    "leaf-inside-of-expression",
    "`requires_grad=True` belongs to `{maker}`, and `{name}` is computed from that, so `{name}` is no leaf and its `.grad`"
    " stays None. Compute first, and switch the gradient on last: `{text}`.",
    "`requires_grad=True` 属于 `{maker}`，而 `{name}` 是由它算出来的，所以 `{name}` 不是叶子张量，它的 `.grad` 一直是 None。"
    "请先计算，最后再打开梯度：`{text}`。",
)
LOSS_SIZES: Final = Trap(
    "loss-sizes-differ",
    "Output and target have different shapes here, {which}, so they are broadcast against each other: every element of one meets"
    " several of the other, and the loss is the mean over all {pairs} pairs. Give both the same shape, with `squeeze` or"
    " `unsqueeze`.",
    "这里输出和目标的形状不同（{which}），于是互相广播：一个的每个元素会与另一个的多个元素配对，损失是全部 {pairs} 个配对的平均。"
    "请用 `squeeze` 或 `unsqueeze` 让两者形状相同。",
)
COPY_OF_TENSOR: Final = Trap(
    "tensor-of-tensor",
    "`torch.tensor(x)` of a tensor copies its numbers and cuts it off from the graph: no gradient flows back through the copy."
    " Use `x` itself to stay in the graph, or `x.detach().clone()` to say that a copy is meant.",
    "对张量调用 `torch.tensor(x)` 只复制数值，并与计算图断开：梯度无法通过副本传回去。"
    "要留在计算图里就直接用 `x`；确实需要副本时请写 `x.detach().clone()`。",
)
SCHEDULER_FIRST: Final = Trap(
    "scheduler-before-optimizer",
    "`scheduler.step()` came before the first `optimizer.step()`, so the first learning rate of the schedule is never used."
    " Call the optimizer first.",
    "`scheduler.step()` 在第一次 `optimizer.step()` 之前调用，于是计划中的第一个学习率从未用上。请先调用优化器。",
)
IMPLICIT_DIM: Final = Trap(
    "implicit-softmax-dim",
    "Without `dim`, softmax chooses a dimension by the number of dimensions: 0 for one or three, else 1. Say which one is"
    " meant: `dim=-1` is the last, usually that of the classes.",
    "不写 `dim` 时，softmax 会按维数自己选：一维或三维时选第 0 维，否则选第 1 维。请写明想要的维：`dim=-1` 是最后一维，通常是类别维。",
)
SCALAR_OF_GRAPH: Final = Trap(
    "number-of-tensor-in-graph",
    "A tensor that requires gradients is made a Python number here. The number knows nothing of the graph: no gradient flows"
    " back through it.",
    "这里把一个需要梯度的张量变成了 Python 数。数不知道计算图的存在：梯度无法通过它传回去。",
)
VOLATILE: Final = Trap(
    "volatile-has-no-effect",
    "`volatile=True` is from PyTorch before 0.4 and does nothing any more: the graph is recorded. Write"
    " `with torch.no_grad():` around the computation.",
    "`volatile=True` 是 PyTorch 0.4 以前的写法，现在不起作用：计算图仍会被记录。请把计算放进 `with torch.no_grad():` 里。",
)
OLD_REDUCTION: Final = Trap(
    "old-reduction",
    "`size_average` and `reduce` are from PyTorch before 0.4.1; `reduction=` says the same in one word: 'mean', 'sum' or 'none'.",
    "`size_average` 和 `reduce` 是 PyTorch 0.4.1 以前的写法；现在用一个词 `reduction=` 表示：'mean'、'sum' 或 'none'。",
)
GRAPH_CYCLE: Final = Trap(
    "create-graph-cycle",
    "With `create_graph=True`, `.grad` itself has a graph that refers back to the parameter, and the parameter refers to"
    " `.grad`: Python cannot free the circle by itself. `torch.autograd.grad` gives the gradient without storing it.",
    "使用 `create_graph=True` 时，`.grad` 自己也带着一张指回参数的计算图，而参数又指向 `.grad`：形成的循环 Python 无法自行释放。"
    "`torch.autograd.grad` 可以得到梯度而不保存到 `.grad`。",
)
KL_MEAN: Final = Trap(
    "kl-div-mean",
    "`reduction='mean'` divides by the number of elements, not of samples, so this is not the KL divergence;"
    " `reduction='batchmean'` is.",
    "`reduction='mean'` 除以的是元素个数而不是样本个数，所以结果不是 KL 散度；`reduction='batchmean'` 才是。",
)
TRANSPOSED: Final = Trap(
    "transpose-of-many-dimensions",
    "`.T` turns round all dimensions, and is meant for matrices only. `.mT` transposes the last two, which is what is meant"
    " for a batch of matrices.",
    "`.T` 会把所有维的顺序倒过来，它只是为矩阵准备的。对一批矩阵要用 `.mT`，它只转置最后两维。",
)
_LATEST: Final = 5000
_WRONG_SIZES: Final = r"Using a target size \("
_SIZES: Final = re.compile(
    _WRONG_SIZES
    + r"torch\.Size\(\[([\d, ]*)\]\)\) that is different to the input size \(torch\.Size\(\[([\d, ]*)\]\)\)"
)
_KNOWN: Final = (
    (r"The \.grad attribute of a Tensor that is not a leaf", NON_LEAF),
    (_WRONG_SIZES, LOSS_SIZES),
    (r"To copy construct from a tensor", COPY_OF_TENSOR),
    (r"Detected call of `lr_scheduler\.step\(\)` before", SCHEDULER_FIRST),
    (r"Implicit dimension choice for", IMPLICIT_DIM),
    (r"Converting a tensor with requires_grad=True to a scalar", SCALAR_OF_GRAPH),
    (r"volatile was removed", VOLATILE),
    (r"size_average and reduce args will be deprecated", OLD_REDUCTION),
    (r"Using backward\(\) with create_graph=True will create a reference cycle", GRAPH_CYCLE),
    (r"reduction: 'mean' divides the total loss", KL_MEAN),
    (r"The use of `x\.T` on tensors of dimension other than 2", TRANSPOSED),
)


def explained(run: Record) -> Iterator[Note]:
    """Warnings of PyTorch's, explained at their line."""
    silent = [one for one in run.recorder.ignored if re.match(_WRONG_SIZES, one[1])]  # wrong, whoever hears of it
    for _, text, place in (*run.recorder.warnings, *silent):
        trap = next((trap for pattern, trap in _KNOWN if re.match(pattern, text)), None)
        if trap is not None:
            span = run.span(place)
            if trap is NON_LEAF and (span is None or _fails_at_once(run, span) or _takes_the_name(run, span)):
                continue  # read by the diagnosis of an error, or told of by it
            if trap is SCALAR_OF_GRAPH and span is not None and run.steps and _is_printed(run, span):
                continue  # a number to look at
            if trap is SCALAR_OF_GRAPH and span is not None and _is_refused(run, span):
                continue  # the error is told
            if trap is NON_LEAF and span is not None and (note := _hidden(run, span)) is not None:
                yield note
                continue
            fixer = _FIXERS.get(trap.code)
            words = _shapes(run, span, text) if trap is LOSS_SIZES else {}
            if words is None:
                continue  # the loss then fails, and that is told
            yield trap.note(span, (), fixer(run, span) if fixer is not None and span is not None else None, **words)


def _shapes(run: Record, span: Span | None, text: str) -> dict[str, object] | None:
    """The output and the target of a loss with their shapes, and how many pairs they make; None where they make none."""
    found = _SIZES.match(text)
    sizes = [
        [int(one) for one in re.findall(r"\d+", part)] for part in (found.groups() if found is not None else ("", ""))
    ]
    if any(1 not in pair and len(set(pair)) > 1 for pair in zip(*(reversed(size) for size in sizes), strict=False)):
        return None
    call = run.call_at(span)
    given = call.args[:2] if call is not None and len(call.args) > 1 else []
    names = [f"`{run.case.text(one)}` " if is_simple(one) else "" for one in given] or ["", ""]
    which = ", ".join(f"{name}{size}" for name, size in zip(names, sizes[::-1], strict=True))
    return {"which": which, "pairs": prod(np.broadcast_shapes(*map(tuple, sizes)))}


def _fails_at_once(run: Record, span: Span) -> bool:
    """``w.grad.zero_()`` of a gradient that is None, and arithmetic with it."""
    read = run.case.find(ast.Attribute, span)
    around = run.case.parents.get(read) if read is not None else None
    return isinstance(around, ast.Attribute | ast.BinOp | ast.UnaryOp)


def _takes_the_name(run: Record, span: Span) -> bool:
    """``w = w - lr * w.grad`` gives the name of the leaf away: to retain the gradient of what has it then is no help."""
    read = run.case.find(ast.Attribute, span)
    statement = run.case.statement(read) if read is not None else None
    return (
        read is not None
        and isinstance(statement, ast.Assign)
        and run.case.text(read.value) in map(run.case.text, statement.targets)
    )


def _is_refused(run: Record, span: Span) -> bool:
    """``torch.tensor(rows)`` of tensors with several elements, which made nothing."""
    call = run.call_at(span)
    return call is not None and called(call) in ("tensor", "as_tensor") and run.array_of(call) is None


def _is_printed(run: Record, span: Span) -> bool:
    """Whether a number stands in what is printed."""
    node: ast.AST | None = run.case.find(ast.expr, span)
    while isinstance(node, ast.expr | ast.FormattedValue | ast.keyword):
        if isinstance(node, ast.Call) and called(node) == "print":
            return True
        node = run.case.parents.get(node)
    return False


# -- fixes -------------------------------------------------------------------------------------------------------------


def _hidden(run: Record, span: Span) -> Note | None:
    """``w = torch.randn(3, requires_grad=True) * 0.1``: the leaf has no name."""
    read, case = run.case.find(ast.Attribute, span), run.case_at(span)
    if read is None or read.attr != "grad":
        return None
    names = _meant_by(run, read.value) if isinstance(read.value, ast.Name) else []
    found = [(name, *one) for name in names if (one := _leaf_inside(case, name)) is not None]
    if not found:
        return _kept_elsewhere(run, read, span)
    edits = [edit for _, made, maker in found for edit in _opened_last(case, made, maker)]
    name, made, maker = found[0]
    text = apply_edits(run.program.source, _opened_last(case, made, maker), run.program.span_of(made))
    text = " ".join(text.split())
    fix = run.fix(edits, f"`{text}`", f"`{text}`")
    return HIDDEN_LEAF.note(span, (), fix, maker=case.text(maker), name=name, text=text)


def _kept_elsewhere(run: Record, read: ast.Attribute, span: Span) -> Note | None:
    """The same of a weight that a function made, or that is kept in a list or an object."""
    case = run.case_at(span)
    rows = weights_behind(case, read.value)
    if not rows:
        return None
    edits = [edit for one in {one.made: one for one in rows}.values() for edit in mended(case, one)]
    text = shown(case, rows[0])
    fix = run.fix(edits, f"`{text}`", f"`{text}`")
    return HIDDEN_LEAF.note(span, (), fix, maker=case.text(rows[0].maker), name=case.text(read.value), text=text)


def _meant_by(run: Record, read: ast.Name) -> list[str]:
    """The variable, or those that a loop goes through under this name: ``for p in (w, b)``."""
    loop = run.case.enclosing(read, ast.For)
    match loop:
        case ast.For(target=ast.Name(id=name), iter=ast.Tuple(elts=parts) | ast.List(elts=parts)) if name == read.id:
            return [one.id for one in parts if isinstance(one, ast.Name)]
    return [read.id]


def _leaf_inside(case: Case, name: str) -> tuple[ast.expr, ast.Call] | None:
    """What a variable was computed by, and the call in it that makes the leaf."""
    made = case.assignment(name)
    inner = [one for one in (ast.walk(made) if made is not None else ()) if isinstance(one, ast.Call) and _flags(one)]
    return None if made is None or len(inner) != 1 or inner[0] is made else (made, inner[0])


def _opened_last(case: Case, made: ast.expr, maker: ast.Call) -> list[Edit]:
    return [*case.without_argument(maker, _flags(maker)[0]), *case.followed(made, ".requires_grad_()")]


def _flags(call: ast.Call) -> list[ast.keyword]:
    return [one for one in call.keywords if one.arg == "requires_grad" and getattr(one.value, "value", False) is True]


def _retained(run: Record, span: Span) -> Fix | None:
    """``y.retain_grad()`` behind the line that made y."""
    read = run.case.find(ast.Attribute, span)
    if read is None or not isinstance(read.value, ast.Name) or read.attr != "grad":
        return None
    case = run.case_at(span)
    value = case.assignment(read.value.id)
    statement = None if value is None else case.statement(value)
    if statement is None or f"{read.value.id}.grad" in case.text(statement) or is_updated(case, read.value):
        return None
    line = f"{read.value.id}.retain_grad()"
    return run.fix(line_after(case, statement, line), f"`{line}`", f"`{line}`")


def _copied(run: Record, span: Span) -> Fix | None:
    call = run.call_at(span)
    if call is None or len(call.args) != 1:
        return None
    keywords = {each.arg: each.value for each in call.keywords}
    asked = keywords.pop("requires_grad", None)
    if keywords or (asked is not None and not isinstance(asked, ast.Constant)):
        return None
    given = run.case.text(call.args[0])
    if asked is None and (_cuts_off(run, call, span) or _is_differentiated(run, span)):
        return run.fix(run.case.replace(call, given), "Without the copy", "去掉复制")
    held = given if isinstance(call.args[0], ast.Name | ast.Call | ast.Attribute | ast.Subscript) else f"({given})"
    new = f"{held}.detach().clone()" + (".requires_grad_()" if asked is not None and asked.value is True else "")
    return run.fix(run.case.replace(call, new), f"`{new}`", f"`{new}`")


def _is_differentiated(run: Record, span: Span) -> bool:
    """Whether a copy of what has a graph goes into what a pass goes through: a term that was to have a gradient."""
    copies = [one for one in run.recorder.entries[-_LATEST:] if run.span(one.place) == span and one.node is None]
    readers = [reader for one in copies for reader in run.consumers.get(one.first, ())]
    return any(not one.requires_grad for one in copies) and any(
        reader in run.ran_backward or _leads_on(run, reader) for reader in readers
    )


def _leads_on(run: Record, reader: NodeEntry) -> bool:
    return any(next_one in run.ran_backward for out in reader.outputs for next_one in run.consumers.get(out.first, ()))


def _cuts_off(run: Record, call: ast.Call, span: Span) -> bool:
    """Whether a copy was made of something computed from leaves that no pass has reached."""
    spans = {run.program.span_of(one) for one in Flow(run.case_at(span)).behind(call.args[0])}
    entries = run.recorder.entries[-_LATEST:]
    sources = [one for one in entries if one.requires_grad and not one.is_leaf and run.span(one.place) in spans]
    leaves = {leaf.first for one in sources for leaf in leaves_behind(one)}
    return bool(leaves) and bool(run.reached) and not leaves & run.reached


def _without_volatile(run: Record, span: Span) -> Fix | None:
    call = run.call_at(span)
    given = [] if call is None else [each for each in call.keywords if each.arg == "volatile"]
    if call is None or not given:
        return None
    return run.fix(run.case.without_argument(call, given[0]), "Without `volatile`", "去掉 `volatile`")


def _with_dim(run: Record, span: Span) -> Fix | None:
    call = run.call_at(span)
    name = called(call) if call is not None else ""
    if call is None or "softmax" not in name.lower():  # the layer was told nothing where it was made
        made = [one for one in run.case.nodes(ast.Call) if _is_softmax_layer(one)]
        call = made[0] if len(made) == 1 else None
    return None if call is None else run.fix(run.case.argument(call, "dim=-1"), "`dim=-1`", "`dim=-1`")


def _is_softmax_layer(call: ast.Call) -> bool:
    name = called(call)
    return name in ("Softmax", "LogSoftmax", "Softmin") and not call.args and not call.keywords


def _batch_mean(run: Record, span: Span) -> Fix | None:
    call = run.call_at(span)
    given = None if call is None else next((each for each in call.keywords if each.arg == "reduction"), None)
    if call is None:
        return None
    new = "reduction='batchmean'"
    return run.fix(run.case.replace(given, new) if given else run.case.argument(call, new), f"`{new}`", f"`{new}`")


def _batch_transposed(run: Record, span: Span) -> Fix | None:
    read = run.case.find(ast.Attribute, span)
    return None if read is None else run.fix(run.case.rename_end(read, ".T", ".mT"), "`.mT`", "`.mT`")


def _same_sizes(run: Record, span: Span) -> Fix | None:
    """``loss(out.squeeze(-1), y)``, where one of both has a last dimension of 1 that the other has not."""
    call = run.call_at(span)
    texts = [text for _, text, place in (*run.recorder.warnings, *run.recorder.ignored) if run.span(place) == span]
    sizes = next((found.groups() for text in texts if (found := _SIZES.match(text)) is not None), None)
    if call is None or len(call.args) < 2 or sizes is None:
        return None
    target, given = ([int(one) for one in re.findall(r"\d+", text)] for text in sizes)
    if given != [*target, 1] and target != [*given, 1]:
        return None
    longer = call.args[len(given) < len(target)]
    text = f"{run.case.operand(longer)}.squeeze(-1)"
    return run.fix(run.case.followed(longer, ".squeeze(-1)"), f"`{text}`", f"`{text}`")


_FIXERS: Final[dict[str, Callable[[Record, Span], Fix | None]]] = {
    NON_LEAF.code: _retained,
    LOSS_SIZES.code: _same_sizes,
    COPY_OF_TENSOR.code: _copied,
    IMPLICIT_DIM.code: _with_dim,
    VOLATILE.code: _without_volatile,
    KL_MEAN.code: _batch_mean,
    TRANSPOSED.code: _batch_transposed,
}

TRAPS: Final = (explained,)
