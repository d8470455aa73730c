"""Steps of sequences: the last of them for a loss, states that are pairs or of both directions, tables that are longer than the sequence."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.layers import failing_linear, maker_of, running
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor

_MOST_BEHIND: Final = 40
_RECURRENT = ("RNN", "GRU", "LSTM")


def _behind(case: Case, node: ast.expr, most: int = 40) -> list[ast.Call]:
    found = []
    for count, one in enumerate(Flow(case).behind(node)):
        if count > most:
            break
        if isinstance(one, ast.Call) and type(case.value(one.func)).__name__ in _RECURRENT:
            found.append(one)
    return found


def _target_of(case: Case, call: ast.Call) -> tuple[list[ast.expr], ast.Assign] | None:
    """The names that take what a recurrent layer gives."""
    for one in case.nodes(ast.Assign):
        if one.value is call and isinstance(one.targets[0], ast.Tuple):
            return one.targets[0].elts, one
    return None


@finds(errors.TARGET_SIZE, errors.TARGET_BATCH)
def _all_steps_for_one_target(case: Case) -> Finding | None:
    """Scores of every step, or of every layer, and one class for each sample."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2:
        return None
    scores, target = shape_at(case, call.args[0]), shape_at(case, call.args[1])
    runs = _behind(case, call.args[0])
    if scores is None or target is None or len(scores) != 3 or len(target) != 1 or not runs:
        return None
    run = runs[0]
    layer = case.value(run.func)
    names = _target_of(case, run)
    if not isinstance(layer, Layer) or names is None:
        return None
    used = _given_on(case, call.args[0], [one for one in names[0] if isinstance(one, ast.Name)])
    if used is None:
        return None
    first = bool(layer.__dict__.get("batch_first"))
    output = names[0][0]
    is_output = isinstance(output, ast.Name) and used.id == output.id
    if is_output and scores[0 if first else 1] == target[0]:
        part = f"{used.id}[:, -1]" if first else f"{used.id}[-1]"
        steps = scores[1 if first else 0]
        en = f"`{used.id}` holds the output of all {steps} steps, so there are scores of every step, shape {list(scores)}"
        zh = f"`{used.id}` 里是全部 {steps} 步的输出，所以每一步都有得分，形状是 {list(scores)}"
        what, what_zh = "the last step", "最后一步"
    elif not is_output and scores[1] == target[0]:
        part = f"{used.id}[-1]"
        en = f"`{used.id}` holds the state of each of the {scores[0]} layers or directions, so there are scores of each of them, shape {list(scores)}"
        zh = f"`{used.id}` 里是 {scores[0]} 层（或方向）各自的状态，所以每一层都有得分，形状是 {list(scores)}"
        what, what_zh = "the last one", "最后一个"
    else:
        return None
    return finding(
        case,
        f"{en}, and {code(case, call.args[1])} has one class for each of the {target[0]} samples. Take {what}: `{part}`.",
        f"{zh}，而 {code(case, call.args[1])} 为 {target[0]} 个样本各给一个类别。请取{what_zh}：`{part}`。",
        write(case, used, part, case.statement(used)),
        used,
    )


def _given_on(case: Case, node: ast.expr, names: list[ast.Name]) -> ast.Name | None:
    """Where one of some names is used on the way to a value."""
    ids = {one.id for one in names if one.id != "_"}
    for one in Flow(case).behind(node):
        if isinstance(one, ast.Name) and one.id in ids and isinstance(one.ctx, ast.Load):
            return one
    return None


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _pair_cut_off(case: Case) -> Finding | None:
    """``h = h.detach()`` of the state of an LSTM."""
    node = case.find(ast.Attribute)
    held = case.value(node.value) if node is not None else None
    if node is None or node.attr not in ("detach", "detach_", "data", "clone") or not isinstance(node.value, ast.Name):
        return None
    if not isinstance(held, tuple) or not held or not all(isinstance(one, Tensor) for one in held):
        return None
    call = case.parents.get(node)
    if node.attr == "data" or not isinstance(call, ast.Call) or call.args or call.keywords:
        return None
    name = node.value.id
    text = f"tuple(one.{node.attr}() for one in {name})"
    made = next(
        (one for one in Flow(case).assigned(node.value, name) if isinstance(one, ast.Call) and one is not call), node
    )
    return finding(
        case,
        f"`{name}` is a tuple of {len(held)} tensors (line {line(made)}), as the state of an LSTM is, and `{node.attr}` belongs to each of them. Do it for"
        f" each: `{text}`.",
        f"`{name}` 是由 {len(held)} 个张量组成的元组（第 {line(made)} 行），LSTM 的状态就是这样，而 `{node.attr}` 属于其中的每一个。请逐个处理：`{text}`。",
        write(case, call, text, case.statement(call)),
        node,
    )


