"""Traps of losses that the numbers prove: probabilities where scores belong, outputs that cannot reach their targets, means of the wrong things."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.traps.overlooked.probabilities import is_part_of_loss
from gradflow.engine.diagnosis.traps.proven.trails import behind
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of, produced_by, producer
from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.trace import Fix, Note, Text

CUT_SCORES: Final = Trap(
    "relu-before-cross-entropy",
    "`relu` sets scores below 0 to 0 before `cross_entropy`: for {count} of {whole} samples the score of the right class is cut off, so no gradient lifts it. The loss"
    " takes raw scores of any sign; leave `relu` out behind the last layer.",
    "`relu` 在 `cross_entropy` 之前把小于 0 的分数变成 0：{whole} 个样本中有 {count} 个的正确类别的分数被截断，没有梯度能把它提高。损失接受任意符号的原始分数；最后一层之后请不要用 `relu`。",
)
ONE_CLASS: Final = Trap(
    "softmax-of-one-number",
    "Softmax over a dimension of size 1 gives 1 for every sample, whatever the scores are: the output says nothing, and no gradient goes back through it. {meant}",
    "在大小为 1 的维度上做 softmax，无论分数是多少，每个样本的结果都是 1：输出没有任何信息，也没有梯度传回去。{meant}",
)
BEYOND: Final = Trap(
    "target-beyond-output",
    "The output comes out of `{function}` and lies between {low} and {high}, and {count} of the {whole} targets lie outside: no training brings it there. Leave `{function}`"
    " out at the end, or scale the targets.",
    "输出经过 `{function}`，只在 {low} 到 {high} 之间，而 {whole} 个目标中有 {count} 个在这之外：怎样训练都达不到。请去掉最后的 `{function}`，或者缩放目标。",
)
LABELS: Final = Trap(
    "labels-not-between-0-and-1",
    "The targets of `binary_cross_entropy_with_logits` are probabilities, and here they go from {low:g} to {high:g}: the loss has no least value then, and goes to minus"
    " infinity. Use labels 0 and 1{meant}.",
    "`binary_cross_entropy_with_logits` 的目标是概率，而这里是从 {low:g} 到 {high:g}：这样损失没有最小值，会趋向负无穷。请使用 0 和 1 作标签{meant}。",
)
TARGET_OF_KL: Final = Trap(
    "kl-div-of-logarithms",
    "`kl_div` expects probabilities as its target, and here {what}: what it computes is no divergence. {meant}",
    "`kl_div` 的目标应当是概率，而这里{what}：算出来的不是散度。{meant}",
)
MASKED_MEAN: Final = Trap(
    "mean-counts-masked",
    "`{text}` divides by all {whole} places, also by the {masked} that `{mask}` sets to 0, so the loss is smaller the more is masked. Divide by those that count: `{meant}`.",
    "`{text}` 除以全部 {whole} 个位置，包括被 `{mask}` 置零的 {masked} 个，所以掩盖得越多损失越小。请除以有效位置的个数：`{meant}`。",
)
PADDED_MEAN: Final = Trap(
    "mean-counts-padding",
    "`{text}` takes the mean over all {steps} places of a row, also over those of padding, whose embedding is 0: short rows come out too small. Divide the sum by the number"
    " of places that count.",
    "`{text}` 对一行的全部 {steps} 个位置求平均，包括填充的位置（其嵌入为 0）：短的行结果偏小。请用总和除以有效位置的个数。",
)
TWICE_AVERAGED: Final = Trap(
    "mean-divided-again",
    "The loss is a mean over the samples already, and `{text}` divides it by their number once more: its gradient is {count} times too small. Leave the division out.",
    "损失已经是对样本的平均，而 `{text}` 又除以一次样本数：梯度小了 {count} 倍。请去掉这个除法。",
)

_BOUNDED: Final = {"sigmoid": (0.0, 1.0), "tanh": (-1.0, 1.0), "relu": (0.0, np.inf), "softmax_dim": (0.0, 1.0)}
_MASKS: Final = re.compile(r"mask|valid|pad", re.IGNORECASE)


def cut_scores(run: Record) -> Iterator[Note]:
    """``cross_entropy(relu(last(x)), y)``."""
    for node in run.calls("nll_loss_rows"):
        scores = producer(node.inputs[0]) if node.inputs else None
        made = producer(scores.inputs[0]) if scores is not None and is_call_of(scores, "log_softmax_dim") else None
        if made is None or node not in run.ran_backward or not is_call_of(made, "relu") or len(node.inputs) < 2:
            continue
        given, classes = made.outputs[0].array, node.inputs[1].array
        if given.ndim != 2 or classes.shape != given.shape[:1] or classes.min() < 0:
            continue
        count = int((given[np.arange(len(classes)), classes] == 0).sum())
        if count:
            yield CUT_SCORES.note(
                run.span(made.place), made.outputs, _without(run, made), count=count, whole=len(classes)
            )


def _without(run: Record, made: NodeEntry) -> Fix | None:
    """What ``relu`` was given, in the place of its call."""
    call = run.call_at(run.span(made.place))
    if call is None or len(call.args) != 1 or call.keywords:
        return None
    text = run.case.text(call.args[0])
    return run.fix(run.case.replace(call, text), f"`{text}`", f"`{text}`")


def one_class(run: Record) -> Iterator[Note]:
    """``Linear(8, 1)`` and softmax behind it; ``cross_entropy`` of one score."""
    for node in run.calls("softmax_dim log_softmax_dim"):
        given = node.inputs[0].array if node.inputs else np.zeros(0)
        dim = node.settings[0] if node.settings else None
        if not isinstance(dim, int) or given.ndim < 2 or dim % given.ndim != given.ndim - 1 or given.shape[-1] != 1:
            continue
        made = produced_by(node.inputs[0], "affine mm")
        call = run.call_at(run.span(node.place))
        loss = is_call_of(node, "log_softmax_dim") and (is_part_of_loss(run, node) or _is_entropy(run, call))
        if made is None or given.size < 2 or not (loss or node in run.ran_backward):
            continue
        words = (
            (
                "The loss computes it: `cross_entropy` needs one score for each class; for one score use `binary_cross_entropy_with_logits`.",
                "这是损失自己算的：`cross_entropy` 需要每个类别一个分数；只有一个分数时请用 `binary_cross_entropy_with_logits`。",
            )
            if loss
            else (
                "For one number use `sigmoid`; for the places of a row the dimension of the places.",
                "只有一个数时请用 `sigmoid`；要在一行的各位置上归一化，请用位置所在的维。",
            )
        )
        fix = _as_binary(run, call, node) if loss and call is not None else None
        yield ONE_CLASS.note(run.span(node.place), node.outputs, fix, meant=Text(*words))


def _is_entropy(run: Record, call: ast.Call | None) -> bool:
    """Whether a call is one of ``cross_entropy``, as a function or as a layer."""
    names = {called(call), type(run.case.value(call.func)).__name__} if call is not None else set[str]()
    return not names.isdisjoint(("CrossEntropyLoss", "cross_entropy"))


def _as_binary(run: Record, call: ast.Call, node: NodeEntry) -> Fix | None:
    """The loss of one score, where the targets are such as it takes."""
    readers = [one for out in node.outputs for one in run.consumers.get(out.first, ())]
    alike = [o for one in readers for o in one.inputs if o is not node.outputs[0] and o.array.dtype.kind == "f"]
    if not any(o.array.shape == node.outputs[0].array.shape for o in alike):
        return None
    made = run.case_at_end.assignment(call.func.id) if isinstance(call.func, ast.Name) else None
    for one in (made, call.func):
        if isinstance(one, ast.Call) and called(one) == "CrossEntropyLoss" and not (one.args or one.keywords):
            meant = run.case.text(one.func).replace("CrossEntropyLoss", "BCEWithLogitsLoss")
            return run.fix(run.case.replace(one.func, meant), f"`{meant}()`", f"`{meant}()`")
    if called(call) == "cross_entropy" and len(call.args) == 2 and not call.keywords:
        meant = run.case.text(call.func).replace("cross_entropy", "binary_cross_entropy_with_logits")
        return run.fix(run.case.replace(call.func, meant), f"`{meant}`", f"`{meant}`")
    return None


def beyond(run: Record) -> Iterator[Note]:
    """``mse_loss(sigmoid(x), y)`` with targets above 1."""
    for node in run.calls("mse_loss sub smooth_l1_loss"):
        if len(node.inputs) != 2 or node not in run.ran_backward or not run.steps:
            continue
        output, target = sorted(node.inputs, key=lambda one: not one.requires_grad)
        made = produced_by(output, " ".join(_BOUNDED)) if output.requires_grad and not target.requires_grad else None
        if made is None or made.op is None or output.array.shape != target.array.shape or output.array.size < 4:
            continue
        if is_call_of(node, "sub") and not _is_squared(run, node):
            continue
        low, high = _BOUNDED[made.op.name]
        margin = 0.1 * (high - low if np.isfinite(high) else float(np.ptp(target.array)))
        count = int(((target.array < low - margin) | (target.array > high + margin)).sum())
        if 4 * count >= target.array.size:
            name = made.op.name.removesuffix("_dim")
            words = {"function": name, "low": f"{low:g}", "high": "∞" if np.isinf(high) else f"{high:g}"}
            yield BEYOND.note(
                run.span(made.place), [output, target], None, **words, count=count, whole=target.array.size
            )


def _is_squared(run: Record, node: NodeEntry) -> bool:
    """Whether a difference is squared, or its absolute value taken, and averaged."""
    for reader in run.consumers.get(node.outputs[0].first, ()):
        if is_call_of(reader, "pow_scalar abs mul"):
            return any(is_call_of(one, "mean_all sum_all") for one in run.consumers.get(reader.outputs[0].first, ()))
    return False


def labels(run: Record) -> Iterator[Note]:
    """``BCEWithLogitsLoss`` of labels -1 and 1, or 1 and 2."""
    for node in run.calls("binary_cross_entropy_with_logits"):
        target = node.inputs[1] if len(node.inputs) > 1 else None
        if target is None or node not in run.ran_backward or not target.array.size:
            continue
        low, high = float(target.array.min()), float(target.array.max())
        if low < -1e-6 or high > 1 + 1e-6:
            signs = bool(np.isin(target.array, (-1, 1)).all())
            meant = f": `({run.name(target)[1:-1]} + 1) / 2`" if signs else ""
            yield LABELS.note(run.span(node.place), [target], None, low=low, high=high, meant=meant)


def _is_swapped(run: Record, target: TensorEntry) -> bool:
    """Whether the probabilities stand in the place of the logarithms: another note says so."""
    return any(
        is_call_of(one, "mul") and produced_by(one.inputs[-1], "softmax_dim sigmoid") is not None
        for one in run.consumers.get(target.first, ())
        if len(one.inputs) == 2
    )


def kl_targets(run: Record) -> Iterator[Note]:
    """``kl_div(log_p, log_q)`` without ``log_target=True``; ``kl_div(log_p, logits)``."""
    for node in run.calls("xlogy"):
        target = node.inputs[0] if len(node.inputs) == 2 and node.inputs[0].first is node.inputs[1].first else None
        if target is None or not target.array.size or float(target.array.min()) >= 0 or _is_swapped(run, target):
            continue
        if (
            not any(one in run.ran_backward for out in node.outputs for one in run.consumers.get(out.first, ()))
            or not run.steps
        ):
            continue
        logarithms = float(target.array.max()) <= 0
        call = run.call_at(run.span(node.place))
        fix = (
            run.fix(run.case.argument(call, "log_target=True"), "`log_target=True`", "`log_target=True`")
            if call is not None and logarithms
            else None
        )
        first = (
            "it is given their logarithms",
            "给它的是概率的对数",
            "Say so: `log_target=True`.",
            "请说明：`log_target=True`。",
        )
        other = (
            "it is given scores, some below 0",
            "给它的是分数，有些小于 0",
            "Give it `softmax` of the scores.",
            "请给它分数的 `softmax`。",
        )
        what, what_zh, meant, meant_zh = first if logarithms else other
        words = {"what": Text(what, what_zh), "meant": Text(meant, meant_zh)}
        yield TARGET_OF_KL.note(run.span(node.place), [target], fix, **words)


def masked_means(run: Record) -> Iterator[Note]:
    """``(errors * mask).mean()``."""
    for node in run.calls("mean_all"):
        product = producer(node.inputs[0]) if node.inputs and node in run.ran_backward else None
        if product is None or not is_call_of(product, "mul") or len(product.inputs) != 2:
            continue
        errors, mask = sorted(product.inputs, key=lambda one: not one.requires_grad)
        names = [one for one in mask.first.names if _MASKS.search(one)]
        if (
            not errors.requires_grad
            or mask.requires_grad
            or not names
            or not _is_mask(mask)
            or _comes_after(mask, errors)
        ):
            continue
        expression = _expression(run, node)
        if expression is None:
            continue
        call, inner = expression
        whole = np.broadcast_to(mask.array, product.outputs[0].array.shape)
        meant = (
            f"{inner}.sum() / {names[0]}.sum()"
            if whole.shape == mask.array.shape
            else f"{inner}.sum() / {names[0]}.expand_as(...).sum()"
        )
        fix = (
            run.fix(run.case.replace(call, meant), f"`{meant}`", f"`{meant}`")
            if "..." not in meant and _has_room(run, call)
            else None
        )
        words = {"text": run.case.text(call), "whole": whole.size, "masked": int((whole == 0).sum()), "mask": names[0]}
        yield MASKED_MEAN.note(run.span(node.place), [mask], fix, **words, meant=meant)


def _is_mask(entry: TensorEntry) -> bool:
    return (
        bool(np.isin(entry.array, (0, 1)).all())
        and not entry.array.all()
        and bool(entry.array.any())
        and entry.array.dtype.kind in "fbi"
    )


def _comes_after(mask: TensorEntry, errors: TensorEntry) -> bool:
    """Whether a mask was computed from what it masks, as where ``relu`` is written out."""
    return any(one.requires_grad or one.first is errors.first for one in behind(mask, 100))


def _expression(run: Record, node: NodeEntry) -> tuple[ast.Call, str] | None:
    """The call of ``mean``, and what it is taken of."""
    call = run.call_at(run.span(node.place))
    match call:
        case ast.Call(func=ast.Attribute(value=inner, attr="mean"), args=[], keywords=[]) if (
            run.case.text(inner) != "torch"
        ):
            span = run.program.span_of(call)
            text = run.program.text_at(span).rpartition(".mean")[0] if span is not None else ""
            return call, text
        case ast.Call(func=ast.Attribute(attr="mean"), args=[inner], keywords=[]):
            return call, f"({run.case.text(inner)})"
    return None


def _has_room(run: Record, call: ast.Call) -> bool:
    """Whether a quotient can stand where a call does, without brackets."""
    return isinstance(run.case.parents.get(call), ast.Assign | ast.Return)


def padded_means(run: Record) -> Iterator[Note]:
    """``emb(tokens).mean(1)`` of a table with ``padding_idx``, and padding among the tokens."""
    for node in run.calls("mean_dim"):
        made = producer(node.inputs[0]) if node.inputs else None
        if (
            made is None
            or not is_call_of(made, "embedding_rows")
            or node.inputs[0].array.ndim != 3
            or node not in run.ran_backward
        ):
            continue
        given = node.settings[0] if node.settings else None
        dims = tuple(given) if isinstance(given, tuple | list) else (given,)
        zeros: np.ndarray = np.logical_not(np.any(node.inputs[0].array, axis=-1))
        if dims not in ((1,), (-2,)) or not zeros.any() or zeros.all() or "padding_idx" not in run.program.source:
            continue
        if zeros[:, -1].any() and not zeros[:, 0].all():
            text = " ".join((run.builder.expression(node.place) or "mean").split())
            yield PADDED_MEAN.note(run.span(node.place), node.outputs, None, text=text, steps=zeros.shape[1])


def averaged_twice(run: Record) -> Iterator[Note]:
    """``mse_loss(out, y) / x.size(0)``."""
    for node in run.calls("div div_scalar"):
        mean = producer(node.inputs[0]) if node.inputs and node in run.ran_backward else None
        span = run.span(node.place)
        quotient = run.case.find(ast.BinOp, span) if span is not None else None
        if mean is None or quotient is None or node.inputs[0].array.ndim or not isinstance(quotient.op, ast.Div):
            continue
        source = mean.inputs[0].array if mean.inputs else None
        averaged = is_call_of(mean, "mean_all mse_loss nll_loss_rows smooth_l1_loss") and 1 in (*mean.settings[:1], 1)
        if source is None or not averaged or not _is_mean(mean) or not _counts_samples(quotient.right):
            continue
        count = run.case.value(quotient.right)
        value = (
            count if isinstance(count, int) else round(float(node.inputs[0].array) / float(node.outputs[0].array or 1))
        )
        if value == source.shape[:1][0] if source.ndim else False:
            fix = run.fix(run.case.replace(quotient, run.case.text(quotient.left)), "Without the division", "去掉除法")
            yield TWICE_AVERAGED.note(
                span, node.outputs, fix, text=" ".join(run.case.text(quotient).split()), count=value
            )


def _is_mean(node: NodeEntry) -> bool:
    """Whether a loss gave a mean of its terms and no sum."""
    if is_call_of(node, "mean_all"):
        return True
    if is_call_of(node, "mse_loss") and len(node.inputs) == 2:
        squares = (node.inputs[0].array - node.inputs[1].array) ** 2
        return bool(np.isclose(squares.mean(), float(node.outputs[0].array)))
    return False


def _counts_samples(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="size"), args=[ast.Constant(value=0)]):
            return True
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name()]):
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape"), slice=ast.Constant(value=0)):
            return True
    return False


TRAPS: Final = (
    cut_scores,
    one_class,
    beyond,
    labels,
    kl_targets,
    masked_means,
    padded_means,
    averaged_twice,
)
