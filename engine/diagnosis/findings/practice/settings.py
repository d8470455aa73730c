"""Settings that exclude each other or are missing, told by what this call was given."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.causes.provenance import dropping_layer
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.sizes_written import size_written
from gradflow.engine.diagnosis.findings.targets import chosen_by_element
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, on_line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.diagnosis.provenance import operands_of
from gradflow.engine.errors.language import python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.trace import Edit


@finds(errors.CONV_REFUSED, errors.CONV_WEIGHT_COUNT, errors.CONV_INPUT)
def _flat_kernel(case: Case) -> Finding | None:
    """``conv2d(image, kernel)`` of a kernel that is a matrix."""
    call = case.find(ast.Call)
    name = called(call) if call is not None else ""
    if call is None or name not in ("conv1d", "conv2d", "conv3d") or len(call.args) < 2:
        return None
    spatial, weight = int(name[4]), call.args[1]
    shape, image = shape_at(case, weight), shape_at(case, call.args[0])
    if shape is None or len(shape) != spatial or image is None:
        return None
    text = f"{case.operand(weight)}[None, None]"
    made = definition(case, weight)
    others = [one for one in case.nodes(ast.Call) if called(one) == name and len(one.args) > 1 and one is not call]
    edits = [edit for one in (call, *others) for edit in case.followed(one.args[1], "[None, None]")]
    return finding(
        case,
        f"{code(case, weight)} (line {line(made)}) has the shape {list(shape)}, and the weight of `{name}` has two dimensions more in front: (channels"
        f" out, channels in, ...), also for one of each. Add them: `{text}`.",
        f"{code(case, weight)}（第 {line(made)} 行）的形状是 {list(shape)}，而 `{name}` 的权重前面还要有两维：（输出通道，输入通道，...），各只有一个时也不能少。请补上：`{text}`。",
        case.fix(edits, call),
        made,
    )


@finds(errors.DERIVATIVE_CALL)
def _random_under_vmap(case: Case) -> Finding | None:
    """``torch.randn`` inside of a function that is mapped."""
    if "randomness" not in str(case.details.get("message", "")):
        return None
    node = case.find(ast.expr)
    maps = [one for one in case.nodes(ast.Call) if called(one) == "vmap"]
    if not maps or node is None:
        return None
    made, setting = maps[-1], 'randomness="different"'
    dropping = dropping_layer(case, node)
    who, who_zh = code(case, node), code(case, node)
    if dropping is not None:
        layer, kind = dropping
        at, at_zh = on_line(layer)
        who = f"`{kind}`{at} of the model, which is in training mode, draws random numbers in {who},"
        who_zh = f"模型里的 `{kind}`{at_zh}处于训练模式，它使 {who_zh}"
    else:
        who = f"{who} draws random numbers"
    return finding(
        case,
        f"{who} inside of a function that `vmap` runs once for the whole batch, and `vmap` wants to be told whether"
        f' every sample gets numbers of its own. Say so on line {line(made)}: `{setting}`; with `"same"` all get the same ones.',
        f'{who_zh} 在 `vmap` 只运行一次的函数里生成随机数，而 `vmap` 需要知道每个样本是否各用各的随机数。请在第 {line(made)} 行写明：`{setting}`；`"same"` 则表示全都'
        f"相同。",
        case.fix(case.argument(made, setting), made),
        made,
    )


@finds(errors.DERIVATIVE_CALL)
def _branch_under_vmap(case: Case) -> Finding | None:
    """``if x.sum().item() > 0`` inside of a function that is mapped."""
    call = case.find(ast.Call)
    statement = case.statement(call) if call is not None else None
    if "vmap" not in str(case.details.get("message", "")) or call is None or not isinstance(statement, ast.If):
        return None
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "item" or call not in ast.walk(statement.test):
        return None
    text, _ = chosen_by_element(case, statement)
    inner = text.replace(case.text(call), case.text(call.func.value))
    _, fix = chosen_by_element(case, statement)
    edits = (
        [_without(edit, case.text(call), case.text(call.func.value)) for edit in fix.edits] if fix is not None else []
    )
    return finding(
        case,
        f"`vmap` runs the function once for the whole batch: {code(case, call)} cannot give one number of it, and `if` cannot choose a branch for each"
        f" sample. Compute both results and choose: `{inner}`.",
        f"`vmap` 对整批数据只运行一次函数：{code(case, call)} 无法从中取出一个数，`if` 也不能为每个样本选择分支。请把两种结果都算出来再选择：`{inner}`。",
        apply(case, edits, f"`{inner}`", f"`{inner}`") or (),
        call,
    )


def _without(edit: Edit, old: str, new: str) -> Edit:
    return Edit(edit.span, edit.text.replace(old, new))


@finds(
    errors.NO_SIZE, errors.NO_ATTRIBUTE, python.ATTRIBUTE, errors.ARGUMENT_TYPE, errors.INVALID_COMBINATION, python.TYPE
)
def _comma_behind_return(case: Case) -> Finding | None:
    """``return self.dec(z),``."""
    failed = case.find(ast.expr)
    told = f"{case.details.get('type', '')} {case.details.get('actual', '')} {case.details.get('message', '')} {case.details.get('given', '')}"
    if failed is None or "tuple" not in told:
        return None
    flow = Flow(case)
    for node in flow.behind(failed):
        for function in flow.called(node) if isinstance(node, ast.Call) else ():
            for result in returned(function):
                if not isinstance(result, ast.Tuple) or len(result.elts) != 1 or case.text(result).startswith("("):
                    continue
                text = f"return {case.text(result.elts[0])}"
                name = getattr(function, "name", "the function")
                return finding(
                    case,
                    f"The comma at the end of line {line(result)} makes `{name}` return a tuple that holds {code(case, result.elts[0])}, and here the"
                    f" tensor itself is needed. Take the comma away: `{text}`.",
                    f"第 {line(result)} 行末尾的逗号让 `{name}` 返回一个装着 {code(case, result.elts[0])} 的元组，而这里需要张量本身。请去掉逗号：`{text}`。",
                    write(case, result, case.text(result.elts[0]), case.statement(result)),
                    result,
                )
    return None


def _without_ones(owner: str, kept: list[int], ndim: int) -> str:
    """What leaves out these dimensions of size 1 behind that of the batch."""
    if not kept:
        return owner
    if len(kept) > 1 and kept == list(range(2, ndim)):
        return f"{owner}.flatten(1)"
    return f"{owner}.squeeze({kept[0] if len(kept) == 1 else tuple(kept)})"


@finds(errors.DIM_RANGE, errors.TARGET_BATCH, errors.MM_SHAPE, errors.CAT_DIMENSIONS, errors.CHANNEL_COUNT)
def _batch_squeezed(case: Case) -> Finding | None:
    """``h.squeeze()`` of a batch of one sample."""
    failed = case.find(ast.expr)
    flow = Flow(case)
    for node in flow.behind(failed) if failed is not None else ():
        if not isinstance(node, ast.Call) or getattr(node.func, "attr", "") != "squeeze" or node.args or node.keywords:
            continue
        held = flow.tensor(node)
        entry = held._entry if held is not None else None
        before = operands_of(entry.first) if entry is not None else []
        if not before or before[0].array.ndim < 2 or before[0].array.shape[0] != 1:
            continue
        shape = list(before[0].array.shape)
        kept = [at for at, size in enumerate(shape) if size == 1 and at > 0]
        owner = case.text(node.func.value) if isinstance(node.func, ast.Attribute) else ""
        text = _without_ones(owner, kept, len(shape))
        return finding(
            case,
            f"{code(case, node)} on line {line(node)} takes every dimension of size 1 away, and of {shape}, a batch of one sample, also that of the"
            f" batch. "
            + (
                f"Keep that one: `{text}`."
                if len(kept) > 1
                else f"Name the dimension that is to go: `{text}`."
                if kept
                else f"Leave `.squeeze()` out: `{text}`."
            ),
            f"第 {line(node)} 行的 {code(case, node)} 会去掉所有大小为 1 的维；形状 {shape} 只有一个样本，于是连批量维也去掉了。"
            + (
                f"请保留批量维：`{text}`。"
                if len(kept) > 1
                else f"请指明要去掉的维：`{text}`。"
                if kept
                else f"请去掉 `.squeeze()`：`{text}`。"
            ),
            write(case, node, text, case.statement(node)),
            node,
        )
    return None


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _class_of_own(case: Case) -> Finding | None:
    """``classname.find("Conv") != -1``, which finds ``ConvBlock``, too."""
    node, value = case.find(ast.Attribute), case.details.get("value")
    if node is None or not isinstance(value, Layer) or not isinstance(node.value, ast.Name):
        return None
    kind = type(value).__name__
    test = case.enclosing(node, ast.If)
    words = [
        one.value
        for one in (ast.walk(test.test) if test is not None else ())
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
    ]
    word = next((one for one in words if one and one in kind), None)
    owners = [one for one in case.nodes(ast.ClassDef) if one.name == kind]
    inner = [
        type(one).__name__
        for one in value.modules()
        if word and type(one).__name__.startswith(word) and hasattr(one, node.attr)
    ]
    if test is None or word is None or not owners or not inner:
        return None
    nn = "nn" if "nn" in case.values else "torch.nn"
    text = f"isinstance({node.value.id}, {nn}.{inner[0]})"
    return finding(
        case,
        f"{code(case, test.test)} on line {line(test)} asks for the name alone, and `{kind}`, a class of this program (line {line(owners[0])}), has"
        f" `{word}` in it, too; it has no `{node.attr}`. Ask for the class: `{text}`.",
        f"第 {line(test)} 行的 {code(case, test.test)} 只看名字，而本程序的类 `{kind}`（第 {line(owners[0])} 行）名字里也有 `{word}`，它没有 `{node.attr}`。请判断类本身："
        f"`{text}`。",
        write(case, test.test, text, test.test),
        test.test,
    )


@finds(errors.UNUSED_INPUT)
def _of_copy(case: Case) -> Finding | None:
    """The gradient with respect to a model of which a deep copy was used."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2:
        return None
    for wanted in (one for one in ast.walk(call.args[1]) if isinstance(one, ast.Name)):
        if not isinstance(case.value(wanted), Layer):
            continue
        for statement in case.nodes(ast.Assign):
            match statement:
                case ast.Assign(targets=[ast.Name(id=copy)], value=ast.Call(args=[ast.Name(id=source)]) as made) if (
                    source == wanted.id and case.text(made.func).endswith("deepcopy")
                ):
                    used = {case.text(one.func) for one in Flow(case).behind(call.args[0]) if isinstance(one, ast.Call)}
                    if copy not in used:
                        continue
                    return finding(
                        case,
                        f"{code(case, call.args[0])} was computed with `{copy}`, and `{copy}` is a deep copy of `{source}` (line {line(statement)}), with"
                        f" parameters of its own: no path leads from one to the other. Compute the new weights as tensors, `p - lr * g`, and run the"
                        f" model with them by `torch.func.functional_call({source}, weights, ...)`.",
                        f"{code(case, call.args[0])} 是用 `{copy}` 算出的，而 `{copy}` 是 `{source}` 的深拷贝（第 {line(statement)} 行），有自己的参数：两者之间没有路径。请把新的"
                        f"权重作为张量计算（`p - lr * g`），再用 `torch.func.functional_call({source}, weights, ...)` 运行模型。",
                        (),
                        statement,
                    )
    return None


