"""Sizes of two things that must agree: samples and targets, a mask and a sequence, what is written and its place."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.elsewhere.longest import length_named
from gradflow.engine.diagnosis.findings.general.sources import (
    decided,
    decided_by,
    decision,
    definition,
    place,
    shape_at,
    size_told,
)
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.layers.transformer import Transformer
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.trace import Fix


@finds(errors.TARGET_BATCH)
def _one_target_each(case: Case) -> Finding | None:
    """As many targets as samples."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2:
        return None
    scores, target = shape_at(case, call.args[0]), shape_at(case, call.args[1])
    if not scores or not target or scores[0] == target[0] or len(target) != 1 or len(scores) != 2:
        return None
    if (chosen := _chosen_rows(case, call, scores[0], target[0])) is not None:
        return chosen
    pair = [(call.args[0], scores[0]), (call.args[1], target[0])]
    whose, whose_zh = decided(case, pair)
    return finding(
        case,
        f"{code(case, call.args[0])} has {scores[0]} rows of scores, one for each sample, and {code(case, call.args[1])} has {target[0]}"
        f" targets{whose}. Take both from the same {min(scores[0], target[0])} or {max(scores[0], target[0])} samples, so that row k"
        f" has target k.",
        f"{code(case, call.args[0])} 有 {scores[0]} 行得分，每个样本一行，而 {code(case, call.args[1])} 有 {target[0]} 个目标{whose_zh}。请让两者来自同样的"
        f" {min(scores[0], target[0])} 个或 {max(scores[0], target[0])} 个样本，使第 k 行对应第 k 个目标。",
        (),
        decided_by(case, pair),
    )


def _chosen_rows(case: Case, call: ast.Call, rows: int, samples: int) -> Finding | None:
    """Inputs of which some rows were chosen, and targets of which all are there."""
    found = decision(case, call.args[0], rows, 0)
    node = found.node if found is not None else None
    if (
        not isinstance(node, ast.Subscript)
        or found is None
        or found.before != samples
        or isinstance(node.slice, ast.Tuple)
    ):
        return None
    given = call.args[1]
    made = definition(case, given)
    root = made if isinstance(made, ast.Name) else given
    text = f"{case.operand(given)}[{case.text(node.slice)}]"
    return finding(
        case,
        f"{code(case, node)} on line {line(node)} keeps {rows} of the {samples} samples, and {code(case, root)} still has the targets of all {samples}. Choose the"
        f" same ones of both: `{text}`.",
        f"第 {line(node)} 行的 {code(case, node)} 只保留了 {samples} 个样本中的 {rows} 个，而 {code(case, root)} 仍有全部 {samples} 个目标。请对两者做同样的选择："
        f"`{text}`。",
        write(case, given, text, call) if isinstance(node.slice, ast.Name) else (),
        node,
    )


@finds(errors.EXPAND_SIZE, errors.INDEX_PUT_SHAPE)
def _written(case: Case) -> Finding | None:
    """``out[1] = row`` of another length."""
    node = case.find(ast.AST)
    statement = case.statement(node) if node is not None else None
    match statement:
        case ast.Assign(targets=[ast.Subscript() as target], value=value):
            pass
        case _:
            return None
    own, base = shape_at(case, value), shape_at(case, target.value)
    wanted = case.details.get("targets", case.details.get("target"))
    if own is None or base is None or not isinstance(wanted, tuple | list):
        return None
    sizes = tuple(map(int, wanted))
    differing = next((k for k in range(1, min(len(own), len(sizes)) + 1) if own[-k] != sizes[-k]), None)
    whose, whose_zh = (
        ("", "") if differing is None else decided(case, [(target.value, sizes[-differing]), (value, own[-differing])])
    )
    pair = [] if differing is None else [(value, own[-differing])]
    return finding(
        case,
        f"{code(case, target)} is a place of shape {list(sizes)} in {code(case, target.value)} (shape {list(base)}), and {code(case, value)}"
        f" has the shape {list(own)}{whose}. Make one of the two with the size of the other, or write into a part of the same size.",
        f"{code(case, target)} 是 {code(case, target.value)}（形状 {list(base)}）里形状为 {list(sizes)} 的位置，而 {code(case, value)} 的形状是"
        f" {list(own)}{whose_zh}。请让其中一个的大小与另一个相同，或者写入大小相同的部分。",
        (),
        decided_by(case, pair),
    )