@finds(errors.MM_SHAPE)
def _one_direction(case: Case) -> Finding | None:
    """``fc(h[-1])`` of both directions, of which that is the second alone."""
    outer, call = running(case)
    layer = failing_linear(case, outer)
    given = case.details.get("mat1")
    if layer is None or call is None or not call.args or not isinstance(given, list | tuple):
        return None
    for one in Flow(case).behind(call.args[0]):
        match one:
            case ast.Subscript(
                value=ast.Name() as state, slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1))
            ):
                pass
            case _:
                continue
        runs = _behind(case, state)
        cell = case.value(runs[0].func) if runs else None
        if not isinstance(cell, Layer) or not cell.__dict__.get("bidirectional") or layer.in_features != 2 * given[-1]:
            return None
        torch, _ = case.with_torch()
        text = f"{torch}.cat([{state.id}[-2], {state.id}[-1]], dim=-1)"
        made = maker_of(case, cell)
        where, where_zh = (f" (line {line(made)})", f"（第 {line(made)} 行）") if made is not None else ("", "")
        return finding(
            case,
            f"{code(case, one)} is the state of one direction, {given[-1]} numbers, and {code(case, runs[0].func)}{where} goes both ways; the layer takes the"
            f" {layer.in_features} of both. Put them side by side: `{text}`.",
            f"{code(case, one)} 只是一个方向的状态，{given[-1]} 个数，而 {code(case, runs[0].func)}{where_zh} 是双向的；这一层要两个方向的 {layer.in_features} 个数。请并排放在一起："
            f"`{text}`。",
            write(case, one, text, call) if "torch" in case.values else (),
            one,
        )
    return None


@finds(errors.SHAPE_BROADCAST)
def _table_too_long(case: Case) -> Finding | None:
    """``x + pe`` of a table of positions that is longer than the sequence."""
    node = case.find(ast.BinOp)
    if node is None or not isinstance(node.op, ast.Add):
        return None
    for table, other in ((node.right, node.left), (node.left, node.right)):
        long, x = shape_at(case, table), shape_at(case, other)
        if (
            long is None
            or x is None
            or not isinstance(table, ast.Name | ast.Attribute)
            or len(x) != 3
            or x[2] != long[-1]
        ):
            continue
        if len(long) == 3 and long[0] == 1 and long[1] > x[1]:
            text = f"{case.operand(table)}[:, :{{}}]"
        elif len(long) == 2 and long[0] > x[1]:
            text = f"{case.operand(table)}[:{{}}]"
        else:
            continue
        size = f"{case.operand(other)}.size(1)" if isinstance(other, ast.Name) else str(x[1])
        text = text.format(size)
        made = definition(case, table)
        if made is table:
            continue  # a buffer
        if not _of_positions(case, table):
            continue
        rows = long[-2]
        return finding(
            case,
            f"{code(case, table)} (line {line(made)}) has a row for each of {rows} places, and {code(case, other)} has {x[1]} steps (shape {list(x)}). Take"
            f" as many rows as there are steps: `{text}`.",
            f"{code(case, table)}（第 {line(made)} 行）为 {rows} 个位置各有一行，而 {code(case, other)} 有 {x[1]} 步（形状 {list(x)}）。请按步数取行：`{text}`。",
            write(case, table, text, node),
            made,
        )
    return None


_POSITIONS: Final = re.compile(r"pos|(?<![a-z])pe(?![a-z])|time|step|frame|sinus", re.I)


def _of_positions(case: Case, table: ast.expr) -> bool:
    """Whether a table is known to have a row for each place: it is called so, or was learned, or computed from the places."""
    if _POSITIONS.search(case.text(table)):
        return True
    for count, one in enumerate(Flow(case).behind(table)):
        if count > _MOST_BEHIND:
            return False
        if isinstance(one, ast.Call) and called(one) in ("Parameter", "Embedding", "sin", "cos"):
            return True
    return False


