"""The dimension that was meant: a sum over the wrong one, classes that stand last, one that is missing in a join."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, is_simple, iterated
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.layers import maker_of, running, written
from gradflow.engine.diagnosis.findings.operands.batches import model_call
from gradflow.engine.diagnosis.findings.practice.emptiness import length_of
from gradflow.engine.diagnosis.findings.sizes_written import written_at
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of


@finds(errors.TARGET_SIZE)
def _classes_last(case: Case) -> Finding | None:
    """Scores of shape (batch, places, classes) for a loss that has the classes in dimension 1."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2:
        return None
    flow = Flow(case)
    scores, target = flow.tensor(call.args[0]), flow.tensor(call.args[1])
    if scores is None or target is None or scores.dim() < 3:
        return None
    own, other = tuple(map(int, scores.shape)), tuple(map(int, target.shape))
    if own[:-1] != other:
        return None
    last = scores.dim() - 1
    text = ".transpose(1, 2)" if last == 2 else f".permute(0, {last}, {', '.join(map(str, range(1, last)))})"
    return finding(
        case,
        f"{code(case, call.args[0])} has the shape {list(own)}, with the scores of the {own[-1]} classes last, and cross-entropy"
        f" looks for the classes in dimension 1, behind the batch. Move them there: `{text}`.",
        f"{code(case, call.args[0])} 的形状是 {list(own)}，{own[-1]} 个类别的得分排在最后，而交叉熵要求类别在第 1 维，紧跟在批量之后。请移到那里："
        f"`{text}`。",
        case.fix(case.followed(call.args[0], text), call),
        call.args[0],
    )


@finds(errors.TARGET_BATCH)
def _one_row_each(case: Case) -> Finding | None:
    """Scores of shape (batch * places, classes), and a target of shape (batch, places)."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2:
        return None
    flow = Flow(case)
    scores, target = flow.tensor(call.args[0]), flow.tensor(call.args[1])
    if scores is None or target is None or scores.dim() != 2 or target.dim() < 2:
        return None
    if int(scores.shape[0]) != target.numel() or target.dtype.is_floating_point:
        return None
    return finding(
        case,
        f"{code(case, call.args[0])} has {int(scores.shape[0])} rows of scores, and {code(case, call.args[1])} holds as many class"
        f" numbers, but in the shape {list(target.shape)}. Lay them in one row: `.reshape(-1)`.",
        f"{code(case, call.args[0])} 有 {int(scores.shape[0])} 行得分，{code(case, call.args[1])} 里的类别编号也是这么多，但形状是"
        f" {list(target.shape)}。请排成一行：`.reshape(-1)`。",
        case.fix(case.followed(call.args[1], ".reshape(-1)"), call),
        call.args[1],
    )


@finds(errors.CAT_DIMENSIONS)
def _missing_dimension(case: Case) -> Finding | None:
    """``torch.cat([matrix, vector], dim=1)``: the vector lacks a dimension of size 1."""
    call = case.find(ast.Call)
    listed = call.args[0] if call is not None and call.args else None
    if call is None or not isinstance(listed, ast.List | ast.Tuple):
        return None
    flow = Flow(case)
    tensors = [flow.tensor(one) for one in listed.elts]
    shapes = [tuple(map(int, one.shape)) for one in tensors if one is not None]
    dim = written(argument_of(call, 1, "dim")) if argument_of(call, 1, "dim") is not None else 0
    if len(shapes) != len(listed.elts) or not isinstance(dim, int):
        return None
    longest = max(shapes, key=len)
    if not -len(longest) <= dim < len(longest):
        return None
    edits, shown = [], None
    for part, shape in zip(listed.elts, shapes, strict=True):
        if len(shape) == len(longest):
            continue
        places = [at for at in range(len(longest)) if _fits((*shape[:at], 1, *shape[at:]), longest, dim % len(longest))]
        if not places or len(shape) != len(longest) - 1:
            return None
        text = f".unsqueeze({dim % len(longest) if dim % len(longest) in places else places[0]})"
        edits += case.followed(part, text)
        shown = shown or (part, shape, text)
    if shown is None:
        return None
    part, shape, text = shown
    return finding(
        case,
        f"{code(case, part)} has the shape {list(shape)} and the other {list(longest)}; what is joined must have the same number"
        f" of dimensions. Add the missing one, of size 1: `{case.text(part)}{text}`.",
        f"{code(case, part)} 的形状是 {list(shape)}，另一个是 {list(longest)}；拼接要求维数相同。请补上缺少的那一维，大小为 1："
        f"`{case.text(part)}{text}`。",
        case.fix(edits, call),
        part,
    )


def _fits(shape: tuple[int, ...], other: tuple[int, ...], dim: int) -> bool:
    return all(a == b for at, (a, b) in enumerate(zip(shape, other, strict=True)) if at != dim)


_FLATTENING: Final = ("squeeze", "flatten", "view", "reshape")


@finds(errors.GATHER_SHAPE)
def _one_index_each(case: Case) -> Finding | None:
    """``q.gather(1, actions)`` with one index for each row."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    flow = Flow(case)
    of_torch = isinstance(call.func.value, ast.Name) and call.func.value.id == case.module_alias("torch")
    own = call.args[0] if of_torch and call.args else call.func.value
    dim, index = argument_of(call, int(of_torch), "dim"), argument_of(call, 1 + of_torch, "index")
    source, places = flow.tensor(own), flow.tensor(index) if index is not None else None
    if source is None or places is None or index is None or places.dim() != source.dim() - 1 or not places.dim():
        return None
    number = written(dim)
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    at = number % source.dim()
    if (rows := _one_index_a_row(case, call, of_torch, index, at)) is not None:
        return rows
    outer = case.parents.get(call)
    taken = call.func.attr.startswith("scatter") or (isinstance(outer, ast.Attribute) and outer.attr in _FLATTENING)
    match outer:
        case ast.Assign(targets=[ast.Name(id=name)]):
            taken = taken or any(
                case.text(one.value) == name and one.attr in _FLATTENING for one in case.nodes(ast.Attribute)
            )
    edits = [*case.followed(index, f".unsqueeze({at})"), *([] if taken else case.after(call, f".squeeze({at})"))]
    also = "" if taken else f", and take it away from the result: `.squeeze({at})`"
    also_zh = "" if taken else f"，再从结果里去掉它：`.squeeze({at})`"
    return finding(
        case,
        f"{code(case, index)} has the shape {list(places.shape)} and {code(case, own)} {list(source.shape)}; `{call.func.attr}` needs"
        f" indices with as many dimensions. Add dimension {at}: `.unsqueeze({at})`{also}.",
        f"{code(case, index)} 的形状是 {list(places.shape)}，{code(case, own)} 是 {list(source.shape)}；`{call.func.attr}` 要求下标的维数与之相同。请加上"
        f"第 {at} 维：`.unsqueeze({at})`{also_zh}。",
        case.fix(edits, call),
        index,
    )


