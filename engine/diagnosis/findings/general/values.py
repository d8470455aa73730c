"""Values of another kind than is needed: where they were made, and what to make of them."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, place
from gradflow.engine.diagnosis.findings.layers import LAYER_OF
from gradflow.engine.diagnosis.findings.words import code, finding, line, on_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit


@finds(errors.PARAMETER_TYPE)
def _no_tensors(case: Case) -> Finding | None:
    """What an optimizer is given in the place of parameters."""
    call = case.find(ast.Call)
    given = argument_of(call, 0, "params") if call is not None else None
    if call is None or given is None:
        return None
    parts = given.elts if isinstance(given, ast.List | ast.Tuple) else []
    for part in parts:
        value, made = case.value(part), definition(case, part)
        if isinstance(value, Tensor) or value is UNKNOWN:
            continue
        if isinstance(value, Layer):
            return None
        torch, _ = case.with_torch()
        text = f"{torch}.tensor({float(value)}, requires_grad=True)" if isinstance(value, int | float) else ""
        action = (
            f" Make it a tensor that requires a gradient: `{text}`."
            if text
            else " Give it tensors that require a gradient."
        )
        action_zh = f"请写成需要梯度的张量：`{text}`。" if text else "请给它需要梯度的张量。"
        where, where_zh = place(case, part)
        return finding(
            case,
            f"An optimizer changes tensors, and {code(case, part)}{where} is a plain `{type(value).__name__}`.{action}",
            f"优化器修改的是张量，而 {code(case, part)}{where_zh} 只是 `{type(value).__name__}`。{action_zh}",
            case.fix([*case.replace(made, text)], case.statement(made))
            if text and isinstance(made, ast.Constant)
            else (),
            made,
        )
    match given:
        case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if attr in (
            "state_dict",
            "named_parameters",
            "named_modules",
        ):
            text = f"{case.operand(owner)}.parameters()"
            return finding(
                case,
                f"{code(case, given)} gives names along with the tensors, and an optimizer takes the tensors alone. Write `{text}`.",
                f"{code(case, given)} 给出的是名字和张量，而优化器只要张量。请写 `{text}`。",
                case.fix(case.replace(given, text), call),
            )
    return None


@finds(errors.NO_MODULE_SUBCLASS)
def _list_of_layers(case: Case) -> Finding | None:
    """``nn.Sequential(layers)`` of a list."""
    call = case.find(ast.Call)
    if call is None:
        return None
    for given in call.args:
        value = case.value(given)
        if not isinstance(given, ast.Name | ast.List | ast.ListComp | ast.Tuple) or isinstance(value, Layer):
            continue
        if not isinstance(value, list | tuple) and isinstance(given, ast.Name):
            continue
        where, where_zh = place(case, given)
        text = f"*{case.text(given)}"
        return finding(
            case,
            f"{code(case, given)}{where} is one list, and {code(case, call.func)} takes the layers one by one. Unpack it with a star:"
            f" `{case.text(call.func)}({text})`.",
            f"{code(case, given)}{where_zh} 是一个列表，而 {code(case, call.func)} 要逐个给出各层。请用星号展开：`{case.text(call.func)}({text})`。",
            case.fix(case.before(given, "*"), call),
            given,
        )
    return None


_TAKERS: Final = {
    "checkpoint": (
        "the function and its arguments, to run it again in the backward pass",
        "函数和它的参数，以便在反向传播时重新运行",
    ),
    "vmap": ("a function, and gives one that works on batches", "一个函数，返回能处理一批数据的函数"),
    "grad": ("a function, and gives the one that computes its derivative", "一个函数，返回计算其导数的函数"),
    "register_hook": ("a function, which it calls with the gradient", "一个函数，并用梯度调用它"),
    "register_forward_hook": ("a function, which it calls after `forward`", "一个函数，并在 `forward` 之后调用它"),
    "LambdaLR": ("a function from the epoch to a factor", "由轮数得到系数的函数"),
    "map": ("a function, which it calls for each element", "一个函数，并对每个元素调用它"),
    "apply": ("a function, which it calls for each module", "一个函数，并对每个模块调用它"),
}


@finds(mistakes.NOT_CALLABLE)
def _result_for_function(case: Case) -> Finding | None:
    """``checkpoint(layer(x))`` for ``checkpoint(layer, x)``."""
    for call in case.nodes(ast.Call):
        name = called(call)
        given = next((one for one in call.args if isinstance(one, ast.Call)), None)
        if name not in _TAKERS or given is None or call.lineno > case.span.line or given.keywords:
            continue
        if not isinstance(Flow(case).tensor(given), Tensor) and not isinstance(case.value(given.func), Layer):
            continue
        what, what_zh = _TAKERS[name]
        inner = (
            [case.text(given.func), *(case.text(one) for one in given.args)]
            if name == "checkpoint"
            else [case.text(given.func)]
        )
        text = ", ".join(inner)
        return finding(
            case,
            f"{code(case, given)} is called here, so `{name}` gets its result, a tensor; it takes {what}. Give it the function without calling"
            f" it: `{case.text(call.func)}({text}{', ...' if len(call.args) > 1 or call.keywords else ''})`.",
            f"{code(case, given)} 在这里已经被调用，所以 `{name}` 得到的是结果，一个张量；它需要的是{what_zh}。请给出函数而不要调用："
            f"`{case.text(call.func)}({text}{', ...' if len(call.args) > 1 or call.keywords else ''})`。",
            case.fix(case.replace(given, text), call),
            given,
        )
    return None


@finds(errors.MODULE_TYPE, errors.OPTIMIZER_ARGUMENT)
def _no_optimizer(case: Case) -> Finding | None:
    """A schedule of a model."""
    call = case.find(ast.Call)
    told = re.search(r"(\w+) is not an Optimizer", str(case.details.get("message", "")))
    if call is None or told is None or not call.args:
        return None
    found = _optimizers_of(case, case.value(call.args[0]))
    text = found[0] if len(found) == 1 else "optimizer"
    where, where_zh = on_line(_given_to(case, text))
    given = call.args[0]
    first = (
        ""
        if found
        else f" Make one first, `optimizer = torch.optim.SGD({case.operand(given)}.parameters(), lr=0.1)`, and"
    )
    first_zh = (
        "" if found else f"请先创建一个：`optimizer = torch.optim.SGD({case.operand(given)}.parameters(), lr=0.1)`，再"
    )
    return finding(
        case,
        f"{code(case, call.func)} changes the learning rate of an optimizer, and {code(case, given)} is a `{told[1]}`."
        f"{first or ' Please'} give it the optimizer{where}: `{case.text(call.func)}({text}, ...)`.".replace(
            " Please give", " Give"
        ),
        f"{code(case, call.func)} 修改的是优化器的学习率，而 {code(case, given)} 是 `{told[1]}`。{first_zh or '请'}把优化器{where_zh}给它："
        f"`{case.text(call.func)}({text}, ...)`。",
        case.fix(case.replace(given, text), call) if found else (),
    )


def _given_to(case: Case, name: str) -> ast.Assign | None:
    """The last assignment to a name, or to an attribute, in front of the error."""
    made = [one for one in case.nodes(ast.Assign) if name in [ast.unparse(target) for target in one.targets]]
    return next((one for one in reversed(made) if one.lineno < case.span.line), None)


def _optimizers_of(case: Case, model: object) -> list[str]:
    """The names, also of attributes of ``self``, that stand for optimizers; of a known model for those of its parameters."""
    own = getattr(case.values.get("self"), "__dict__", {})
    held = {**case.values, **{f"self.{name}": value for name, value in own.items()}}
    found = {name: value for name, value in held.items() if isinstance(value, Optimizer)}
    trained = {id(one) for one in model.parameters()} if isinstance(model, Layer) else set()
    fitting = [
        name
        for name, value in found.items()
        if any(id(one) in trained for group in value.param_groups for one in group["params"])
    ]
    return fitting or list(found)


@finds(errors.DEVICE_STRING, errors.INVALID_DEVICE)
def _device(case: Case) -> Finding | None:
    """``"cuda0"``."""
    wrong = str(case.details.get("device", ""))
    told = re.fullmatch(r"(cuda|cpu|mps)[ _-]?(\d+)", wrong)
    named = [one for one in case.nodes(ast.Constant) if one.value == wrong]
    if told is None or not named:
        return None
    quote = case.text(named[0])[:1]
    return finding(
        case,
        f"`{case.text(named[0])}` on line {line(named[0])} lacks the colon between the kind of device and its number: it is written"
        f" `{told[1]}:{told[2]}`. There is no graphics card here; write `{quote}cpu{quote}`.",
        f"第 {line(named[0])} 行的 `{case.text(named[0])}` 少了设备种类与编号之间的冒号：应写成 `{told[1]}:{told[2]}`。这里没有显卡，请写"
        f" `{quote}cpu{quote}`。",
        case.fix(case.replace(named[0], f"{quote}cpu{quote}"), case.statement(named[0])),
        named[0],
    )


def _layers_of_their_own(case: Case, row: ast.AST | None) -> list[Edit]:
    """All activations that stand in the layers of a row put behind these; no edits where one of them is not known."""
    edits: list[Edit] = []
    parts = row.args if isinstance(row, ast.Call) else row.elts if isinstance(row, ast.List) else []
    for call in parts:
        given = [one for one in call.keywords if one.arg == "activation"] if isinstance(call, ast.Call) else []
        if not given or not isinstance(call, ast.Call):
            continue
        word = given[0].value.value if isinstance(given[0].value, ast.Constant) else None
        name = LAYER_OF.get(str(word).lower())
        if name is None or not isinstance(call.func, ast.Attribute):
            return []
        edits += case.without_argument(call, given[0])
        edits += case.after(call, f", {case.operand(call.func.value)}.{name}()")
    return edits


@finds(errors.UNEXPECTED_KEYWORD, errors.INVALID_KEYWORD)
def _activation(case: Case) -> Finding | None:
    """``nn.Linear(4, 8, activation='relu')``, as in Keras."""
    call = case.find(ast.Call)
    given = next((one for one in call.keywords if one.arg == "activation"), None) if call is not None else None
    if call is None or given is None or not isinstance(given.value, ast.Constant):
        return None
    name = LAYER_OF.get(str(given.value.value).lower())
    if name is None or not isinstance(call.func, ast.Attribute):
        return None
    layer = f"{case.operand(call.func.value)}.{name}()"
    parent = case.parents.get(call)
    inside = isinstance(parent, ast.Call | ast.List) and "Sequential" in case.text(getattr(parent, "func", parent))
    edits = _layers_of_their_own(case, parent) if inside else []
    return finding(
        case,
        f"A layer of Keras has its activation inside; in PyTorch it is a layer of its own, and {code(case, call.func)} has no argument"
        f" `activation`. Put `{layer}` behind it.",
        f"Keras 的层自带激活函数；PyTorch 的激活函数是单独的一层，{code(case, call.func)} 没有参数 `activation`。请在它后面加上 `{layer}`。",
        case.fix(edits, None) if inside else (),
        given.value,
    )