@finds(errors.NORMALIZED_SHAPE)
def _normalised_steps(case: Case) -> Finding | None:
    """``nn.LayerNorm(steps)`` for what has its features last."""
    call = case.find(ast.Call)
    layer = case.value(call.func) if call is not None else None
    if call is None or not call.args or type(layer).__name__ != "LayerNorm" or not isinstance(layer, Layer):
        return None
    shape, wanted = shape_at(case, call.args[0]), tuple(getattr(layer, "normalized_shape", ()))
    made = maker_of(case, layer)
    if shape is None or made is None or not made.args or len(wanted) != 1 or wanted[0] not in shape[1:-1]:
        return None
    behind = [case.value(one.func) for one in Flow(case).behind(call.args[0]) if isinstance(one, ast.Call)]
    if any(type(one).__name__.startswith("Conv") for one in behind):
        return None
    at, last = shape.index(wanted[0], 1), len(shape) - 1
    named = [
        name
        for name, value in case.values.items()
        if type(value) is int and value == shape[-1] and not name.startswith("_")
    ]
    size = size_written(case, made.args[0], shape[-1])
    if (
        size.isdigit()
        and len(named) == 1
        and isinstance(made.args[0], ast.Name)
        and case.enclosing(made, ast.FunctionDef) is None
    ):
        size = named[0]
    given = case.text(call.args[0])
    inner = given if isinstance(call.args[0], ast.Name | ast.Call | ast.Attribute) else f"({given})"
    text = f"{case.text(made.func)}({size})"
    moved = f"{case.text(call.func)}({inner}.transpose({at}, {last})).transpose({at}, {last})"
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} normalises the last dimension of {code(case, call.args[0])} (shape {list(shape)}), which is"
        f" {shape[-1]}; {wanted[0]} is dimension {at}. If the last are the features, make it for them, `{text}`; if the features stand in dimension"
        f" {at}, move them last and back: `{moved}`.",
        f"第 {line(made)} 行的 {code(case, made)} 归一化 {code(case, call.args[0])}（形状 {list(shape)}）的最后一维，它是 {shape[-1]}；{wanted[0]} 是第 {at} 维。如果最后一维是"
        f"特征，请按它创建 `{text}`；如果特征在第 {at} 维，请移到最后再移回来：`{moved}`。",
        [write(case, made.args[0], size, made), case.fix(case.replace(call, moved), call)],
        made,
    )