def _one_index_a_row(case: Case, call: ast.Call, of_torch: bool, index: ast.expr, at: int) -> Finding | None:
    """``out.scatter_add_(0, dst, msg)`` with one index for each row of what is added, as for the edges of a graph."""
    added, flow = argument_of(call, 2 + of_torch, "src"), Flow(case)
    places, given = flow.tensor(index), flow.tensor(added) if added is not None else None
    if added is None or places is None or given is None or at or not is_simple(added):
        return None
    if given.dim() != 2 or places.dim() != 1 or given.shape[0] != places.shape[0]:
        return None
    text = f".unsqueeze(1).expand_as({case.text(added)})"
    name, shape, rows = case.text(call.func).rpartition(".")[2], list(given.shape), places.shape[0]
    return finding(
        case,
        f"{code(case, index)} holds one index for each of the {rows} rows of {code(case, added)} (shape {shape}), and `{name}` needs"
        f" one for each of its elements. Give a whole row the same index: `{case.text(index)}{text}`.",
        f"{code(case, index)} 为 {code(case, added)}（形状 {shape}）的 {rows} 行各给出一个下标，而 `{name}` 要求每个元素各有一个。请让整行使用同一个"
        f"下标：`{case.text(index)}{text}`。",
        case.fix(case.followed(index, text), call),
        index,
    )


