"""Traps of losses: probabilities where scores are expected, shapes that broadcast, logarithms of zero."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.traps.overlooked.logarithms import of_masked
from gradflow.engine.diagnosis.traps.overlooked.shared_functions import is_shared, logarithm_at
from gradflow.engine.diagnosis.traps.proven.trails import leads_to_pass
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of, produced_by, producer
from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.trace import Fix, Note, Span, Text

NO_LOGARITHM: Final = Trap(
    "nll-without-logarithm",
    "`nll_loss` expects logarithms of probabilities, and here it is given {given}: it takes the"
    " number of the right class and turns its sign, with no logarithm of its own, so this is no likelihood. {do}",
    "`nll_loss` 需要的是概率的对数，这里给它的却是{given}：它只取出正确类别的那个数并变号，自己不取对数，所以得到的不是似然。"
    "{do}",
)
LOG_OF_ZERO: Final = Trap(
    "log-of-zero-probability",
    "A probability here is so small that it was rounded to 0, and its logarithm is -inf: the loss becomes inf, its gradient"
    " nan. `log_softmax` computes the same from the scores without going through 0.",
    "这里有一个概率小到被舍入成 0，它的对数是 -inf：损失会变成 inf，梯度变成 nan。`log_softmax` 直接从分数计算同样的结果，不会经过 0。",
)
ACROSS_SAMPLES: Final = Trap(
    "softmax-over-batch",
    "Softmax runs over dimension 0 here, that of the samples: the probabilities of one class add up to 1 over the batch,"
    " instead of those of one sample over the classes. The dimension of the classes is 1 (or -1).",
    "这里的 softmax 沿着第 0 维（样本维）计算：相加等于 1 的是同一个类别在整个批次上的概率，而不是一个样本在各类别上的概率。"
    "类别所在的维是 1（或 -1）。",
)
PAIRWISE_EQUAL: Final = Trap(
    "comparison-of-all-pairs",
    "Here {first} meets {second}, so every prediction is compared with every target: the result is {result}, and its mean is no share of right"
    " answers. Give both the same shape: `{text}`.",
    "这里形状 {first} 遇到 {second}，每个预测都与每个目标比较：结果的形状是 {result}，它的平均值不是正确率。请让两者形状相同：`{text}`。",
)
PAIRWISE: Final = Trap(
    "broadcast-in-loss",
    "Shapes {first} and {second} broadcast to {result} here: every prediction meets every target, not its own. The loss"
    " averages over {count} pairs instead of {n}, and there is no error. Give both the same shape.",
    "形状 {first} 与 {second} 在这里被广播成 {result}：每个预测值都与所有目标值配对，而不只是与自己的目标值配对。"
    "损失是对 {count} 个配对求平均，而不是 {n} 个，并且不会报错。请让两者的形状相同。",
)
PER_ROW: Final = Trap(
    "standardized-by-row",
    "Mean and standard deviation are taken over dimension {dim} here, over the {columns} numbers of one sample: each row is"
    " standardized by itself, and what tells the samples apart is lost. For features on one scale, take them over"
    " dimension 0, the samples.",
    "这里的均值和标准差是沿第 {dim} 维计算的，也就是在一个样本的 {columns} 个数上：每一行都用自己的统计量标准化，"
    "样本之间的差别就丢失了。要把各个特征放到同一尺度，请沿第 0 维（样本维）计算。",
)
SIGNED: Final = Trap(
    "signed-loss",
    "The loss is the mean of plain differences. Positive and negative ones cancel, and it has no least value: training pushes"
    " it towards minus infinity. Square the differences, or take their absolute values.",
    "这个损失是差值本身的平均。正负会互相抵消，而且它没有最小值：训练会把它一直推向负无穷。请对差值取平方或绝对值。",
)


DIVERGENCE: Final = Trap(
    "divergence-of-probabilities",
    "`kl_div` expects the logarithms of the probabilities of the model, and here it is given the probabilities themselves: what"
    " it computes is no divergence, and may be negative. Give it `log_softmax` of the scores.",
    "`kl_div` 需要模型概率的对数，这里给它的却是概率本身：算出来的不是散度，甚至可能是负数。请给它对分数做 `log_softmax` 的结果。",
)


SWAPPED: Final = Trap(
    "divergence-arguments-swapped",
    "`kl_div` takes the logarithms first and the probabilities second, and here they stand the other way round: what it computes is no divergence, and may be nan. Swap the two.",
    "`kl_div` 的第一个参数是对数概率，第二个是概率，这里的顺序反了：算出来的不是散度，甚至可能是 nan。请交换两者。",
)


# -- probabilities where scores are expected ---------------------------------------------------------------------------


def without_logarithm(run: Record) -> Iterator[Note]:
    """The negative log-likelihood of probabilities, or of raw scores."""
    for node in run.calls("nll_loss_rows nll_loss_places"):
        if not node.inputs or node not in run.ran_backward:
            continue
        span, made = run.span(node.place), produced_by(node.inputs[0], "softmax_dim")
        if made is not None:
            yield NO_LOGARITHM.note(span, made.outputs, _logarithm(run, made, span), **_of_softmax(run, made))
        elif is_call_of(producer(node.inputs[0]) or node, _LINEAR):
            words = {"given": _RAW, "do": _SCORES}
            yield NO_LOGARITHM.note(span, [node.inputs[0]], _cross_entropy(run, span), **words)


_RAW: Final = Text("raw scores, with no `log_softmax` on the way", "原始分数，途中没有经过 `log_softmax`")
_SCORES: Final = Text("Use `cross_entropy`, which takes the raw scores.", "请改用直接接受原始分数的 `cross_entropy`。")


def _of_softmax(run: Record, made: NodeEntry) -> dict[str, Text]:
    """That the loss is given probabilities, and where the logarithm is missing."""
    layers = [one for one in run.case.nodes(ast.Call) if _last_name(one.func) == "Softmax"]
    call = run.call_at(run.span(made.place))
    place = call if call is not None and _last_name(call.func) == "softmax" and _owner(call) is None else None
    place = layers[0] if place is None and len(layers) == 1 else place
    if place is None:
        return {
            "given": Text("probabilities, from `softmax`", "`softmax` 给出的概率"),
            "do": Text("Take `log_softmax` in its place.", "请把它换成 `log_softmax`。"),
        }
    text, row = " ".join(run.case.text(place).split()), place.lineno
    if call is not None and is_shared(run, call):
        return {
            "given": Text(f"probabilities, from `{text}` on line {row}", f"第 {row} 行的 `{text}` 给出的概率"),
            "do": Text(
                "Others use them too: take the logarithm at this call.", "别处也用到这些概率：请在这次调用处取对数。"
            ),
        }
    name = "LogSoftmax" if _last_name(place.func) == "Softmax" else "log_softmax"
    return {
        "given": Text(f"probabilities, from `{text}` on line {row}", f"第 {row} 行的 `{text}` 给出的概率"),
        "do": Text(f"Write `{name}` there.", f"请在那里写 `{name}`。"),
    }


def divergence(run: Record) -> Iterator[Note]:
    """The Kullback-Leibler divergence of probabilities in the place of their logarithms."""
    expected = {entry.first for node in run.calls("sub") if _of_entropy(node) for entry in node.inputs[1:]}
    for node in run.calls("mul"):
        made = produced_by(node.inputs[-1], "softmax_dim sigmoid") if len(node.inputs) == 2 else None
        if made is not None and node.outputs[0].first in expected:
            if produced_by(node.inputs[0], "log_softmax_dim log") is not None:
                yield SWAPPED.note(run.span(node.place), node.inputs, _swapped(run, run.span(node.place)))
                continue
            fix = _logarithm(run, made, run.span(node.place)) if is_call_of(made, "softmax_dim") else None
            yield DIVERGENCE.note(run.span(node.place), made.outputs, fix)


def _swapped(run: Record, span: Span | None) -> Fix | None:
    """The first two arguments of a call in the other order."""
    call = run.call_at(span)
    if call is None or len(call.args) < 2:
        return None
    first, second = call.args[:2]
    edits = [*run.case.replace(first, run.case.text(second)), *run.case.replace(second, run.case.text(first))]
    return run.fix(edits, "The two swapped", "交换两者")


def _of_entropy(node: NodeEntry) -> bool:
    """Whether a difference begins with the logarithm of the target, as in ``kl_div``."""
    made = producer(node.inputs[0]) if len(node.inputs) == 2 else None
    return made is not None and is_call_of(made, "xlogy")


def _logarithm(run: Record, made: NodeEntry, use: Span | None) -> Fix | None:
    """``log_softmax`` where softmax was taken: in a call, or as a layer."""
    words = "`log_softmax`", "`log_softmax`"
    call = run.call_at(run.span(made.place))
    if call is not None and is_shared(run, call):
        return logarithm_at(run, call, use)  # others want the probabilities
    if call is not None and _last_name(call.func) == "softmax" and not isinstance(_owner(call), str):
        return run.fix(run.case.rename_end(call.func, "softmax", "log_softmax"), *words)
    layers = [one for one in run.case.nodes(ast.Call) if _last_name(one.func) == "Softmax"]
    return run.fix(run.case.rename_end(layers[0].func, "Softmax", "LogSoftmax"), *words) if len(layers) == 1 else None


def _owner(call: ast.Call) -> str | None:
    """``self`` where a layer of the program is called."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    return "self" if isinstance(owner, ast.Name) and owner.id == "self" else None


