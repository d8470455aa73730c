"""Functions whose arguments do not go together, with what would: a mode for the dimensions, as many as there are, a generator."""

from __future__ import annotations

import ast
import re
from typing import Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, place, shape_at
from gradflow.engine.diagnosis.findings.layers import constant, maker_of, running
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.language import python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of


def _name(call: ast.Call | None) -> str:
    return called(call) if call is not None else ""


_MODES: Final = {3: "linear", 4: "bilinear", 5: "trilinear"}


@finds(errors.INTERPOLATE_MODE_DIMENSIONS)
def _mode_for_dimensions(case: Case) -> Finding | None:
    """``interpolate(signal, mode="bilinear")`` of three dimensions."""
    call = case.find(ast.Call)
    given = next((one.value for one in call.keywords if one.arg == "mode"), None) if call is not None else None
    shape = shape_at(case, call.args[0]) if call is not None and call.args else None
    if call is None or given is None or shape is None or len(shape) not in _MODES:
        return None
    mode = _MODES[len(shape)]
    quote = case.text(given)[:1]
    text = f"mode={quote}{mode}{quote}"
    return finding(
        case,
        f"{code(case, call.args[0])} has {len(shape)} dimensions (shape {list(shape)}), batch and channels included, and {code(case, given)} is for"
        f" another number of them. For {len(shape)} write `{text}`.",
        f"{code(case, call.args[0])} 有 {len(shape)} 维（形状 {list(shape)}，包括批量和通道），而 {code(case, given)} 用于另外的维数。{len(shape)} 维请写 `{text}`。",
        write(case, given, f"{quote}{mode}{quote}", call),
        given,
    )


@finds(errors.SELECTION_RANGE)
def _more_than_there_are(case: Case) -> Finding | None:
    """``topk(scores, 10)`` of three scores."""
    call = case.find(ast.Call)
    if call is None or _name(call) not in ("topk", "kthvalue"):
        return None
    of_torch = isinstance(call.func, ast.Attribute) and shape_at(case, call.func.value) is None
    owner = (
        call.args[0] if of_torch and call.args else call.func.value if isinstance(call.func, ast.Attribute) else None
    )
    wanted = argument_of(call, 1 if of_torch else 0, "k")
    shape = shape_at(case, owner) if owner is not None else None
    dim = constant(case, argument_of(call, 2 if of_torch else 1, "dim"))
    count = case.value(wanted)
    if owner is None or wanted is None or not shape or not isinstance(count, int):
        return None
    at = dim if isinstance(dim, int) else -1
    text = f"min({case.text(wanted)}, {case.operand(owner)}.size({at}))"
    where, where_zh = place(case, wanted)
    return finding(
        case,
        f"{code(case, wanted)}{where} is {count}, and {code(case, owner)} (shape {list(shape)}) has {shape[at]} elements along dimension"
        f" {at}. Ask for no more than there are: `{text}`.",
        f"{code(case, wanted)}{where_zh} 是 {count}，而 {code(case, owner)}（形状 {list(shape)}）沿第 {at} 维只有 {shape[at]} 个元素。请不要超过这个数：`{text}`。",
        write(case, wanted, text, call),
        definition(case, wanted),
    )


@finds(errors.INVALID_COMBINATION, errors.ARGUMENT_TYPE, errors.KEYWORD_TYPE)
def _number_for_generator(case: Case) -> Finding | None:
    """``randperm(10, generator=7)``."""
    call = case.find(ast.Call)
    given = next((one.value for one in call.keywords if one.arg == "generator"), None) if call is not None else None
    if call is None or given is None or not isinstance(case.value(given), int):
        return None
    torch, imports = case.with_torch()
    text = f"{torch}.Generator().manual_seed({case.text(given)})"
    return finding(
        case,
        f"`generator` takes a generator, an object that draws random numbers, and {code(case, given)} is a number. Make one with that seed: `{text}`.",
        f"`generator` 要求一个生成器，即产生随机数的对象，而 {code(case, given)} 是一个数。请用这个种子创建生成器：`{text}`。",
        case.fix([*case.replace(given, text), *imports], call),
        given,
    )


