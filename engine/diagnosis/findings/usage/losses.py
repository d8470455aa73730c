"""Losses and attention: weights of another size, targets that are shifted, classes that mean nothing, masks without a"
" dimension for heads."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow


def _setting(case: Case, call: ast.Call, names: tuple[str, ...]) -> ast.expr | None:
    """An argument of a loss, in the call or where the loss was made."""
    made = definition(case, call.func) if not isinstance(call.func, ast.Call) else call.func
    calls = [call, *([made] if isinstance(made, ast.Call) else [])]
    return next((word.value for one in calls for word in one.keywords if word.arg in names), None)


@finds(errors.SHAPE_BROADCAST)
def _weights_of_classes(case: Case) -> Finding | None:
    """``BCEWithLogitsLoss(pos_weight=...)`` of another number of columns."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2:
        return None
    scores, target = shape_at(case, call.args[0]), shape_at(case, call.args[1])
    given = _setting(case, call, ("pos_weight", "weight"))
    shape = shape_at(case, given) if given is not None else None
    if (
        scores is None
        or scores != target
        or given is None
        or shape is None
        or not shape
        or shape[-1] in (1, scores[-1])
    ):
        return None
    word = (
        "pos_weight"
        if any(one.arg == "pos_weight" for each in case.nodes(ast.Call) for one in each.keywords if one.value is given)
        else "weight"
    )
    return finding(
        case,
        f"{code(case, given)} (line {line(given)}) gives {shape[-1]} weights, and {code(case, call.args[0])} (shape"
        f" {list(scores)}) has {scores[-1]} columns; `{word}` has one number for each of"
        f" them. Give it {scores[-1]} numbers.",
        f"{code(case, given)}（第 {line(given)} 行）给出 {shape[-1]} 个权重，而 {code(case, call.args[0])}（形状"
        f" {list(scores)}）有 {scores[-1]} 列；`{word}` 要为每一列给一个数。请给出 {scores[-1]} 个数。",
        (),
        given,
    )


