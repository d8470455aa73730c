"""Arguments of PyTorch's functions that are of the wrong kind, in the wrong order, or of the wrong name."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, place, shape_at
from gradflow.engine.diagnosis.findings.usage.keyword_tables import SYNONYMS
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, write
from gradflow.engine.diagnosis.fixers import finally_finds, finds
from gradflow.engine.diagnosis.fixes.calls import parameters_of
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit

_OF_KERAS: Final = frozenset({"learning_rate", "units", "filters", "decay", "axis", "keepdims"})
"""Words that are told of as those of another library."""

_FITTING: Final = ("fit", "train", "compile", "predict", "evaluate")


@finds(errors.UNEXPECTED_KEYWORD, errors.INVALID_KEYWORD)
def _synonym(case: Case) -> Finding | None:
    """``nn.Dropout(rate=0.5)``."""
    call, wrong = case.find(ast.Call), str(case.details.get("keyword", ""))
    given = next((one for one in call.keywords if one.arg == wrong), None) if call is not None else None
    if call is None or given is None or wrong not in SYNONYMS or wrong in _OF_KERAS:
        return None
    known = [name for name in parameters_of(case, call) if name not in ("self", "args", "kwargs")]
    layer = called(call)
    if not known and layer.endswith(("Dropout", "Dropout1d", "Dropout2d", "Dropout3d")):
        known = ["p", "inplace"]
    meant = next((one for one in SYNONYMS[wrong] if one in known), "")
    if not meant:
        return None
    text = f"{meant}={case.text(given.value)}"
    return finding(
        case,
        f"{code(case, call.func)} has no argument called `{wrong}`; what other libraries call so is `{meant}` here. Write `{text}`.",
        f"{code(case, call.func)} 没有名为 `{wrong}` 的参数；其他库里这样叫的，在这里叫 `{meant}`。请写 `{text}`。",
        case.fix(case.replace(given, text), call),
        given.value,
    )


@finds(errors.UNEXPECTED_KEYWORD, errors.INVALID_KEYWORD, errors.TOO_MANY_ARGUMENTS)
def _whole_training(case: Case) -> Finding | None:
    """``model.train(epochs=5)``, as in Keras."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr not in _FITTING:
        return None
    if not isinstance(case.value(call.func.value), Layer):
        return None
    owner = case.text(call.func.value)
    return finding(
        case,
        f"`{case.text(call.func)}` does not train: PyTorch has no such method, the loop is written out. `{owner}.train()` only switches the mode,"
        f" for dropout and normalisation. Write the loop: for each epoch `optimizer.zero_grad()`, the loss, `loss.backward()`,"
        f" `optimizer.step()`.",
        f"`{case.text(call.func)}` 不会进行训练：PyTorch 没有这样的方法，训练循环要自己写。`{owner}.train()` 只是切换模式，影响 dropout 和归一化。请写出循环：每一轮"
        f"依次是 `optimizer.zero_grad()`、计算损失、`loss.backward()`、`optimizer.step()`。",
        (),
    )


@finds(errors.STATE_TYPE)
def _state(case: Case) -> Finding | None:
    """``load_state_dict(model.parameters())``, or a whole model."""
    call = case.find(ast.Call)
    if call is None or not call.args:
        return None
    given = call.args[0]
    if case.value(given) is None:
        return None  # what is assigned to it was not
    made = definition(case, given)
    owner = ""
    if (
        isinstance(made, ast.Call)
        and isinstance(made.func, ast.Attribute)
        and isinstance(case.value(made.func.value), Layer)
    ):
        owner = case.text(made.func.value)
    elif isinstance(case.value(given), Layer):
        owner = case.text(given)
    if not owner:
        return None
    text = f"{owner}.state_dict()"
    target = (
        made
        if isinstance(made, ast.Call) and owner and made is not given and not isinstance(case.value(given), Layer)
        else given
    )
    whole = isinstance(case.value(given), Layer)
    what = "is the whole module" if whole else "has the tensors without their names"
    what_zh = "是整个模块" if whole else "只有张量而没有名字"
    return finding(
        case,
        f"{code(case, given)} {what}, and `load_state_dict` matches values by name. Give it the dictionary of names: `{text}`.",
        f"{code(case, given)} {what_zh}，而 `load_state_dict` 按名字对应。请给它带名字的字典：`{text}`。",
        case.fix(case.replace(target, text), case.statement(target)),
        target,
    )