def _size_named(case: Case, steps: ast.expr, at: int, length: int) -> str:
    """The length of a sequence as a function can ask for it, ``tgt.size(1)``; empty where it cannot."""
    inner = steps.args[0] if isinstance(steps, ast.Call) and len(steps.args) == 1 else steps
    sizes = shape_at(case, inner) if isinstance(inner, ast.Name) else None
    return f"{case.text(inner)}.size({at})" if sizes is not None and list(sizes[at : at + 1]) == [length] else ""


_MASKS: Final = ("attn_mask", "src_mask", "mask", "tgt_mask", "memory_mask", "key_padding_mask", "src_key_padding_mask")


@finds(errors.MODULE_RUNTIME, errors.MODULE_ASSERTION, errors.MODULE_ARGUMENT)
def _mask(case: Case) -> Finding | None:
    """A mask of attention that was made for another length."""
    call = case.find(ast.Call)
    message = str(case.details.get("message", ""))
    if call is None or "mask" not in message:
        return None
    named = next((one for one in call.keywords if one.arg in _MASKS and shape_at(case, one.value)), None)
    given = named.value if named is not None else None
    shape = shape_at(case, given) if given is not None else None
    layer = case.value(call.func)
    second = isinstance(layer, Transformer) and named is not None and named.arg == "tgt_mask"
    if len(call.args) <= second or (named is not None and named.arg == "memory_mask"):
        return None
    steps = call.args[second]
    source = shape_at(case, steps)
    if given is None or shape is None or source is None or len(source) < 2 or len(shape) > 2:
        return None
    firsts = [one for one in (layer.modules() if isinstance(layer, Layer) else ()) if hasattr(one, "batch_first")]
    batched = bool(firsts and firsts[0].batch_first)
    at = 1 if batched and len(source) > 2 else 0
    length = source[at]
    if list(shape) == [length, length]:
        return None
    made = definition(case, given)
    told = size_told(case, given, shape[-1])
    square = len(shape) == 2 and shape[0] == shape[1]
    within = second and case.enclosing(call, ast.FunctionDef) is not None
    written = _length_of(case, given, steps, length, at)
    spelled = _size_named(case, steps, at, length) if within else written
    name = spelled or written
    text = f"{case.operand(given)}[:{name}, :{name}]"
    longer = square and shape[0] > length
    action = f"Cut it to the length, `{text}`, or make it for {length}" if longer else f"Make it for {length}"
    action_zh = f"请截成序列的长度 `{text}`，或按 {length} 创建" if longer else f"请按 {length} 创建"
    return finding(
        case,
        f"The mask {code(case, given)} (line {line(made)}) has the shape {list(shape)}{'; ' + told[0] if told[0] else ''}, and"
        f" {code(case, steps)} is a sequence of {length} steps (shape {list(source)}); a mask has one entry for each pair of steps."
        f" {action}.",
        f"掩码 {code(case, given)}（第 {line(made)} 行）的形状是 {list(shape)}{'；' + told[1] if told[1] else ''}，而 {code(case, steps)} 是长度为"
        f" {length} 的序列（形状 {list(source)}）；掩码要为每一对位置各有一项。{action_zh}。",
        case.fix(case.replace(given, text), call) if longer and spelled else (),
        made,
    )


def _length_of(case: Case, mask: ast.expr, source: ast.expr, length: int, dim: int) -> str:
    """How a function writes the length that what its object keeps is cut to; elsewhere the number."""
    kept = isinstance(mask, ast.Attribute) and isinstance(mask.value, ast.Name) and mask.value.id == "self"
    shown = f"{case.operand(source)}.size({dim})" if kept and isinstance(source, ast.Name) else str(length)
    return length_named(case, mask, length, shown) if kept else shown