def _cross_entropy(run: Record, span: Span | None) -> Fix | None:
    """The loss that takes raw scores."""
    words = "`cross_entropy`", "`cross_entropy`"
    call = run.call_at(span)
    if call is not None and _last_name(call.func) == "nll_loss":
        return run.fix(run.case.rename_end(call.func, "nll_loss", "cross_entropy"), *words)
    made = [one for one in run.case.nodes(ast.Call) if _last_name(one.func) == "NLLLoss"]
    return run.fix(run.case.rename_end(made[0].func, "NLLLoss", "CrossEntropyLoss"), *words) if len(made) == 1 else None


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


# -- logarithms and dimensions -----------------------------------------------------------------------------------------


def log_of_zero(run: Record) -> Iterator[Note]:
    """The logarithm of a softmax or sigmoid that was rounded to 0."""
    for node in run.calls("log"):
        made = produced_by(node.inputs[0], "softmax_dim sigmoid") if node.inputs else None
        if made is not None and np.isneginf(node.outputs[0].array).any():
            if of_masked(run, node, made) is not None:
                continue  # told of the mask
            yield LOG_OF_ZERO.note(run.span(node.place), [node.outputs[0]], _log_softmax(run, node, made))


def _log_softmax(run: Record, node: NodeEntry, made: NodeEntry) -> Fix | None:
    """``log_softmax`` where ``log`` and ``softmax`` stand, if the softmax can be written there again."""
    if producer(node.inputs[0]) is not made:
        return None
    log, softmax = run.call_at(run.span(node.place)), run.call_at(run.span(made.place))
    if log is None or softmax is None or _last_name(softmax.func) != "softmax" or _last_name(log.func) != "log":
        return None
    text, given = run.case.text(softmax), run.case.text(softmax.func)
    if any(isinstance(part, ast.Call) for argument in softmax.args for part in ast.walk(argument)):
        return None
    new = given.removesuffix("softmax") + "log_softmax" + text.removeprefix(given)
    return run.fix(run.case.replace(log, new), f"`{new}`", f"`{new}`")