@finds(errors.STATE_LOADING)
def _head_of_other_size(case: Case) -> Finding | None:
    """``load_state_dict(pretrained, strict=False)`` with a last layer of another size."""
    call, told = case.find(ast.Call), str(case.details.get("complaints", ""))
    names = [one.split(":")[0].strip() for one in told.split("size mismatch for ")[1:]]
    if call is None or not names or not call.args or not any(one.arg == "strict" for one in call.keywords):
        return None
    given = call.args[0]
    listed = ", ".join(f"`{name}`" for name in names[:4])
    prefix = names[0].rpartition(".")[0]
    text = f"{{k: v for k, v in {case.operand(given)}.items() if not k.startswith({prefix + '.'!r})}}"
    return finding(
        case,
        f"{listed} have other sizes in {code(case, given)} than in the model; `strict=False` forgives names that are missing, not sizes that differ."
        f" Leave these out before loading: `{text}`.",
        f"{listed.replace(', ', '、')} 在 {code(case, given)} 里的大小与模型不同；`strict=False` 只容忍缺少的名字，不容忍大小不同。请在载入前去掉它们：`{text}`。",
        apply(
            case,
            case.replace(given, text),
            f"{code(case, given)} without `{prefix}`",
            f"去掉 {code(case, given)} 里的 `{prefix}`",
        )
        if all(name.startswith(f"{prefix}.") for name in names)
        else (),
        call,
    )


@finds(errors.OPTIMIZER_ARGUMENT)
def _nesterov(case: Case) -> Finding | None:
    """``nesterov=True`` without a momentum."""
    call = case.find(ast.Call)
    if call is None or "Nesterov" not in str(case.details.get("message", "")):
        return None
    text = "momentum=0.9"
    known = any(one.arg == "momentum" for one in call.keywords)
    return finding(
        case,
        f"`nesterov=True` looks ahead along the momentum, and {code(case, call.func)} is given none. Give one: `{text}`, and no dampening.",
        f"`nesterov=True` 沿动量方向向前看，而 {code(case, call.func)} 没有动量。请给出：`{text}`，并且不要阻尼。",
        case.fix(case.argument(call, text), call) if not known else (),
        call,
    )