@finds(errors.BCE_SIZE, errors.BCE_LOGITS_SIZE)
def _two_columns(case: Case) -> Finding | None:
    """Two outputs for a yes or no."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2 or not _is_loss(case, call):
        return None
    scores, target = shape_at(case, call.args[0]), shape_at(case, call.args[1])
    if (
        scores is None
        or target is None
        or len(scores) != 2
        or len(target) != 1
        or scores[0] != target[0]
        or scores[1] == 1
    ):
        return None
    layers = [
        layer
        for one in Flow(case).behind(call.args[0])
        if isinstance(one, ast.Call) and isinstance(model := case.value(one.func), Layer)
        for layer in model.modules()
        if getattr(layer, "out_features", None) == scores[1]
    ]
    made = maker_of(case, layers[-1]) if layers else None
    size = made.args[1] if made is not None and len(made.args) > 1 else None
    edits = [*case.replace(size, "1"), *case.followed(call.args[0], ".squeeze(1)")] if size is not None else []
    text = case.text(call.args[1])
    entropy = _entropy(case, call)
    where, where_zh = (
        (f" of {code(case, made)} on line {line(made)}", f"第 {line(made)} 行 {code(case, made)} 的")
        if made is not None
        else ("", "")
    )
    return finding(
        case,
        f"{code(case, call.args[0])} has {scores[1]} scores for each sample (the outputs{where}), and this loss takes one for each target of"
        f" `{text}`, the score of a yes. Make one output and write `.squeeze(1)` behind it; or keep one score for each class and use"
        f" `cross_entropy` with whole numbers, `{text}.long()`.",
        f"{code(case, call.args[0])} 对每个样本有 {scores[1]} 个得分（{where_zh}输出），而这个损失要求 `{text}` 的每个目标只有一个得分，即“是”的得分。请改成一个"
        f"输出，并在后面写 `.squeeze(1)`；或者保留每个类别一个得分，改用 `cross_entropy` 和整数目标 `{text}.long()`。",
        [case.fix(edits, size), entropy],
        made,
    )


def _is_loss(case: Case, call: ast.Call) -> bool:
    """Whether a loss is called: the error may be another one of the same family."""
    layer, made = case.value(call.func), definition(case, call.func)
    names = [
        type(layer).__name__ if isinstance(layer, Layer) else "",
        called(call),
        case.text(call.func),
        case.text(made),
    ]
    return any(word in name.lower() for word in ("loss", "entropy", "bce", "criterion") for name in names)


def _entropy(case: Case, call: ast.Call) -> Fix | None:
    """Cross-entropy in the place of a loss for a yes or no."""
    target = call.args[1]
    made = (
        call.func
        if isinstance(call.func, ast.Call)
        else case.assignment(call.func.id)
        if isinstance(call.func, ast.Name)
        else None
    )
    if isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and not made.args and not made.keywords:
        edits = case.rename_end(made.func, made.func.attr, "CrossEntropyLoss")
    elif isinstance(call.func, ast.Attribute) and len(call.args) == 2 and not call.keywords:
        edits = case.rename_end(call.func, call.func.attr, "cross_entropy")
    else:
        return None
    return case.fix([*edits, *case.followed(target, ".long()")], call)


# -- layers ------------------------------------------------------------------------------------------------------------


@finds(errors.MODULE_RUNTIME)
def _features_first(case: Case) -> Finding | None:
    """A recurrent layer whose input has the features in another dimension than the last."""
    call = case.find(ast.Call)
    layer = case.value(call.func) if call is not None else None
    if call is None or not call.args or type(layer).__name__ not in ("RNN", "GRU", "LSTM"):
        return None
    shape, size = shape_at(case, call.args[0]), int(layer.input_size)  # type: ignore[attr-defined]
    made = maker_of(case, layer) if isinstance(layer, Layer) else None
    if shape is None or made is None or len(shape) != 3 or size not in shape[:2] or shape[2] == size:
        return None
    at = shape.index(size)
    rest = [one for one in range(3) if one != at]
    orders = [(*rest, at), (*rest[::-1], at)]
    batched = bool(layer.batch_first)  # type: ignore[attr-defined]
    texts = [f".permute({', '.join(map(str, order))})" for order in orders]
    first, second = argument_of(made, 0, "input_size"), f"{shape[2]}"
    layout = "(batch, steps, features)" if batched else "(steps, batch, features)"
    layout_zh = "（批量，步，特征）" if batched else "（步，批量，特征）"
    fixes = [
        case.fix(case.followed(call.args[0], texts[0]), call),
        write(case, first, second, made) if first is not None else None,
    ]
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} takes {layout} with {size} features, and {code(case, call.args[0])} has the shape"
        f" {list(shape)}: {shape[2]} stand last, and {size} in dimension {at}. If those are the features, move them last: `{texts[0]}`; if"
        f" there are {shape[2]} features, make the layer for {shape[2]}.",
        f"第 {line(made)} 行的 {code(case, made)} 要求 {layout_zh}，特征有 {size} 个，而 {code(case, call.args[0])} 的形状是 {list(shape)}：最后一维是 {shape[2]}，"
        f"第 {at} 维才是 {size}。如果那一维是特征，请移到最后：`{texts[0]}`；如果特征有 {shape[2]} 个，请按 {shape[2]} 创建这一层。",
        fixes,
        made,
    )


@finds(errors.INDEX_RANGE, errors.MODULE_RUNTIME, errors.MODULE_ARGUMENT, errors.SELECT_RANGE)
def _one_state(case: Case) -> Finding | None:
    """The state of an LSTM is a pair."""
    call = case.find(ast.Call)
    layer = case.value(call.func) if call is not None else None
    if call is None or len(call.args) != 2 or type(layer).__name__ not in ("LSTM", "LSTMCell"):
        return None
    state = call.args[1]
    if shape_at(case, state) is None:
        return None
    where, where_zh = place(case, state)
    text = f"({case.text(state)}, torch.zeros_like({case.text(state)}))"
    return finding(
        case,
        f"{code(case, state)}{where} is one tensor, and the state of an LSTM is a pair: the hidden state and the cell state. Give both:"
        f" `{text}`.",
        f"{code(case, state)}{where_zh} 只是一个张量，而 LSTM 的状态是一对：隐藏状态和细胞状态。请两个都给出：`{text}`。",
        case.fix(case.replace(state, text), call),
        state,
    )


@finds(errors.SHAPE_BROADCAST)
def _transposed_convolution(case: Case) -> Finding | None:
    """The output of a decoder that is one smaller than the image."""
    node = case.find(ast.BinOp) or case.find(ast.Call)
    sides = (
        [node.left, node.right] if isinstance(node, ast.BinOp) else node.args[:2] if isinstance(node, ast.Call) else []
    )
    shapes = [shape_at(case, one) for one in sides]
    if (
        len(sides) != 2
        or shapes[0] is None
        or shapes[1] is None
        or len(shapes[0]) != len(shapes[1])
        or len(shapes[0]) < 3
    ):
        return None
    for own, other in ((0, 1), (1, 0)):
        made = _last_up(case, sides[own])
        if made is None:
            continue
        missing = (shapes[other] or (0,))[-1] - (shapes[own] or (0,))[-1]
        call, layer = made
        stride = int(layer.stride[0])
        if not 0 < missing < stride or any(one.arg == "output_padding" for one in call.keywords):
            return None
        text = f"output_padding={missing}"
        return finding(
            case,
            f"{code(case, call)} on line {line(call)} gives images of {(shapes[own] or (0,))[-1]}, and {code(case, sides[other])} has"
            f" {(shapes[other] or (0,))[-1]}: with stride {stride} two sizes of the input become the same, and it takes the smaller back."
            f" Say which: `{text}`.",
            f"第 {line(call)} 行的 {code(case, call)} 给出的图片大小是 {(shapes[own] or (0,))[-1]}，而 {code(case, sides[other])} 是"
            f" {(shapes[other] or (0,))[-1]}：步长为 {stride} 时，两种大小的输入会变成同样大小，还原时取了较小的那个。请说明是哪一个：`{text}`。",
            case.fix(case.argument(call, text), call),
            call,
        )
    return None


def _last_up(case: Case, node: ast.expr) -> tuple[ast.Call, Layer] | None:
    """The last transposed convolution on the way to a value."""
    for one in Flow(case).behind(node):
        layer = case.value(one.func) if isinstance(one, ast.Call) else None
        if not isinstance(layer, Layer):
            continue
        ups = [part for part in layer.modules() if type(part).__name__.startswith("ConvTranspose")]
        made = maker_of(case, ups[-1]) if ups else None
        if made is not None:
            return made, ups[-1]
    return None