@finds(errors.BMM_DIMENSIONS)
def _vectors_of_batch(case: Case) -> Finding | None:
    """``bmm(keys, query)`` of one vector for each sample."""
    call = case.find(ast.Call)
    if call is None:
        return None
    method = isinstance(call.func, ast.Attribute) and len(call.args) == 1
    pair = [call.func.value, *call.args] if method and isinstance(call.func, ast.Attribute) else call.args[:2]
    shapes = [shape_at(case, one) for one in pair]
    if len(pair) != 2 or shapes[0] is None or shapes[1] is None:
        return None
    flat = [at for at, shape in enumerate(shapes) if shape is not None and len(shape) == 2]
    if len(flat) != 1 or len(shapes[1 - flat[0]] or ()) != 3:
        return None
    at = flat[0]
    own, other = shapes[at] or (), shapes[1 - at] or ()
    new = 2 if at == 1 else 1
    if own[0] != other[0] or own[1] != (other[2] if at == 1 else other[1]):
        return None
    text = f"{case.operand(pair[at])}.unsqueeze({new})"
    edits = [*case.followed(pair[at], f".unsqueeze({new})"), *case.after(call, f".squeeze({new})")]
    return finding(
        case,
        f"`bmm` multiplies a matrix by a matrix for each sample, and {code(case, pair[at])} has the shape {list(own)}, one vector for each. Make each a"
        f" matrix of one {'column' if new == 2 else 'row'}, `{text}`, and take the dimension away from the result: `.squeeze({new})`.",
        f"`bmm` 对每个样本做矩阵乘矩阵，而 {code(case, pair[at])} 的形状是 {list(own)}，每个样本只有一个向量。请把它变成只有一{'列' if new == 2 else '行'}的矩阵 `{text}`，再从结果里去掉"
        f"这一维：`.squeeze({new})`。",
        case.fix(edits, call),
        pair[at],
    )


@finds(errors.DISTRIBUTION)
def _scores_drawn_from(case: Case) -> Finding | None:
    """``multinomial(logits)``."""
    call = case.find(ast.Call)
    if call is None or _name(call) not in ("multinomial", "bernoulli"):
        return None
    of_torch = isinstance(call.func, ast.Attribute) and shape_at(case, call.func.value) is None
    given = (
        call.args[0] if of_torch and call.args else call.func.value if isinstance(call.func, ast.Attribute) else None
    )
    held = Flow(case).tensor(given) if given is not None else None
    if given is None or held is None or not np.isfinite(held._a).all():
        return None
    if (held._a >= 0).all():
        return _drawn_too_often(case, call, given)
    torch, imports = case.with_torch()
    function = (
        f"{torch}.softmax({case.text(given)}, dim=-1)"
        if _name(call) == "multinomial"
        else f"{torch}.sigmoid({case.text(given)})"
    )
    made = definition(case, given)
    return finding(
        case,
        f"{code(case, given)} (line {line(made)}) goes from {float(held._a.min()):.3g} to {float(held._a.max()):.3g}: these are scores, and"
        f" `{_name(call)}` draws by probabilities, which are not negative. Make probabilities of them: `{function}`.",
        f"{code(case, given)}（第 {line(made)} 行）从 {float(held._a.min()):.3g} 到 {float(held._a.max()):.3g}：这是得分，而 `{_name(call)}` 按概率抽取，概率不能为负。请先变成概率："
        f"`{function}`。",
        case.fix([*case.replace(given, function), *imports], call),
        made,
    )


def _drawn_too_often(case: Case, call: ast.Call, given: ast.expr) -> Finding | None:
    """More draws than there are choices, none of which comes twice."""
    shape = shape_at(case, given)
    if "replacement" not in str(case.details.get("message", "")) or not shape:
        return None
    return finding(
        case,
        f"{code(case, call)} draws without putting back, so at most as often as there are choices, and {code(case, given)} has {shape[-1]}. Draw fewer, or"
        f" let choices come again: `replacement=True`.",
        f"{code(case, call)} 是不放回抽取，最多抽取的次数等于选项数，而 {code(case, given)} 只有 {shape[-1]} 个。请少抽一些，或者允许重复：`replacement=True`。",
        case.fix(case.argument(call, "replacement=True"), call),
        call,
    )