def across_samples(run: Record) -> Iterator[Note]:
    """Log-softmax over the samples, in front of a loss over classes."""
    for node in run.calls("log_softmax_dim"):
        if not node.inputs or node.inputs[0].array.ndim != 2 or node.settings[:1] not in ((0,), (-2,)):
            continue
        readers = run.consumers.get(node.outputs[0].first, ())
        if any(is_call_of(reader, "nll_loss_rows") for reader in readers):
            span = run.span(node.place)
            yield ACROSS_SAMPLES.note(span, node.outputs, along_classes(run, run.call_at(span)))


def along_classes(run: Record, call: ast.Call | None) -> Fix | None:
    """Dimension 1 where the call says 0."""
    given = [] if call is None else [*call.args, *(each.value for each in call.keywords if each.arg == "dim")]
    zeros = [each for each in given if isinstance(each, ast.Constant) and type(each.value) is int and each.value == 0]
    return run.fix(run.case.replace(zeros[0], "1"), "`dim=1`", "`dim=1`") if len(zeros) == 1 else None


# -- shapes ------------------------------------------------------------------------------------------------------------

_LINEAR: Final = "affine mm mv bmm baddbmm conv"
_REDUCING: Final = "mean_all sum_all mean_dim sum_dim"
_FARTHEST: Final = 20
"""Functions of single elements from a difference to the mean of a loss."""


def broadcast(run: Record) -> Iterator[Note]:
    """Predictions of shape (n, 1) that meet targets of shape (n,)."""
    for node in run.calls("sub mul"):
        if len(node.inputs) != 2:
            continue
        column, row = sorted(node.inputs, key=lambda entry: -entry.array.ndim)
        n = row.array.size
        if n < 2 or row.array.shape != (n,) or column.array.shape != (n, 1):
            continue
        if node not in run.ran_backward and not leads_to_pass(run, node.outputs[0]):
            continue
        data = producer(column) is None and not column.requires_grad and row.requires_grad
        if (
            (data or _is_output(column))
            and _is_reduced(run, node)
            and not (_is_output(column) and row.requires_grad and _is_output(row))
        ):
            shapes = [list(entry.array.shape) for entry in (*node.inputs, node.outputs[0])]
            words = dict(zip(("first", "second", "result"), shapes, strict=True))
            fix = _squeezed(run, node, column)
            yield PAIRWISE.note(run.span(node.place), node.inputs, fix, **words, count=n * n, n=n)