@finds(errors.INDEX_NOT_SCALAR, errors.ARGUMENT_TYPE, errors.ELEMENT_TYPE, errors.UNPACK)
def _sequence_for_length(case: Case) -> Finding | None:
    """``generate_square_subsequent_mask(x)``, which takes the number of steps."""
    call = case.find(ast.Call)
    if call is None or called(call) != "generate_square_subsequent_mask" or len(call.args) != 1:
        return None
    shape = shape_at(case, call.args[0])
    if shape is None or len(shape) < 2:
        return None
    x = case.text(call.args[0])
    texts = [f"{x}.size({dim})" for dim in (1, 0)]
    return finding(
        case,
        f"`{called(call)}` takes the number of steps, and {code(case, call.args[0])} is the sequence itself, of shape {list(shape)}. With the batch first"
        f" that number is `{texts[0]}`, with the steps first `{texts[1]}`.",
        f"`{called(call)}` 需要步数，而 {code(case, call.args[0])} 是序列本身，形状是 {list(shape)}。批量在前时步数是 `{texts[0]}`，步在前时是 `{texts[1]}`。",
        [write(case, call.args[0], one, call) for one in texts],
        call.args[0],
    )


@finds(errors.CTC_BATCH)
def _steps_come_first(case: Case) -> Finding | None:
    """CTC of log-probabilities with the batch first."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 3:
        return None
    scores, lengths = shape_at(case, call.args[0]), shape_at(case, call.args[2])
    if scores is None or lengths is None or len(scores) != 3 or len(lengths) != 1:
        return None
    if scores[0] != lengths[0] or scores[1] == lengths[0]:
        return None
    return finding(
        case,
        f"{code(case, call.args[0])} has the shape {list(scores)}, with the {lengths[0]} samples first, and CTC takes (steps, samples, classes). Change the"
        f" places of the first two: `.transpose(0, 1)`.",
        f"{code(case, call.args[0])} 的形状是 {list(scores)}，{lengths[0]} 个样本在最前，而 CTC 需要（步，样本，类别）。请交换前两维：`.transpose(0, 1)`。",
        case.fix(case.followed(call.args[0], ".transpose(0, 1)"), call),
        call.args[0],
    )


@finds(errors.SCALAR_TYPE)
def _weights_of_whole_numbers(case: Case) -> Finding | None:
    """``CrossEntropyLoss(weight=counts)`` of counts."""
    call = case.find(ast.Call)
    loss = (call.func if isinstance(call.func, ast.Call) else definition(case, call.func)) if call is not None else None
    if call is None:
        return None
    owner = loss if isinstance(loss, ast.Call) else call
    given = argument_of(owner, 0 if owner is loss else 2, "weight")
    held = Flow(case).tensor(given) if given is not None else None
    if given is None or held is None or held.dtype.is_floating_point:
        return None
    made = definition(case, given)
    text = f"{case.operand(given)}.float()"
    return finding(
        case,
        f"{code(case, given)} (line {line(made)}) holds whole numbers, and the weights of the classes are multiplied with the losses, which are floats."
        f" Convert them: `{text}`.",
        f"{code(case, given)}（第 {line(made)} 行）存的是整数，而类别的权重要与浮点数的损失相乘。请转换：`{text}`。",
        case.fix(case.followed(given, ".float()"), owner),
        given,
    )


_WORDS: Final = {
    **dict.fromkeys(("input_dim", "in_features", "input_features", "in_size", "n_input"), "input_size"),
    **dict.fromkeys(("hidden_dim", "hidden", "units", "hidden_units", "out_features", "n_hidden"), "hidden_size"),
    **dict.fromkeys(("n_layers", "layers", "nlayers", "num_layer"), "num_layers"),
    **dict.fromkeys(("bidirection", "bi"), "bidirectional"),
}


@finds(errors.UNEXPECTED_KEYWORD)
def _words_of_recurrent_layers(case: Case) -> Finding | None:
    """``nn.LSTM(input_dim=3, hidden_dim=4)``."""
    call = case.find(ast.Call)
    if call is None or "RNNBase" not in str(case.details.get("function", "")):
        return None
    wrong = [one for one in call.keywords if one.arg in _WORDS]
    if str(case.details.get("keyword", "")) not in [one.arg for one in wrong]:
        return None
    pairs = [(str(one.arg), _WORDS[str(one.arg)], case.text(one.value)) for one in wrong]
    edits = [edit for one in wrong for edit in case.replace(one, f"{_WORDS[str(one.arg)]}={case.text(one.value)}")]
    told = ", ".join(f"`{new}` for `{old}`" for old, new, _ in pairs)
    told_zh = "、".join(f"`{old}` 应为 `{new}`" for old, new, _ in pairs)
    return finding(
        case,
        f"{code(case, call.func)} calls its sizes otherwise: `input_size`, `hidden_size`, `num_layers`. Write {told}.",
        f"{code(case, call.func)} 的大小有另外的名字：`input_size`、`hidden_size`、`num_layers`。请改写：{told_zh}。",
        case.fix(edits, call),
        call,
    )