@finds(errors.CTC_LENGTH)
def _longer_than_input(case: Case) -> Finding | None:
    """Lengths of inputs beyond the number of steps."""
    call = case.find(ast.Call)
    told = re.search(r"at most (\d+), but got value (\d+)", str(case.details.get("message", "")))
    if call is None or len(call.args) < 3:
        return None
    shape, lengths = shape_at(case, call.args[0]), call.args[2]
    held = Flow(case).tensor(lengths)
    if shape is None or held is None or not held.numel():
        return None
    steps, most = int(told[1]) if told else shape[0], int(held._a.max())
    made = definition(case, lengths)
    numbers = [one for one in ast.walk(made) if constant(case, one) == most] if isinstance(made, ast.Call) else []  # type: ignore[arg-type]  # of any node
    names = [
        name
        for name, value in case.values.items()
        if type(value) is int and value == steps and not name.startswith("_")
    ]
    text = names[0] if len(names) == 1 else str(steps)
    return finding(
        case,
        f"{code(case, lengths)} (line {line(made)}) says {most} steps, and {code(case, call.args[0])} has {steps} (shape {list(shape)}; the steps come"
        f" first). A length is at most that: write `{text}` there.",
        f"{code(case, lengths)}（第 {line(made)} 行）写的是 {most} 步，而 {code(case, call.args[0])} 只有 {steps} 步（形状 {list(shape)}，第一维是步数）。长度不能超过它：请在那里写"
        f" `{text}`。",
        write(case, numbers[0], text, made) if len(numbers) == 1 else (),
        made,
    )


@finds(errors.CONV_OUTPUT_PADDING)
def _output_padding(case: Case) -> Finding | None:
    """``output_padding`` of a transposed convolution without a stride."""
    outer, _ = running(case)
    layers = [
        one
        for one in (outer.modules() if isinstance(outer, Layer) else ())
        if type(one).__name__.startswith("ConvTranspose") and max(one.output_padding) >= max(one.stride)
    ]
    made = maker_of(case, layers[0]) if layers else None
    if made is None:
        return None
    stride, given = max(layers[0].stride), max(layers[0].output_padding)
    flag = next((one for one in made.keywords if one.arg == "output_padding"), None)
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} has `output_padding={given}` and a stride of {stride}. Output padding chooses between the sizes that a"
        f" stride of 2 or more leaves open, so it is smaller than the stride. To make images larger write `stride={given + 1}`; else leave"
        f" `output_padding` out.",
        f"第 {line(made)} 行的 {code(case, made)} 的 `output_padding={given}`，步长是 {stride}。输出填充用来在步长为 2 或更大时留下的几种大小中选择，所以必须小于步长。要放大图片请写"
        f" `stride={given + 1}`；否则请去掉 `output_padding`。",
        case.fix(case.without_argument(made, flag), made) if flag is not None else (),
        made,
    )


@finds(errors.NONREAL_BACKWARD)
def _complex_loss(case: Case) -> Finding | None:
    """``((X - target) ** 2).mean()`` of complex numbers."""
    call = case.find(ast.Call)
    root = call.func.value if call is not None and isinstance(call.func, ast.Attribute) else None
    for node in Flow(case).behind(root) if root is not None else ():
        match node:
            case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=2)):
                edits = case.replace(node, _magnitude(case, base))
            case ast.Call(func=ast.Attribute(value=base, attr="pow" | "square")):
                edits = case.replace(node, _magnitude(case, base))
            case _:
                continue
        squared = Flow(case).tensor(base)
        if squared is not None and not squared.is_complex():
            continue
        text = _magnitude(case, base)
        return finding(
            case,
            f"{code(case, node)} on line {line(node)} is the square of complex numbers, which is complex itself, and a loss has to be real. Take the"
            f" square of their magnitude: `{text}`.",
            f"第 {line(node)} 行的 {code(case, node)} 是复数的平方，结果仍是复数，而损失必须是实数。请取模的平方：`{text}`。",
            case.fix(edits, case.statement(node)),
            node,
        )
    return None


def _magnitude(case: Case, base: ast.expr) -> str:
    own = case.text(base)
    return f"{own if isinstance(base, ast.Name | ast.Call) else f'({own})'}.abs() ** 2"


@finds(python.VALUE)
def _format_of_float(case: Case) -> Finding | None:
    """``f"{lr:d}"`` of a float."""
    told = re.search(r"Unknown format code '(\w)' for object of type '(\w+)'", str(case.details.get("message", "")))
    node = case.find(ast.JoinedStr) or case.find(ast.expr)
    if told is None or node is None:
        return None
    for one in ast.walk(node):
        if not isinstance(one, ast.FormattedValue) or one.format_spec is None:
            continue
        spec = "".join(str(part.value) for part in ast.walk(one.format_spec) if isinstance(part, ast.Constant))
        if not spec.endswith(told[1]):
            continue
        name = ast.unparse(one.value)
        old, new = f"{{{name}:{spec}}}", f"{{{name}}}" if told[2] != "float" else f"{{{name}:.3g}}"
        whole = case.text(node)
        edits = case.replace(node, whole.replace(old, new)) if whole.count(old) == 1 else []
        return finding(
            case,
            f"`:{spec}` is a format of whole numbers, and `{name}` is a `{told[2]}`. Write `{new}`, or `{{{name}}}` without a format.",
            f"`:{spec}` 是整数的格式，而 `{name}` 是 `{told[2]}`。请写 `{new}`，或者不带格式的 `{{{name}}}`。",
            case.fix(edits, node) if edits else (),
            node,
        )
    return None