def compared_in_pairs(run: Record) -> Iterator[Note]:
    """``pred == y`` of predictions of shape (n, 1) and targets of shape (n,), averaged."""
    for node in run.calls("eq ne"):
        if len(node.inputs) != 2:
            continue
        column, row = sorted(node.inputs, key=lambda entry: -entry.array.ndim)
        n = row.array.size
        if (
            n < 2
            or row.array.shape != (n,)
            or column.array.shape != (n, 1)
            or not _is_output(column)
            or not _is_averaged(run, node)
        ):
            continue
        span = run.span(node.place)
        compared = None if span is None else run.case.find(ast.Compare, span)
        sides = [] if compared is None else [compared.left, *compared.comparators[:1]]
        side = sides[0 if node.inputs[0] is column else 1] if len(sides) == 2 else None
        text = f"{run.case.operand(side)}.squeeze(1)" if side is not None else ".squeeze(1)"
        fix = (
            run.fix(run.case.followed(side, ".squeeze(1)"), "`.squeeze(1)`", "`.squeeze(1)`")
            if side is not None
            else None
        )
        shapes = [list(entry.array.shape) for entry in (*node.inputs, node.outputs[0])]
        words = dict(zip(("first", "second", "result"), shapes, strict=True))
        yield PAIRWISE_EQUAL.note(span, node.inputs, fix, **words, text=text)


def _is_averaged(run: Record, node: NodeEntry) -> bool:
    """Whether the mean or the sum of all elements is taken of a result, converted or not."""
    current = [node]
    for _ in range(4):
        readers = [each for one in current for out in one.outputs for each in run.consumers.get(out.first, ())]
        if any(is_call_of(one, "mean_all sum_all") for one in readers):
            return True
        current = readers
    return False


def _is_output(entry: TensorEntry) -> bool:
    """Whether a tensor is what a layer made, functions of single elements apart."""
    for _ in range(20):
        node = producer(entry)
        if node is None or node.op is None or not node.inputs:
            return False
        if is_call_of(node, _LINEAR):
            return True
        if not (node.op.elementwise or is_call_of(node, "clone relu squeeze_dim squeeze_all to_dtype gather")):
            return False
        entry = node.inputs[0]
    return False


def _is_reduced(run: Record, node: NodeEntry) -> bool:
    """Whether functions of single elements lead from a function to a sum or mean."""
    for _ in range(_FARTHEST):
        readers = run.consumers.get(node.outputs[0].first, ())
        if any(is_call_of(reader, _REDUCING) for reader in readers):
            return True
        following = [reader for reader in readers if reader.op is not None and reader.op.elementwise]
        if not following:
            return False
        node = following[0]
    return False


def _squeezed(run: Record, node: NodeEntry, column: TensorEntry) -> Fix | None:
    span = run.span(node.place)
    binary = None if span is None else run.case.find(ast.BinOp, span)
    if binary is None:
        return None
    side = binary.left if node.inputs[0] is column else binary.right
    return run.fix(run.case.followed(side, ".squeeze(1)"), "`.squeeze(1)`", "`.squeeze(1)`")


def per_row(run: Record) -> Iterator[Note]:
    """Data of more samples than features that is standardized over the features."""
    for node in run.calls("div"):
        difference = produced_by(node.inputs[0], "sub") if len(node.inputs) == 2 else None
        spread = produced_by(node.inputs[1], "std") if difference is not None else None
        if difference is None or spread is None or len(difference.inputs) != 2 or node.inputs[0].requires_grad:
            continue
        data, mean = difference.inputs[0], produced_by(difference.inputs[1], "mean_dim")
        if mean is None or {mean.inputs[0].first, spread.inputs[0].first} != {data.first} or data.array.ndim != 2:
            continue
        samples, columns = data.array.shape
        if node.inputs[1].array.shape == (samples, 1) and samples > 2 * columns and data.node is not None:
            yield PER_ROW.note(run.span(mean.place), [node.outputs[0]], dim=1, columns=columns)


def signed(run: Record) -> Iterator[Note]:
    """A loss that is a mean of differences between outputs and targets."""
    if not run.steps:
        return
    for one in run.passes:
        for root, *_ in one.roots:
            mean = produced_by(root, "mean_all sum_all")
            node = None if mean is None else produced_by(mean.inputs[0], "sub")
            if node is None or len(node.inputs) != 2 or mean is None:
                continue
            output, target = sorted(node.inputs, key=lambda entry: not entry.requires_grad)
            if _is_output(output) and not target.requires_grad and output.array.shape == target.array.shape:
                yield SIGNED.note(run.span(mean.place), [root], _squared(run, node))


def _squared(run: Record, node: NodeEntry) -> Fix | None:
    span = run.span(node.place)
    binary = None if span is None else run.case.find(ast.BinOp, span)
    if binary is None:
        return None
    return run.fix(run.case.wrapped(binary, "(", ") ** 2"), "Square the differences", "对差值取平方")


TRAPS: Final = (
    without_logarithm, divergence, log_of_zero, across_samples, broadcast, compared_in_pairs, per_row, signed,
)  # fmt: skip