@finds(errors.DERIVATIVE_VALUE, errors.ARGUMENT_TYPE, errors.DERIVATIVE_TYPE)
def _order(case: Case) -> Finding | None:
    """``functional_call(params, model, x)``."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2 or "functional_call" not in case.text(call.func):
        return None
    first, second = call.args[0], call.args[1]
    if not isinstance(case.value(second), Layer) or isinstance(case.value(first), Layer):
        return None
    text = f"{case.text(second)}, {case.text(first)}"
    return finding(
        case,
        f"The first two arguments are the other way round: {code(case, call.func)} takes the module and then its parameters. Write"
        f" `{case.text(call.func)}({text}, ...)`.",
        f"前两个参数的次序反了：{code(case, call.func)} 先要模块，再要参数。请写 `{case.text(call.func)}({text}, ...)`。",
        case.fix([*case.replace(first, case.text(second)), *case.replace(second, case.text(first))], call),
    )


@finds(errors.DERIVATIVE_CALL, errors.DERIVATIVE_TYPE)
def _number_for_tensor(case: Case) -> Finding | None:
    """A function to be differentiated that gives a number of Python."""
    call, told = case.find(ast.Call), str(case.details.get("message", ""))
    kind = re.search(r"<class '(\w+)'>", told) or re.search(r"got (?:type )?(\w+)", told)
    if call is None or "return only" not in told or kind is None:
        return None
    inner = call if call.args and isinstance(call.args[0], ast.Name | ast.Lambda) else call.func
    given = inner.args[0] if isinstance(inner, ast.Call) and inner.args else None
    functions = [one for one in case.nodes(ast.FunctionDef) if isinstance(given, ast.Name) and one.name == given.id]
    results = [given.body] if isinstance(given, ast.Lambda) else returned(functions[-1]) if functions else []
    if not results:
        return None
    result = results[-1]
    tail = (
        isinstance(result, ast.Call)
        and isinstance(result.func, ast.Attribute)
        and result.func.attr in ("item", "tolist", "numpy", "detach")
    )
    text = (
        case.text(result.func.value)
        if tail and isinstance(result, ast.Call) and isinstance(result.func, ast.Attribute)
        else ""
    )
    return finding(
        case,
        f"The function gives {code(case, result)} on line {line(result)}, which is no tensor but `{kind[1]}`, and only"
        f" tensors have derivatives. Return the tensor itself{f': `{text}`' if text else ''}.",
        f"函数在第 {line(result)} 行返回 {code(case, result)}，它不是张量而是 `{kind[1]}`，只有张量才有导数。请返回张量本身"
        f"{f'：`{text}`' if text else ''}。",
        write(case, result, text) if text else (),
        result,
    )


@finds(errors.MODULE_ARGUMENT)
def _no_fan(case: Case) -> Finding | None:
    """``xavier_uniform_`` of a bias."""
    call = case.find(ast.Call)
    if call is None or not call.args or "an in and fan out" not in str(case.details.get("message", "")):
        return None
    given = call.args[0]
    shape, name = shape_at(case, given) or (), case.text(given)
    text, edits = _matrices_alone(case, call, f"{name}.dim() > 1")
    more, more_zh = f", `{text}`, or set them to 0 with `nn.init.zeros_`", f" `{text}`，或者用 `nn.init.zeros_` 设为 0"
    if not isinstance(case.parents.get(case.statement(call) or call), ast.For):
        more, more_zh = f": `{text}`", f"：`{text}`"  # of weights, which a normalization needs as they are
    return finding(
        case,
        f"{code(case, call.func)} draws by the numbers of inputs and outputs of a matrix, and {code(case, given)} has the shape {list(shape)}, as"
        f" a bias or the weight of a normalization: it has none. Leave vectors out{more}.",
        f"{code(case, call.func)} 按矩阵的输入数和输出数来抽取随机数，而 {code(case, given)} 的形状是 {list(shape)}，像偏置或归一化层的权重，没有这两个数。"
        f"请跳过向量{more_zh}。",
        apply(case, edits, f"`{text}`", f"`{text}`") or (),
        given,
    )


def _matrices_alone(case: Case, call: ast.Call, condition: str) -> tuple[str, list[Edit]]:
    """A condition before a call that is for matrices: in the ``if`` around it, where nothing else takes what that then leaves out."""
    statement = case.statement(call)
    span = case.program.span_of(statement) if statement is not None else None
    outer = case.parents.get(statement) if statement is not None else None
    text = f"if {condition}:"
    if statement is None or span is None or span.line != span.end_line or not isinstance(outer, ast.For | ast.If):
        return text, []
    if isinstance(outer, ast.If) and outer.body == [statement] and not _takes_others(outer):
        test = case.text(outer.test)
        closed = isinstance(outer.test, ast.Compare | ast.Call | ast.Attribute | ast.Name) or (
            isinstance(outer.test, ast.BoolOp) and isinstance(outer.test.op, ast.And)
        )
        whole = f"{test if closed else f'({test})'} and {condition}"
        return f"if {whole}:", case.replace(outer.test, whole)
    if statement not in outer.body or case.line(span.line)[: span.column].strip():
        return text, []
    return text, case.before(statement, f"{text}\n{case.line(span.line)[: span.column]}    ")


def _takes_others(choice: ast.If) -> bool:
    """Whether an ``if`` with its ``elif`` ends with an ``else``."""
    while len(choice.orelse) == 1 and isinstance(choice.orelse[0], ast.If):
        choice = choice.orelse[0]
    return bool(choice.orelse)


@finds(errors.HOOK_SIZE)
def _hook_size(case: Case) -> Finding | None:
    """A hook that gives back a gradient of another shape."""
    for call in case.nodes(ast.Call):
        if getattr(call.func, "attr", "") not in ("register_hook", "register_prehook") or not call.args:
            continue
        given = call.args[0]
        functions = [one for one in case.nodes(ast.FunctionDef) if isinstance(given, ast.Name) and one.name == given.id]
        results = [given.body] if isinstance(given, ast.Lambda) else returned(functions[-1]) if functions else []
        owner = shape_at(case, call.func.value) if isinstance(call.func, ast.Attribute) else None
        if not results:
            continue
        result = results[-1]
        if isinstance(given, ast.Lambda) and isinstance(result, ast.BoolOp):
            return _hook_with_or(case, call, result)
        sizes = f" of shape {list(owner)}" if owner is not None else ""
        sizes_zh = f"（形状 {list(owner)}）" if owner is not None else ""
        reduced = isinstance(result, ast.Call) and getattr(result.func, "attr", "") in ("sum", "mean", "amax", "norm")
        hint = ", for example with `keepdim=True` and `.expand_as(...)`" if reduced else ""
        hint_zh = "，例如用 `keepdim=True` 再 `.expand_as(...)`" if reduced else ""
        return finding(
            case,
            f"The hook of line {line(call)} returns {code(case, result)} (line {line(result)}) in the place of the gradient{sizes}, and that has another"
            f" shape. Return a tensor of the same shape{hint}; to look at a value, print it and return nothing.",
            f"第 {line(call)} 行的钩子用 {code(case, result)}（第 {line(result)} 行）代替梯度{sizes_zh}，而两者形状不同。请返回形状相同的张量{hint_zh}；只想看数值"
            f"请打印它，什么都不返回。",
            (),
            result,
        )
    return None


def _hook_with_or(case: Case, call: ast.Call, result: ast.BoolOp) -> Finding:
    """``lambda g: norms.append(g.norm()) or g.norm()``: ``or`` gives back the second of the two."""
    first, last = result.values[0], result.values[-1]
    word = "or" if isinstance(result.op, ast.Or) else "and"
    text = case.text(first)
    return finding(
        case,
        f"{code(case, first)} gives `None`, so the hook of line {line(call)} returns what stands behind `{word}`, {code(case, last)}, and that takes the place"
        f" of the gradient, with another shape. A hook that only looks returns nothing: `{text}`.",
        f"{code(case, first)} 得到的是 `None`，于是第 {line(call)} 行的钩子返回 `{word}` 后面的 {code(case, last)}，它取代了梯度，形状却不同。只是查看的钩子不返回任何东西：`{text}`。",
        case.fix(case.replace(result, text), call) if word == "or" and len(result.values) == 2 else (),
        result,
    )


@finds(errors.OPTIMIZER_ARGUMENT, errors.MODULE_ARGUMENT)
def _one_for_each_group(case: Case) -> Finding | None:
    """Two functions for a schedule of one group of parameters."""
    call = case.find(ast.Call)
    told = re.search(
        r"Expected (\d+) (lr_lambdas|values? for [\w ]+), but got (\d+)", str(case.details.get("message", ""))
    )
    if call is None or told is None or len(call.args) + len(call.keywords) < 2:
        return None
    wanted, got = int(told[1]), int(told[3])
    given = call.args[1] if len(call.args) > 1 else call.keywords[0].value
    first = given.elts[0] if isinstance(given, ast.List | ast.Tuple) and given.elts else None
    text = case.text(first) if first is not None and wanted == 1 else ""
    optimizer = code(case, call.args[0]) if call.args else "optimizer"
    where, where_zh = place(case, call.args[0]) if call.args else ("", "")
    return finding(
        case,
        f"{code(case, given)} gives {got} functions, one for each group of parameters, and {optimizer}{where} has {wanted} group{'s' * (wanted != 1)}. Give"
        f" {wanted}{f': `{text}`' if text else ''}, or make the optimizer with {got} groups.",
        f"{code(case, given)} 给出了 {got} 个函数，每个参数组一个，而 {optimizer}{where_zh} 只有 {wanted} 个参数组。请给出 {wanted} 个"
        f"{f'：`{text}`' if text else ''}，或者创建优化器时分成 {got} 组。",
        case.fix(case.replace(given, text), call) if text else (),
        given,
    )


@finally_finds(errors.ARGUMENT_TYPE)
def _list_for_tensor(case: Case) -> Finding | None:
    """A list or a number where a tensor is needed."""
    if "Tensor" not in str(case.details.get("expected", case.details.get("wanted", "Tensor"))):
        return None
    call = case.find(ast.Call)
    for part in call.args if call is not None else ():
        value = case.value(part)
        if (
            isinstance(Flow(case).tensor(part), Tensor)
            or not isinstance(value, list | int | float)
            or isinstance(value, bool)
        ):
            continue
        if isinstance(value, list) and not all(isinstance(one, int | float | list) for one in value):
            continue
        torch, imports = case.with_torch()
        text = f"{torch}.tensor({case.text(part)})"
        where, where_zh = place(case, part)
        kind = type(value).__name__
        return finding(
            case,
            f"{code(case, part)}{where} is a plain `{kind}`, and {code(case, call.func) if call is not None else ''} computes with tensors. Make one of it: `{text}`.",
            f"{code(case, part)}{where_zh} 只是 `{kind}`，而 {code(case, call.func) if call is not None else ''} 要用张量计算。请变成张量：`{text}`。",
            case.fix([*case.replace(part, text), *imports], call),
            definition(case, part),
        )
    return None