@finds(python.UNCLASSIFIED)
def _derivative_differs(case: Case) -> Finding | None:
    """``gradcheck`` of a ``backward`` that is wrong."""
    message = str(case.details.get("message", ""))
    owners = [
        one for one in case.nodes(ast.ClassDef) if any(case.text(base).endswith("Function") for base in one.bases)
    ]
    call = case.find(ast.Call)
    if "Jacobian mismatch" not in message or call is None:
        return None
    named = [one for one in owners if call.args and one.name in case.text(call.args[0])] or owners
    backward = next(
        (
            one
            for one in (named[0].body if named else ())
            if isinstance(one, ast.FunctionDef) and one.name == "backward"
        ),
        None,
    )
    results = returned(backward) if backward is not None else []
    if not results or not named:
        return None
    return finding(
        case,
        f"`gradcheck` compared what `backward` of `{named[0].name}` gives (analytical) with the change of the output under tiny steps (numerical), and"
        f" they differ: {code(case, results[-1])} on line {line(results[-1])} is not the derivative of `forward`. Derive it anew, and multiply by the"
        f" gradient that arrives.",
        f"`gradcheck` 把 `{named[0].name}` 的 `backward` 给出的结果（analytical）与微小变化下输出的变化（numerical）作了比较，两者不同：第 {line(results[-1])} 行的"
        f" {code(case, results[-1])} 不是 `forward` 的导数。请重新推导，并乘上传来的梯度。",
        (),
        results[-1],
    )


@finds(python.UNCLASSIFIED)
def _saved_whole(case: Case) -> Finding | None:
    """``torch.save(model, ...)`` of a model that keeps a function without a name."""
    message, call = str(case.details.get("message", "")), case.find(ast.Call)
    if "pickle" not in message or "lambda" not in message or call is None or not call.args:
        return None
    kept = [
        (one, target)
        for one in case.nodes(ast.Assign)
        for target in one.targets
        if isinstance(target, ast.Attribute) and isinstance(one.value, ast.Lambda)
    ]
    if not kept:
        return None
    statement, target = kept[0]
    own = case.text(call.args[0])
    text = f"{own}.state_dict()"
    return finding(
        case,
        f"Line {line(statement)} keeps a `lambda` in {code(case, target)}; saving the whole object writes the name of every function that is in it, and a"
        f" `lambda` has none. Save the parameters alone, `{text}`, or use a layer or a function with a name.",
        f"第 {line(statement)} 行把一个 `lambda` 存进了 {code(case, target)}；保存整个对象时要写下其中每个函数的名字，而 `lambda` 没有名字。请只保存参数 `{text}`，或者改用层或有名字的"
        f"函数。",
        write(case, call.args[0], text, call),
        statement,
    )


@finds(errors.OVERLAPPING_WRITE)
def _expanded(case: Case) -> Finding | None:
    """``mask += 1`` of what ``expand`` gave."""
    failed = case.find(ast.BinOp) or case.find(ast.expr)
    parts = [failed] if failed is not None else []
    for node in (one for part in parts for one in Flow(case).behind(part)):
        if not isinstance(node, ast.Call) or getattr(node.func, "attr", "") not in (
            "expand",
            "expand_as",
            "broadcast_to",
        ):
            continue
        text = f"{case.operand(node)}.clone()"
        return finding(
            case,
            f"{code(case, node)} on line {line(node)} repeats one row without copying it: its rows are the same numbers in memory, and a write to one is"
            f" a write to all. Make a copy where it is made: `{text}`.",
            f"第 {line(node)} 行的 {code(case, node)} 重复一行而不复制：各行在内存里是同一批数，写一行就等于写全部。请在创建处复制：`{text}`。",
            case.fix(case.after(node, ".clone()"), case.statement(node)),
            node,
        )
    return None
