"""Calls of PyTorch's functions: arguments that changed places, sizes with the batch in them, numbers for tensors."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.words import code, finding, line, on_other_line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of

_REDUCING: Final = frozenset({"mean", "sum", "prod", "std", "var", "amax", "amin", "logsumexp", "median", "norm"})


@finds(errors.INTERPOLATE_SIZE)
def _size_with_batch(case: Case) -> Finding | None:
    """``F.interpolate(x, size=y.shape)``."""
    call = case.find(ast.Call)
    given = argument_of(call, 1, "size") if call is not None else None
    shape = shape_at(case, call.args[0]) if call is not None and call.args else None
    wanted = [int(one) for one in re.findall(r"\d+", str(case.details.get("size", "")))]
    if call is None or given is None or shape is None or len(wanted) != len(shape) or len(shape) < 3:
        return None
    if not isinstance(given, ast.Name | ast.Attribute | ast.Call):
        return None
    text = f"{case.operand(given)}[2:]"
    return finding(
        case,
        f"{code(case, given)} is the whole shape, {wanted}, with batch and channels, and `size` takes what stands behind these two, here {wanted[2:]}."
        f" Take that part: `{text}`.",
        f"{code(case, given)} 是整个形状 {wanted}，包括批量和通道，而 `size` 只要这两维后面的部分，这里是 {wanted[2:]}。请取这一部分：`{text}`。",
        case.fix(case.after(given, "[2:]"), call),
        given,
    )


@finds(errors.DERIVATIVE_VALUE, errors.DERIVATIVE_TYPE, python.TYPE)
def _parameters_last(case: Case) -> Finding | None:
    """``functional_call(model, x, params)``."""
    call = case.find(ast.Call)
    if call is None or called(call) != "functional_call" or len(call.args) != 3:
        return None
    _, second, third = call.args
    held = case.value(third)
    if not isinstance(held, Mapping) or Flow(case).tensor(second) is None:
        return None
    text = f"{case.text(call.func)}({case.text(call.args[0])}, {case.text(third)}, {case.text(second)})"
    return finding(
        case,
        f"`functional_call` takes the module, then the dictionary of its parameters, then the input; here the input {code(case, second)} stands before the"
        f" parameters {code(case, third)}. Change their places: `{text}`.",
        f"`functional_call` 依次接受模块、参数的字典、输入；这里输入 {code(case, second)} 写在了参数 {code(case, third)} 前面。请交换位置：`{text}`。",
        write(case, call, text, call),
        second,
    )


@finds(errors.MODULE_ARGUMENT)
def _number_for_outcome(case: Case) -> Finding | None:
    """``dist.log_prob(action)`` of an action that ``item()`` made a number."""
    call = case.find(ast.Call)
    if call is None or "must be a Tensor" not in str(case.details.get("message", "")) or len(call.args) != 1:
        return None
    given = call.args[0]
    value, made = case.value(given), definition(case, given)
    if not isinstance(value, int | float | list):
        return None
    torch, imports = case.with_torch()
    where, where_zh = on_other_line(made, call)
    text = f"{torch}.tensor({case.text(given)})"
    by_item = isinstance(made, ast.Call) and called(made) in ("item", "tolist")
    why = f", for `{called(made)}()` takes it out of the tensor" if by_item and isinstance(made, ast.Call) else ""
    why_zh = f"，因为 `{called(made)}()` 把它从张量里取了出来" if why and isinstance(made, ast.Call) else ""
    return finding(
        case,
        f"{code(case, given)}{where} is a plain `{type(value).__name__}`{why}, and `{case.text(call.func)}` takes a tensor. Give it one: `{text}`.",
        f"{code(case, given)}{where_zh} 是普通的 `{type(value).__name__}`{why_zh}，而 `{case.text(call.func)}` 需要张量。请给它张量：`{text}`。",
        case.fix([*case.replace(given, text), *imports], call),
        made,
    )


@finds(errors.MODULE_ARGUMENT)
def _variances_for_matrix(case: Case) -> Finding | None:
    """``MultivariateNormal(mean, variances)``."""
    call = case.find(ast.Call)
    told = re.search(r"(\w+)(?: matrix)? must be at least two-dimensional", str(case.details.get("message", "")))
    if call is None or told is None:
        return None
    places = {"covariance_matrix": 1, "precision_matrix": 2, "scale_tril": 3}
    given = argument_of(call, places.get(told[1], 1), told[1])
    shape = shape_at(case, given) if given is not None else None
    if given is None or shape is None or len(shape) != 1:
        return None
    torch, imports = case.with_torch()
    text = f"{torch}.diag({case.text(given)})"
    made = definition(case, given)
    return finding(
        case,
        f"{code(case, given)} (line {line(made)}) is a vector of {shape[0]}, one number for each dimension, and `{told[1]}` is a matrix of {shape[0]} by"
        f" {shape[0]}. With the numbers on its diagonal, and no connection between the dimensions, it is `{text}`.",
        f"{code(case, given)}（第 {line(made)} 行）是长度为 {shape[0]} 的向量，每一维一个数，而 `{told[1]}` 是 {shape[0]}×{shape[0]} 的矩阵。把这些数放在对角线上、各维互不"
        f"相关的矩阵是 `{text}`。",
        case.fix([*case.replace(given, text), *imports], call),
        given,
    )


@finds(errors.MISSING_PYTHON_ARGUMENT)
def _device_type(case: Case) -> Finding | None:
    """``torch.autocast()``."""
    call = case.find(ast.Call)
    if call is None or called(call) != "autocast" or "device_type" not in str(case.details.get("name", "")):
        return None
    return finding(
        case,
        f"`{case.text(call.func)}` has to be told on which kind of device it chooses the shorter numbers, and this call does not say it. Here everything"
        ' lives on the CPU: `device_type="cpu"`.',
        f'`{case.text(call.func)}` 需要知道在哪种设备上使用较短的数，而这次调用没有写。这里一切都在 CPU 上：`device_type="cpu"`。',
        case.fix(case.argument(call, 'device_type="cpu"'), call),
        call,
    )


@finds(errors.SEQUENCE_ELEMENT)
def _dimension_among_tensors(case: Case) -> Finding | None:
    """``torch.cat((a, b, 1))``."""
    call = case.find(ast.Call)
    parts = (
        call.args[0].elts if call is not None and call.args and isinstance(call.args[0], ast.Tuple | ast.List) else []
    )
    if call is None or len(parts) < 2 or len(call.args) > 1 or call.keywords:
        return None
    last, others = parts[-1], parts[:-1]
    dim = case.value(last)
    tensors = [Flow(case).tensor(one) for one in others]
    if type(dim) is not int or any(one is None for one in tensors) or not -3 <= dim <= 3:
        return None
    inner = ", ".join(case.text(one) for one in others)
    text = f"{case.text(call.func)}([{inner}], dim={case.text(last)})"
    return finding(
        case,
        f"{code(case, last)} stands inside of the brackets of the tensors and so counts as one of them; it is the dimension along which they are joined."
        f" Write it behind: `{text}`.",
        f"{code(case, last)} 写在了张量的括号里面，因此被当成其中一个张量；它是拼接所沿的维度。请写在后面：`{text}`。",
        write(case, call, text, call),
        last,
    )


@finds(errors.INVALID_COMBINATION, errors.ARGUMENT_TYPE)
def _reduced_together(case: Case) -> Finding | None:
    """``torch.mean(a, b)``: the second argument is a dimension, not a tensor."""
    call = case.find(ast.Call)
    if call is None or called(call) not in _REDUCING or len(call.args) < 2 or call.keywords:
        return None
    if not isinstance(call.func, ast.Attribute) or case.text(call.func.value) != case.module_alias("torch"):
        return None
    shapes = [shape_at(case, one) for one in call.args]
    if any(one is None for one in shapes) or len(set(shapes)) != 1:
        return None
    torch = case.text(call.func.value)
    text = f"{torch}.stack([{', '.join(case.text(one) for one in call.args)}])"
    whole = f"{case.text(call.func)}({text})"
    single = shapes[0] == ()
    return finding(
        case,
        f"`{case.text(call.func)}` takes one tensor, and behind it the dimension; here it is given {len(call.args)} tensors. Put them together first:"
        f" `{whole}`"
        + ("." if single else f", or with `dim=0` behind it for the {called(call)} of the tensors element by element."),
        f"`{case.text(call.func)}` 只接受一个张量，后面是维度；这里给了 {len(call.args)} 个张量。请先把它们合在一起：`{whole}`"
        + ("。" if single else "；如果要逐元素合并各个张量，请在后面加上 `dim=0`。"),
        write(case, call, whole, call) if single else (),
        call,
    )


@finds(errors.MODULE_RUNTIME, errors.MODULE_ARGUMENT)
def _packed_across(case: Case) -> Finding | None:
    """``pack_padded_sequence`` of rows that ``pad_sequence`` laid the other way round."""
    call = case.find(ast.Call)
    told = re.search(r"equal to batch_size, but got (\d+) \(batch_size=(\d+)\)", str(case.details.get("message", "")))
    if call is None or told is None or len(call.args) < 2:
        return None
    shape, made = shape_at(case, call.args[0]), definition(case, call.args[0])
    lengths, taken = int(told[1]), int(told[2])
    first = _flag(case, call)
    if shape is None or len(shape) < 2 or shape[int(first)] != lengths or shape[1 - int(first)] != taken:
        return None
    padded = made if isinstance(made, ast.Call) and called(made) == "pad_sequence" else None
    place, place_zh = on_other_line(made, call)
    stands, looks = ("second", "first") if first else ("first", "second")
    stands_zh, looks_zh = ("第二", "第一") if first else ("第一", "第二")
    if first and padded is not None:
        fix, text = case.fix(case.argument(padded, "batch_first=True"), padded), "batch_first=True"
        action = f"Say it there too: `{text}` in {code(case, padded)}"
        action_zh = f"请在那里也写上：在 {code(case, padded)} 里加 `{text}`"
    elif first:
        flag = next(one for one in call.keywords if one.arg == "batch_first")
        fix, text = case.fix(case.without_argument(call, flag), call), "batch_first=True"
        action, action_zh = f"Leave `{text}` out of this call", f"请在这次调用里去掉 `{text}`"
    else:
        fix, text = case.fix(case.argument(call, "batch_first=True"), call), "batch_first=True"
        action, action_zh = f"Say so in this call: `{text}`", f"请在这次调用里写明：`{text}`"
    return finding(
        case,
        f"{code(case, call.args[0])}{place} has the shape {list(shape)}, with the {lengths} rows as its {stands} dimension, and `pack_padded_sequence`"
        f" looks for them in the {looks} one. {action}.",
        f"{code(case, call.args[0])}{place_zh} 的形状是 {list(shape)}，{lengths} 行在{stands_zh}维，而 `pack_padded_sequence` 在{looks_zh}维里找它们。{action_zh}。",
        fix,
        padded if first and padded is not None else call,
    )


def _flag(case: Case, call: ast.Call) -> bool:
    return any(one.arg == "batch_first" and case.value(one.value) is True for one in call.keywords)


@finds(errors.REDUCTION)
def _reduction_misspelt(case: Case) -> Finding | None:
    """``reduction="batch_mean"``."""
    call = case.find(ast.Call)
    word = str(case.details.get("reduction", ""))
    places = [one.value for one in case.nodes(ast.keyword) if one.arg == "reduction" and case.value(one.value) == word]
    if call is None or len(places) != 1:
        return None
    names = case.text(call.func) + case.text(definition(case, call.func))
    of_kl = "kl_div" in names or "KLDiv" in names
    words = ["mean", "sum", "none", *(["batchmean"] if of_kl else [])]
    plain = re.sub(r"[^a-z]", "", word.lower())
    meant = plain if plain in words else {"avg": "mean", "average": "mean", "total": "sum", "no": "none"}.get(plain)
    listed = ", ".join(f'`"{one}"`' for one in words)
    write_it = f' Write `"{meant}"`.' if meant else " Write one of them."
    write_zh = f'请写 `"{meant}"`。' if meant else "请写其中一个。"
    return finding(
        case,
        f"{code(case, places[0])} is no way to make one number of the losses; the words for it are {listed}.{write_it}",
        f"{code(case, places[0])} 不是合并损失的方式；可用的写法有 {listed.replace(', ', '、')}。{write_zh}",
        write(case, places[0], f'"{meant}"', case.parents.get(places[0])) if meant else (),
        places[0],
    )


@finds(errors.UNEXPECTED_KEYWORD)
def _mode_in_call(case: Case) -> Finding | None:
    """``net(x, training=True)``, as Keras calls its layers."""
    call = case.find(ast.Call)
    given = next((one for one in call.keywords if one.arg in ("training", "train")), None) if call is not None else None
    if call is None or given is None or not isinstance(case.value(call.func), Layer):
        return None
    name = case.text(call.func)
    mode = f"{name}.eval()" if case.value(given.value) is False else f"{name}.train()"
    return finding(
        case,
        f"Whether a layer is in training is no argument of its call, as in Keras: `{mode}` says it, before, for all layers inside. Leave `{given.arg}` out.",
        f"层是否处于训练模式不是调用时的参数（那是 Keras 的写法）：请事先用 `{mode}` 为里面所有的层设置。请去掉 `{given.arg}`。",
        case.fix(case.without_argument(call, given), call),
        given.value,
    )
