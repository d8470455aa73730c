"""Results where functions are wanted, layers that are made with tensors, and steps of an optimizer that are given a loss."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, called, gone_through
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.words import code, finding, line, on_line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.language import mistakes
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.sandbox.program import PROGRAM_FILE
from gradflow.engine.tensor import Tensor

_SCHEDULES: Final = frozenset({"LambdaLR", "MultiplicativeLR"})


def _is_own(value: object) -> bool:
    """Whether a thing is a function of the program, or an object of a class of it."""
    place = getattr(value, "__code__", getattr(type(value).__dict__.get("__call__"), "__code__", None))
    return place is not None and place.co_filename == PROGRAM_FILE


def _results(case: Case, call: ast.Call) -> Iterator[tuple[ast.expr, ast.Call]]:
    """The arguments of a call that are results of functions of the program, or of layers, with the calls that gave them."""
    for given in (*call.args, *(one.value for one in call.keywords)):
        made = definition(case, given)
        if not isinstance(made, ast.Call):
            continue
        function = case.value(made.func)
        if isinstance(function, Layer) or _is_own(function) or Flow(case).called(made):
            yield given, made


@finds(mistakes.NOT_CALLABLE)
def _result_for_function(case: Case) -> Finding | None:
    """``jacobian(f(x), x)``, ``LambdaLR(optimizer, warmup(0))``."""
    through = gone_through(case)
    call = definition(case, through) if through is not None and case.find(ast.For) is not None else case.find(ast.Call)
    if (
        not isinstance(call, ast.Call)
        or _is_own(case.value(call.func))
        or isinstance(case.value(call.func), Layer | Tensor)
    ):
        return None
    name = called(call)
    if isinstance(call.func, ast.Attribute) and isinstance(case.value(call.func.value), Optimizer):
        return None
    value = case.value(call.func)
    if name not in _TAKING or Flow(case).called(call) or not (value is UNKNOWN or callable(value)):
        return None
    for given, made in _results(case, call):
        others = [case.text(one) for one in call.args if one is not given]
        if isinstance(call.func, ast.Attribute):
            others.append(case.text(call.func.value))
        arguments = [case.text(one) for one in made.args]
        function = case.text(made.func)
        same = not made.keywords and all(one in others for one in arguments)
        once = name in _SCHEDULES and len(arguments) == 1 and not made.keywords
        kind, kind_zh = _kind(case)
        where, where_zh = on_line(made) if made is not given else ("", "")
        return finding(
            case,
            f"{code(case, made)}{where} calls `{function}` already, so `{name}` is given its result{kind}; it takes the function itself and"
            f" calls it. Give it the function, without brackets behind it: `{function}`.",
            f"{code(case, made)}{where_zh} 已经调用了 `{function}`，所以 `{name}` 得到的是它的结果{kind_zh}；它需要的是函数本身，由它来调用。请把函数交给它，"
            f"后面不加括号：`{function}`。",
            write(case, given, function, call) if same or once else (),
            made,
        )
    return None


def _kind(case: Case) -> tuple[str, str]:
    """What the result was that could not be called."""
    name = str(case.details.get("type", ""))
    known = {
        "Tensor": (", a tensor", "（张量）"),
        "NoneType": (", which is `None`", "（`None`）"),
        "float": (", a number", "（一个数）"),
        "int": (", a number", "（一个数）"),
    }
    return known.get(name, ("", ""))


@finds(mistakes.NOT_CALLABLE)
def _hook_that_was_called(case: Case) -> Finding | None:
    """``y.register_hook(show(y))``: the hook is what ``show`` gave back, and is called in the backward pass."""
    call = case.find(ast.Call)
    if call is None or (called(call) not in ("backward", "grad") and not isinstance(case.value(call.func), Layer)):
        return None
    for one in case.nodes(ast.Call):
        if not called(one).startswith("register_") or "hook" not in called(one) or len(one.args) != 1:
            continue
        made = definition(case, one.args[0])
        if not isinstance(made, ast.Call) or not _is_own(case.value(made.func)):
            continue
        if any(
            isinstance(back, ast.Lambda) or _is_own(case.value(back))
            for each in Flow(case).called(made)
            for back in returned(each)
        ):
            continue
        text = case.text(made.func)
        kind, kind_zh = _kind(case)
        return finding(
            case,
            f"{code(case, made)} on line {line(made)} calls `{text}` at once, and `{called(one)}` keeps its result{kind}, for a hook, which is called here."
            f" Give it the function, without brackets behind it: `{text}`.",
            f"第 {line(made)} 行的 {code(case, made)} 立即调用了 `{text}`，`{called(one)}` 把它的结果{kind_zh}当作钩子保存，到这里才调用。请把函数交给它，后面不加括号："
            f"`{text}`。",
            write(case, one.args[0], text, one),
            made,
        )
    return None


_TAKING: Final = frozenset(
    {"jacobian", "hessian", "vjp", "jvp", "hvp", "vhp", "grad", "grad_and_value", "vmap", "jacrev", "jacfwd", "linearize",
     "checkpoint", "LambdaLR", "MultiplicativeLR", "DataLoader", "map", "filter", "apply", "register_forward_hook",
     "register_hook", "register_forward_pre_hook", "register_full_backward_hook", "map_", "partial", "gradcheck"}
)  # fmt: skip


@finds(mistakes.NOT_CALLABLE)
def _loss_for_closure(case: Case) -> Finding | None:
    """``optimizer.step(loss)``."""
    call = case.find(ast.Call)
    match call:
        case ast.Call(func=ast.Attribute(value=owner, attr="step"), args=[given], keywords=[]):
            pass
        case _:
            return None
    if call is None or not isinstance(case.value(owner), Optimizer) or Flow(case).tensor(given) is None:
        return None
    return finding(
        case,
        f"`{case.text(call.func)}` changes the parameters by the gradients that `backward` has left in them, and takes no loss; the one thing that"
        f" it can be given is a function that computes it. Call it with empty brackets, behind `{case.operand(given)}.backward()`:"
        f" `{case.text(call.func)}()`.",
        f"`{case.text(call.func)}` 按 `backward` 留在参数里的梯度来更新参数，不接受损失；唯一可以传给它的是计算损失的函数。请在"
        f" `{case.operand(given)}.backward()` 之后不带参数地调用：`{case.text(call.func)}()`。",
        case.fix(case.without_argument(call, given), call),
        given,
    )


# -- layers made with tensors ------------------------------------------------------------------------------------------

_LAYERS: Final = ("Linear", "Conv1d", "Conv2d", "Conv3d")


@finds(errors.UNPACK, errors.ELEMENT_TYPE, errors.ARGUMENT_TYPE, errors.INVALID_COMBINATION, mistakes.OPERAND_TYPES)
def _tensor_for_size(case: Case) -> Finding | None:
    """``nn.Linear(x, 10)``, as the layers of Keras are called."""
    call = case.find(ast.Call)
    kind = case.value(call.func) if call is not None else UNKNOWN
    if call is None or not isinstance(kind, type) or kind.__name__ not in _LAYERS or len(call.args) < 2:
        return None
    shape = shape_at(case, call.args[0])
    if shape is None or not shape:
        return None
    at = -1 if kind.__name__ == "Linear" else 1
    if len(shape) <= abs(at) and at > 0:
        return None
    size = shape[at]
    rest = ", ".join(case.text(one) for one in (*call.args[1:], *call.keywords))
    x, function = case.text(call.args[0]), case.text(call.func)
    text = f"{function}({size}, {rest})({x})"
    inside = _runs_often(case, call)
    where = " Make it once, before: here it would have new weights each time." if inside else ""
    where_zh = "请事先只创建一次：写在这里，每次都会是新的权重。" if inside else ""
    return finding(
        case,
        f"The brackets of `{function}` make the layer and take its sizes, and {code(case, call.args[0])}, of shape {list(shape)}, is its input:"
        f" first how many numbers come in, here {size}, then how many go out. The layer that this makes is applied to the input:"
        f" `{text}`.{where}",
        f"`{function}` 的括号是用来创建层的，要写它的大小，而 {code(case, call.args[0])}（形状 {list(shape)}）是输入：先写输入多少个数（这里是 {size}），再写输出"
        f"多少个。创建出的层再作用在输入上：`{text}`。{where_zh}",
        () if inside else write(case, call, text),
        call,
    )


def _runs_often(case: Case, node: ast.AST) -> bool:
    """Whether a layer that was made here would be made anew in each call or turn."""
    around = (ast.FunctionDef, ast.Lambda, ast.For, ast.While)
    return any(case.enclosing(node, kind) is not None for kind in around)


@finds(errors.ARGUMENT_TYPE)
def _sizes_for_weights(case: Case) -> Finding | None:
    """``F.linear(x, 3, 4)``: the function takes the weights, the layer their sizes."""
    call = case.find(ast.Call)
    name = called(call) if call is not None else ""
    layer = {"linear": "Linear", "conv1d": "Conv1d", "conv2d": "Conv2d", "conv3d": "Conv3d"}.get(name)
    if call is None or layer is None or str(case.details.get("argument")) != "weight" or len(call.args) < 2:
        return None
    sizes = call.args[1:]
    if any(not isinstance(case.value(one), int) for one in sizes):
        return None
    nn = case.module_alias("torch.nn") or f"{case.module_alias('torch') or 'torch'}.nn"
    if isinstance(case.value(call.func), type) or f"{name}(" not in case.text(call):
        return None
    nn = "nn" if "nn" in case.values else nn
    given = ", ".join(case.text(one) for one in (*sizes, *call.keywords))
    text = f"{nn}.{layer}({given})({case.text(call.args[0])})"
    return finding(
        case,
        f"`{case.text(call.func)}` takes the weights themselves, tensors, and is given sizes here. What makes weights of these sizes and keeps them"
        f" is the layer: make `{nn}.{layer}({given})` once, before, and apply it to {code(case, call.args[0])}.",
        f"`{case.text(call.func)}` 需要的是权重张量本身，而这里给的是大小。按大小创建并保存权重的是层：请事先创建一次 `{nn}.{layer}({given})`，再作用在"
        f" {code(case, call.args[0])} 上。",
        write(case, call, text) if len(sizes) > 1 + (layer != "Linear") and not _runs_often(case, call) else (),
        call,
    )


@finds(errors.NO_MODULE_SUBCLASS, errors.NO_METHOD)
def _class_for_layer(case: Case) -> Finding | None:
    """``nn.TransformerEncoder(nn.TransformerEncoderLayer, 2)``."""
    call = case.find(ast.Call)
    for given in (*call.args, *(one.value for one in call.keywords)) if call is not None else ():
        kind = case.value(given)
        if not isinstance(kind, type) or not issubclass(kind, Layer):
            continue
        name = case.text(given)
        return finding(
            case,
            f"`{name}` is the class, and {code(case, call.func if call is not None else given)} takes a layer that was made of it. Make one, with its sizes in"
            f" brackets: `{name}(...)`.",
            f"`{name}` 是类，而 {code(case, call.func if call is not None else given)} 需要由它创建的层。请创建一个，在括号里写上它的大小：`{name}(...)`。",
            write(case, given, f"{name}()", call) if kind.__name__ in _WITHOUT_SIZES else (),
            given,
        )
    return None


_WITHOUT_SIZES: Final = frozenset(
    {"ReLU", "Tanh", "Sigmoid", "GELU", "SiLU", "ELU", "LeakyReLU", "Softplus", "Flatten", "Identity"}
)