@finds(errors.DIM_RANGE)
def _new_dimension(case: Case) -> Finding | None:
    """``x.unsqueeze(3)`` of a matrix."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr != "unsqueeze":
        return None
    held = Flow(case).tensor(call.func.value)
    if held is None:
        return None
    owner, count = case.text(call.func.value), held.dim()
    return finding(
        case,
        f"`{owner}` has {count} dimension{'s' * (count != 1)} (shape {list(held.shape)}), so a new one can stand in the places 0 to {count}. Before the"
        f" first it is `{owner}.unsqueeze(0)`, behind the last `{owner}.unsqueeze({count})`.",
        f"`{owner}` 有 {count} 维（形状 {list(held.shape)}），所以新的一维可以放在第 0 到第 {count} 的位置。放在最前面是 `{owner}.unsqueeze(0)`，放在最后面是"
        f" `{owner}.unsqueeze({count})`。",
        None,
    )


@finds(errors.CONV_INPUT)
def _one_image(case: Case) -> Finding | None:
    """A picture of two dimensions for a convolution of one channel."""
    outer, call = running(case)
    given = Flow(case).tensor(call.args[0]) if call is not None and call.args else None
    kinds = {"Conv1d": 1, "Conv2d": 2, "Conv3d": 3}
    layers = [one for one in (outer.modules() if outer is not None else ()) if type(one).__name__ in kinds]
    if call is None or given is None or not layers:
        return None
    channels, wanted = int(layers[0].in_channels), kinds[type(layers[0]).__name__]
    if given.dim() != wanted or channels != 1:
        return None
    shape = list(given.shape)
    return finding(
        case,
        f"{code(case, call.args[0])} has the shape {shape}, and a convolution takes the channels in front of that, with a batch"
        f" before them if there is one. Add the one channel: `.unsqueeze(0)`.",
        f"{code(case, call.args[0])} 的形状是 {shape}，而卷积要求前面还有通道维（有批量时批量在最前）。请加上唯一的通道：`.unsqueeze(0)`。",
        case.fix(case.followed(call.args[0], ".unsqueeze(0)"), call),
        call.args[0],
    )


@finds(errors.BATCH_VALUES)
def _one_sample(case: Case) -> Finding | None:
    """Batch normalisation of a batch of one."""
    outer, call = running(case)
    if outer is None or call is None or not call.args:
        return None
    given = Flow(case).tensor(call.args[0])
    norms = [one for one in outer.modules() if type(one).__name__.startswith(("BatchNorm", "InstanceNorm"))]
    made = maker_of(case, norms[0]) if norms else None
    owner = _outermost(case, call)
    if given is None or made is None:
        return None
    if (left := _left_over(case, call.args[0], made)) is not None:
        return left
    return finding(
        case,
        f"{code(case, call.args[0])} has the shape {list(given.shape)}, one sample, and {code(case, made)} on line {line(made)} takes"
        f" mean and variance over the samples of a batch, which one alone has not. Train with larger batches (`drop_last=True` in"
        f" a loader); for a prediction call `{owner}.eval()` first.",
        f"{code(case, call.args[0])} 的形状是 {list(given.shape)}，只有一个样本，而第 {line(made)} 行的 {code(case, made)} 要对一批样本求均值和"
        f"方差，只有一个时无法计算。训练时请用更大的批量（加载器可写 `drop_last=True`）；如果只是预测，请先调用 `{owner}.eval()`。",
        (),
        made,
    )


def _left_over(case: Case, given: ast.expr, norm: ast.Call) -> Finding | None:
    """The last batch of a loader, which has one sample."""
    whole = model_call(case)
    loop = case.enclosing(whole if whole is not None else given, ast.For)
    source = iterated(loop) if loop is not None else None
    loader = case.value(source) if source is not None else None
    made = definition(case, source) if source is not None else None
    size, data = getattr(loader, "batch_size", None), length_of(getattr(loader, "dataset", None))
    if not isinstance(made, ast.Call) or not isinstance(size, int) or size < 2 or (data or size + 1) % size != 1:
        return None
    if source is None or called(made) != "DataLoader" or getattr(loader, "drop_last", False):
        return None
    count, count_zh = (f"{data} samples", f"{data} 个样本") if data is not None else ("The samples", "样本")
    return finding(
        case,
        f"{count} in batches of {size} ({code(case, made)}, line {line(made)}) leave one for the last batch, and {code(case, norm)} on line"
        f" {line(norm)} takes mean and variance over the samples of a batch, which one alone has not. Leave it out of the training: `drop_last=True`.",
        f"{count_zh}按每批 {size} 个来分（{code(case, made)}，第 {line(made)} 行），最后一批只剩一个，而第 {line(norm)} 行的 {code(case, norm)} 要对一批样本求均值和方差，"
        f"只有一个时无法计算。训练时请去掉它：`drop_last=True`。",
        case.fix(case.argument(made, "drop_last=True"), made),
        made,
    )


def _outermost(case: Case, call: ast.Call) -> str:
    """The model of the program, where a layer inside of it failed."""
    if isinstance(call.func, ast.Name):
        return call.func.id
    held = [name for name, value in case.values.items() if isinstance(value, Layer) and name != "self"]
    return held[0] if len(held) == 1 else case.text(call.func)


@finds(errors.MODULE_ASSERTION)
def _heads(case: Case) -> Finding | None:
    """A width that cannot be divided among the heads."""
    call = case.find(ast.Call)
    if call is None or "divisible by num_heads" not in str(case.details.get("message")):
        return None
    first, second = argument_of(call, 0, "embed_dim"), argument_of(call, 1, "num_heads")
    width, heads = case.value(first), case.value(second)
    if not isinstance(width, int) or not isinstance(heads, int) or first is None or second is None or width < 1:
        return None
    fitting = [one for one in range(1, width + 1) if width % one == 0]
    nearest = min(fitting, key=lambda one: (abs(one - heads), one))
    others = sorted({max(1, width // heads) * heads, (width // heads + 1) * heads})
    told = [written_at(case, one, value) for one, value in ((first, width), (second, heads))]
    shown = ", ".join(map(str, fitting[:8]))
    wide = " or ".join(map(str, others))
    fixes = [
        apply(case, case.replace(one, str(value)), f"{value} {word}", f"{value} {word_zh}")
        for one, value, word, word_zh in (
            (told[1], nearest, "heads", "个头"),
            (told[0], min(others, key=lambda one: (abs(one - width), -one)), "features", "个特征"),
        )
        if isinstance(one, ast.Constant)
    ]
    return finding(
        case,
        f"Attention divides its {width} features{_on(told[0])[0]} evenly among the {heads} heads{_on(told[1])[0]}, and {width} is no multiple of {heads}. Choose a number of"
        f" heads that divides {width} ({shown}), or another width, such as {wide}.",
        f"注意力要把 {width} 个特征{_on(told[0])[1]}平均分给 {heads} 个头{_on(told[1])[1]}，而 {width} 不是 {heads} 的倍数。请选择能整除 {width} 的头数"
        f"（{shown.replace(', ', '、')}），或者换一个宽度，例如 {wide.replace(' or ', ' 或 ')}。",
        fixes,
        told[0] or told[1],
    )


def _on(place: ast.expr | None) -> tuple[str, str]:
    return (f" (line {line(place)})", f"（第 {line(place)} 行）") if place is not None else ("", "")


@finds(errors.INVALID_COMBINATION)
def _one_branch(case: Case) -> Finding | None:
    """``torch.where(condition, x)``."""
    call = case.find(ast.Call)
    if call is None or getattr(call.func, "attr", "") != "where" or len(call.args) != 2 or call.keywords:
        return None
    text = f"{case.text(call.func)}({case.text(call.args[0])}, {case.text(call.args[1])}, 0.)"
    return finding(
        case,
        f"`where` chooses between two values, and is given {code(case, call.args[1])} for where the condition holds and nothing for"
        f" where it does not. Add that: `{text}` puts 0 there.",
        f"`where` 在两个值之间选择，这里只给了条件成立时的 {code(case, call.args[1])}，没有给不成立时的值。请补上：`{text}` 表示取 0。",
        case.fix(case.argument(call, "0."), call),
    )


@finds(errors.DOT_DIMENSIONS)
def _row_and_matrix(case: Case) -> Finding | None:
    """``torch.dot(a[i], b)`` for ``torch.dot(a[i], b[i])``."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    flow = Flow(case)
    pair = call.args[:2] if len(call.args) > 1 else [call.func.value, *call.args]
    shapes = [tuple(map(int, held.shape)) for one in pair if (held := flow.tensor(one)) is not None]
    if len(shapes) != 2:
        return None
    wide = 0 if len(shapes[0]) > len(shapes[1]) else 1
    other = pair[1 - wide]
    if not isinstance(other, ast.Subscript) or not isinstance(other.slice, ast.Name | ast.Constant):
        return None
    text = f"{case.operand(pair[wide])}[{case.text(other.slice)}]"
    return finding(
        case,
        f"`dot` multiplies two vectors, and {code(case, pair[wide])} has the shape {list(shapes[wide])}, {code(case, other)}"
        f" {list(shapes[1 - wide])}. Write the row that belongs to it: `{text}`.",
        f"`dot` 计算两个向量的内积，而 {code(case, pair[wide])} 的形状是 {list(shapes[wide])}，{code(case, other)} 是 {list(shapes[1 - wide])}。请写与之"
        f"对应的那一行：`{text}`。",
        case.fix(case.replace(pair[wide], text), call),
        pair[wide],
    )


@finds(errors.CLASS_WEIGHTS)
def _weight_for_each(case: Case) -> Finding | None:
    """Weights of a loss for another number of classes."""
    call = case.find(ast.Call)
    made = case.assignment(call.func.id) if call is not None and isinstance(call.func, ast.Name) else call
    given = (
        next((one.value for one in made.keywords if one.arg == "weight"), None) if isinstance(made, ast.Call) else None
    )
    scores = Flow(case).tensor(call.args[0]) if call is not None and call.args else None
    held = Flow(case).tensor(given) if given is not None else None
    if given is None or held is None or scores is None or scores.dim() < 2 or call is None:
        return None
    source = case.assignment(given.id) if isinstance(given, ast.Name) else given
    return finding(
        case,
        f"{code(case, given)} (line {line(source or given)}) has {held.numel()} weights, and {code(case, call.args[0])} has scores for"
        f" {int(scores.shape[1])} classes. Give one weight for each class.",
        f"{code(case, given)}（第 {line(source or given)} 行）有 {held.numel()} 个权重，而 {code(case, call.args[0])} 有 {int(scores.shape[1])} 个类别"
        f"的得分。请为每个类别各给一个权重。",
        (),
        source,
    )