@finds(errors.TARGET_BATCH, errors.TARGET_SIZE)
def _shifted(case: Case) -> Finding | None:
    """``cross_entropy(logits[:, :-1]..., ids...)``: the targets are the tokens from the second on."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2:
        return None
    cut = _cut(case, call.args[0], last=True)
    if cut is None or _cut(case, call.args[1], last=False) is not None:
        return None
    names = [
        one
        for one in ast.walk(call.args[1])
        if isinstance(one, ast.Name) and isinstance(Flow(case).tensor(one), object) and shape_at(case, one) is not None
    ]
    if len(names) != 1 or len(shape_at(case, names[0]) or ()) != 2:
        return None
    text = f"{names[0].id}[:, 1:]"
    return finding(
        case,
        f"{code(case, cut)} on line {line(cut)} leaves the last step of the scores out, for nothing follows it, and the targets"
        f" `{names[0].id}` (shape {list(shape_at(case, names[0]) or ())}) still have all"
        f" steps. The target of a step is the token behind it: leave the first out, `{text}`.",
        f"第 {line(cut)} 行的 {code(case, cut)} 去掉了得分的最后一步，因为后面没有内容了，而目标 `{names[0].id}`（形状"
        f" {list(shape_at(case, names[0]) or ())}）仍有全部步。每一步的目标是它后面的那个词：请去掉第一个，`{text}`。",
        write(case, names[0], text, call),
        names[0],
    )


def _cut(case: Case, node: ast.expr, *, last: bool) -> ast.Subscript | None:
    """``x[:, :-1]`` or ``x[:, 1:]`` behind an expression."""
    for one in (each for outer in (node, definition(case, node)) for each in ast.walk(outer)):
        match one:
            case ast.Subscript(slice=ast.Tuple(elts=[ast.Slice(), ast.Slice(lower=low, upper=high), *_])):
                text = (
                    case.text(high)
                    if last and high is not None
                    else case.text(low)
                    if not last and low is not None
                    else ""
                )
                if text == ("-1" if last else "1"):
                    return one
    return None


@finds(errors.TARGET_RANGE)
def _nothing_class(case: Case) -> Finding | None:
    """Targets of -1 for what has no label."""
    call = case.find(ast.Call)
    target = Flow(case).tensor(call.args[1]) if call is not None and len(call.args) > 1 else None
    if call is None or target is None or int(target._a.min()) != -1:
        return None
    scores = shape_at(case, call.args[0])
    if scores is None or int(target._a.max()) >= scores[1 if len(scores) > 1 else 0]:
        return None
    made = definition(case, call.args[1])
    inner = call.func if isinstance(call.func, ast.Call) else definition(case, call.func)
    holder = call if called(call) in ("cross_entropy", "nll_loss") else inner if isinstance(inner, ast.Call) else None
    text = "ignore_index=-1"
    where = f" (line {line(made)})" if line(made) != line(call) else ""
    where_zh = f"（第 {line(made)} 行）" if where else ""
    return finding(
        case,
        f"{code(case, call.args[1])}{where} has -1 among its classes, and they are numbered from 0 on. If -1 stands for what has"
        f" no class, such as padding, say that it does not count: `{text}`.",
        f"{code(case, call.args[1])}{where_zh} 里有类别 -1，而类别从 0 开始编号。如果 -1 表示没有类别（例如填充），"
        f"请说明不计入损失：`{text}`。",
        case.fix(case.argument(holder, text), holder) if holder is not None else (),
        made,
    )


@finds(errors.SHAPE_BROADCAST)
def _mask_without_heads(case: Case) -> Finding | None:
    """``scaled_dot_product_attention(q, k, v, attn_mask=mask)`` of a mask for each sample."""
    call = case.find(ast.Call)
    if call is None or called(call) != "scaled_dot_product_attention" or len(call.args) < 3:
        return None
    given = next(
        (one.value for one in call.keywords if one.arg == "attn_mask"), call.args[3] if len(call.args) > 3 else None
    )
    shape, query, key = (
        (shape_at(case, given) if given is not None else None),
        shape_at(case, call.args[0]),
        shape_at(case, call.args[1]),
    )
    if given is None or shape is None or query is None or key is None or len(query) != 4:
        return None
    wanted = [query[2], key[2]]
    made = definition(case, given)
    where = f" (line {line(made)})" if line(made) != line(call) else ""
    where_zh = f"（第 {line(made)} 行）" if where else ""
    if len(shape) == 3 and [*shape[1:]] == wanted and shape[0] == query[0]:
        text = f"{case.operand(given)}.unsqueeze(1)"
        return finding(
            case,
            f"{code(case, given)}{where} has the shape {list(shape)}, (batch, steps, steps), and the scores have a dimension for the"
            f" {query[1]} heads between: {[query[0], query[1], *wanted]}. Add one of"
            f" size 1 there: `{text}`.",
            f"{code(case, given)}{where_zh} 的形状是 {list(shape)}，即（批量，步数，步数），而得分在中间还有 {query[1]} 个头这一维："
            f"{[query[0], query[1], *wanted]}。请在那里加一个大小为 1 的维：`{text}`。",
            case.fix(case.followed(given, ".unsqueeze(1)"), call),
            made,
        )
    return finding(
        case,
        f"{code(case, given)}{where} has the shape {list(shape)}, and the scores of {query[2]} queries and {key[2]} keys have the"
        f" shape {[query[0], query[1], *wanted]}; a mask has these last two sizes,"
        f" {wanted}, and 1 or nothing before. Make it for them.",
        f"{code(case, given)}{where_zh} 的形状是 {list(shape)}，而 {query[2]} 个查询和 {key[2]} 个键的得分形状是"
        f" {[query[0], query[1], *wanted]}；掩码最后两维应为 {wanted}，前面是 1 或没有。请按此创建。",
        (),
        made,
    )
