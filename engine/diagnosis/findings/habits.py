"""Habits of NumPy, of TensorFlow and Keras, and of old PyTorch, with what is written here in their place."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.cuts import array_of_torch
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.sandbox.stand_ins import Module as ModuleStandIn
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix


@dataclass(frozen=True)
class Habit:
    """Whose word it is, and what PyTorch says: a name in its place, or a pattern over ``{owner}`` and ``{args}``."""

    whose: str
    name: str = ""
    pattern: str = ""
    en: str = ""
    zh: str = ""
    whole: bool = False
    """Whether these words tell, too, that PyTorch has none."""


_K, _N, _T, _O = "Keras", "NumPy", "TensorFlow", "an old PyTorch"
_WHOSE_ZH: Final = {_O: "旧版 PyTorch"}

_NN: Final = {
    "Dense": Habit(_K, "Linear"),
    "Conv2D": Habit(_K, "Conv2d"),
    "Conv1D": Habit(_K, "Conv1d"),
    "Conv3D": Habit(_K, "Conv3d"),
    "MaxPooling2D": Habit(_K, "MaxPool2d"),
    "MaxPool2D": Habit(_K, "MaxPool2d"),
    "MaxPooling1D": Habit(_K, "MaxPool1d"),
    "AveragePooling2D": Habit(_K, "AvgPool2d"),
    "AvgPool2D": Habit(_K, "AvgPool2d"),
    "Conv2DTranspose": Habit(_K, "ConvTranspose2d"),
    "GlobalAveragePooling2D": Habit(_K, pattern="{module}.AdaptiveAvgPool2d(1)"),
    "LayerNormalization": Habit(_K, "LayerNorm"),
    "BatchNormalization": Habit(_K, "BatchNorm1d"),
    "Activation": Habit(_K),
    "InputLayer": Habit(_K),
    "SimpleRNN": Habit(_K, "RNN"),
    "BinaryCrossentropy": Habit(_K, "BCELoss"),
    "BinaryCrossEntropy": Habit(_K, "BCELoss"),
    "MeanSquaredError": Habit(_K, "MSELoss"),
    "MeanAbsoluteError": Habit(_K, "L1Loss"),
    "SparseCategoricalCrossentropy": Habit(_K, "CrossEntropyLoss"),
    "CategoricalCrossentropy": Habit(_K, "CrossEntropyLoss"),
    "MAELoss": Habit(_K, "L1Loss"),
    "Model": Habit(_K, "Module"),
}
_TORCH: Final = {
    "array": Habit(_N, "tensor"),
    "expand_dims": Habit(_N, "unsqueeze"),
    "power": Habit(_N, "pow"),
    "mod": Habit(_N, "remainder"),
    "random_normal": Habit(_T, "randn"),
    "reduce_sum": Habit(_T, "sum"),
    "reduce_mean": Habit(_T, "mean"),
    "reduce_max": Habit(_T, "amax"),
    "reduce_min": Habit(_T, "amin"),
    "constant": Habit(_T, "tensor"),
    "cast": Habit(_T),
    "GradientTape": Habit(
        _T,
        en="PyTorch records while the program runs: make the leaves with `requires_grad=True` and call"
        " `loss.backward()`.",
        zh="PyTorch 在程序运行时就记录：创建叶子张量时写上 `requires_grad=True`，然后调用 `loss.backward()`。",
    ),
    "gradients": Habit(_T, "autograd.grad"),
    "placeholder": Habit(_T),
    "Session": Habit(_T),
    "identity": Habit(_N, "eye"),
    "Variable": Habit(_O, pattern="{args}", en="A tensor is its own variable today.", zh="现在张量本身就是变量。"),
    "absolute_value": Habit(_N, "abs"),
    "conv2d_nn": Habit(_T),
    "matrix_multiply": Habit(_N, "matmul"),
    "asarray_": Habit(_N, "asarray"),
    "softmax_cross_entropy_with_logits": Habit(_T, "nn.functional.cross_entropy"),
    "random_uniform": Habit(_T, "rand"),
}
_TENSOR: Final = {
    "copy": Habit(_N, "clone"),
    "expand_dims": Habit(_N, "unsqueeze"),
    "assign": Habit(_T, "copy_"),
    "ndims": Habit(_N, "ndim"),
    "assign_add": Habit(_T, "add_"),
    "assign_sub": Habit(_T, "sub_"),
    "fill": Habit(_N, "fill_"),
    "set_shape": Habit(_T, "reshape"),
    "get_shape": Habit(_T, "size"),
    "reduce_sum": Habit(_T, "sum"),
    "reduce_mean": Habit(_T, "mean"),
    "eval": Habit(_T, "item"),
    "asscalar": Habit(_N, "item"),
    "power": Habit(_N, "pow"),
    "as_numpy": Habit(_N, "numpy"),
    "dtypes": Habit(_N, "dtype"),
    "concatenate": Habit(_N),
    "shapes": Habit(_N, "shape"),
    "tostring": Habit(_N),
    "is_leaf_": Habit(_O, "is_leaf"),
    "creator": Habit(_O, "grad_fn"),
    "data_": Habit(_O, "data"),
    "toarray": Habit(_N, "numpy"),
    "grads": Habit(_N, "grad"),
    "gradient": Habit(_T, "grad"),
    "as_list": Habit(_T, "tolist"),
}
_LAYER: Final = {
    "trainable_variables": Habit(_K, pattern="{owner}.parameters()"),
    "trainable_weights": Habit(_K, pattern="{owner}.parameters()"),
    "variables": Habit(_K, pattern="{owner}.parameters()"),
    "predict": Habit(_K, pattern="{owner}({args})"),
    "weights": Habit(_K, "weight"),
    "kernel": Habit(_K, "weight"),
    "biases": Habit(_K, "bias"),
    "params": Habit(_K, "parameters"),
    "summary": Habit(_K, pattern="print({owner})"),
    "get_weights": Habit(_K, "state_dict"),
    "set_weights": Habit(_K, "load_state_dict"),
    "fit": Habit(
        _K,
        en="PyTorch has no `fit`: write the loop, with `optimizer.zero_grad()`, `loss.backward()` and `optimizer.step()` in each turn.",
        zh="PyTorch 没有 `fit`：请自己写训练循环，每一轮依次调用 `optimizer.zero_grad()`、`loss.backward()` 和 `optimizer.step()`。",
        whole=True,
    ),
    "evaluate": Habit(
        _K,
        en="PyTorch has no `evaluate`: compute the loss under `torch.no_grad()`.",
        zh="PyTorch 没有 `evaluate`：请在 `torch.no_grad()` 下计算损失。",
        whole=True,
    ),
    "training_mode": Habit(_O, "train"),
    "evaluate_": Habit(_O, "eval"),
}
_OPTIMIZER: Final = {
    "zero_gradients": Habit(_O, "zero_grad"),
    "zero_grads": Habit(_O, "zero_grad"),
    "update": Habit(_O, "step"),
    "clear_grad": Habit("Paddle", "zero_grad"),
    "apply_gradients": Habit(_T, pattern="{owner}.step()"),
    "minimize": Habit(_T, pattern="{owner}.zero_grad(); {args}.backward(); {owner}.step()"),
    "clear_gradients": Habit(_O, "zero_grad"),
}


@finds(errors.NO_MODULE_ATTRIBUTE, errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _habit(case: Case) -> Finding | None:
    node = case.find(ast.Attribute)
    if node is None:
        return None
    owner = case.details.get("value", case.value(node.value))
    module = str(case.details.get("module", ""))
    known = _table(owner, module).get(node.attr)
    return _astype(case, node, owner) or (_told(case, node, known, module) if known is not None else None)


def _table(owner: object, module: str) -> dict[str, Habit]:
    if isinstance(owner, ModuleStandIn) or module:
        return _TORCH if module == "torch" else _NN if module == "torch.nn" else {}
    for kind, table in ((Tensor, _TENSOR), (Layer, _LAYER), (Optimizer, _OPTIMIZER)):
        if isinstance(owner, kind):
            return table
    return {}


def _told(case: Case, node: ast.Attribute, habit: Habit, module: str) -> Finding:
    parent = case.parents.get(node)
    call = parent if isinstance(parent, ast.Call) and parent.func is node else None
    fix = _fix(case, node, habit, call)
    instead = fix.title.en if fix is not None and fix.title.en.startswith("`") else ""
    whose_zh = _WHOSE_ZH.get(habit.whose, habit.whose)
    what = f"in `{module}`" if module else f"on {code(case, node.value)}"
    what_zh = f"`{module}` 里" if module else f"{code(case, node.value)} 上"
    en = f"`{node.attr}` is a word of {habit.whose}; there is none {what} in PyTorch."
    zh = f"`{node.attr}` 是{'' if whose_zh[:1] > '~' else ' '}{whose_zh} 的写法；PyTorch 的 {what_zh}没有它。"
    if habit.whole:
        return finding(
            case,
            f"`{node.attr}` is a word of {habit.whose}. {habit.en}",
            f"`{node.attr}` 是 {whose_zh} 的写法。{habit.zh}",
            fix,
        )
    if habit.en:
        return finding(case, f"{en} {habit.en}", f"{zh}{habit.zh}", fix)
    if instead:
        return finding(case, f"{en} Write {instead}.", f"{zh}请写成 {instead}。", fix)
    return finding(
        case,
        f"{en} Look for the same step in the reference of operations.",
        f"{zh}请在操作参考手册里查找同样的步骤。",
    )


def _fix(case: Case, node: ast.Attribute, habit: Habit, call: ast.Call | None) -> Fix | None:
    if habit.pattern:
        given = ", ".join(case.text(one) for one in (*call.args, *call.keywords)) if call is not None else ""
        owner = _whole_text(case, node)
        text = habit.pattern.format(owner=owner, args=given, module=owner)
        return write(case, call or node, text)
    if not habit.name:
        return None
    same = [one for one in case.nodes(ast.Attribute) if one.attr == node.attr and case.text(one) == case.text(node)]
    edits = [edit for one in same for edit in case.rename_end(one, node.attr, habit.name)]
    return case.fix(edits, call or node)


def _whole_text(case: Case, node: ast.Attribute) -> str:
    """What stands in front of the dot, in its brackets."""
    return case.text(node).rpartition(".")[0].rstrip()


def _astype(case: Case, node: ast.Attribute, owner: object) -> Finding | None:
    """``x.astype(np.float32)``: NumPy's method, and perhaps its dtype."""
    call = case.parents.get(node)
    if node.attr != "astype" or not isinstance(owner, Tensor) or not isinstance(call, ast.Call) or not call.args:
        return None
    given = call.args[0]
    name = (
        given.attr
        if isinstance(given, ast.Attribute)
        else given.id
        if isinstance(given, ast.Name)
        else case.value(given)
    )
    short = {
        "float32": "float",
        "float64": "double",
        "int64": "long",
        "int": "long",
        "int32": "int",
        "bool": "bool",
        "bool_": "bool",
    }.get(str(name))
    whole = _whole_text(case, node)
    text = f"{whole}.{short}()" if short else f"{whole}.to({case.text(given)})"
    return finding(
        case,
        f"`astype` is a word of NumPy; a tensor is converted with `.to(...)` or a method such as `.float()`. Write `{text}`.",
        f"`astype` 是 NumPy 的写法；张量用 `.to(...)` 或 `.float()` 这样的方法转换。请写成 `{text}`。",
        write(case, call, text),
    )


# -- NumPy's functions on tensors --------------------------------------------------------------------------------------


@finds(errors.NUMPY_REQUIRES_GRAD)
def _numpy_function(case: Case) -> Finding | None:
    """``np.stack([a, b])`` of tensors that require a gradient."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    is_numpy = _is_numpy(case, call)
    if call.func.attr == "numpy" or not is_numpy:
        return _values_only(case, call)
    statement = case.statement(call)
    calls = [one for one in ast.walk(statement or call) if isinstance(one, ast.Call) and _is_numpy(case, one)]
    if (found := _only_shown(case, call)) is not None:
        return found
    each = [array_of_torch(case, one) for one in calls]
    edits = list(dict.fromkeys(edit for found in each for edit in found)) if all(each) else []
    return finding(
        case,
        f"`{case.text(call.func)}` is a function of NumPy, which knows nothing of gradients, and {code(case, call.args[0])}"
        f" requires one. Use the function of `torch`, which keeps the graph.",
        f"`{case.text(call.func)}` 是 NumPy 的函数，不认识梯度，而 {code(case, call.args[0])} 需要梯度。请用 `torch` 的函数，它会保留"
        f"计算图。",
        case.fix(edits, call),
    )


def _only_shown(case: Case, call: ast.Call) -> Finding | None:
    """``print(mape(load, out))``, where ``mape`` computes with NumPy."""
    function = case.enclosing(call, ast.FunctionDef)
    names = [one.arg for one in function.args.args] if function is not None else []
    given = call.args[0] if call.args else None
    sites = [one for one in case.nodes(ast.Call) if function is not None and called(one) == function.name]
    if function is None or not isinstance(given, ast.Name) or given.id not in names or len(sites) != 1:
        return None
    site, shown = sites[0], case.enclosing(sites[0], ast.Expr)
    at = names.index(given.id) - (names[0] == "self")
    outer = shown.value if shown is not None else None
    if not isinstance(outer, ast.Call) or called(outer) not in ("print", "append") or at >= len(site.args):
        return None
    argument = site.args[at]
    meant = case.text(site).replace(case.text(argument), f"{case.operand(argument)}.detach()", 1)
    return finding(
        case,
        f"`{function.name}` computes with NumPy, which knows nothing of gradients, and {code(case, argument)} on line {line(site)} requires one."
        f" What is only shown needs none: hand it over cut off from the graph, `{case.operand(argument)}.detach()`.",
        f"`{function.name}` 用 NumPy 计算，而 NumPy 不认识梯度；第 {line(site)} 行的 {code(case, argument)} 却需要梯度。只用来查看的值不需要梯度："
        f"请先从计算图断开再传入，`{case.operand(argument)}.detach()`。",
        apply(case, case.followed(argument, ".detach()"), f"`{meant}`", f"`{meant}`"),
        site,
    )


def _is_numpy(case: Case, call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(value=ast.Name(id=owner)):
            return owner == case.module_alias("numpy")
    return False


def _values_only(case: Case, call: ast.Call) -> Finding | None:
    match call:
        case ast.Call(func=ast.Attribute(value=value, attr="numpy")):
            flow = Flow(case)
            why = next((code(case, one) for one in flow.behind(value) if isinstance(case.value(one), Layer)), None)
            en = f"{code(case, value)} carries a graph" + (
                f", for the parameters of {why} require gradients" if why else ""
            )
            zh = f"{code(case, value)} 带着计算图" + (f"（{why} 的参数需要梯度）" if why else "")
            modes, modes_zh = ("", "")
            if why and ".eval()" in case.program.source and "no_grad" not in case.program.source:
                modes = " `eval()` does not switch gradients off; `with torch.no_grad():` around the call of the model does."
                modes_zh = "`eval()` 不会关闭梯度；在调用模型处写 `with torch.no_grad():` 才会。"
            return finding(
                case,
                f"{en}, and NumPy would lose it without a word.{modes} If only the values are wanted, say so:"
                f" `{case.operand(value)}.detach().numpy()`.",
                f"{zh}，而转成 NumPy 会悄悄丢掉它。{modes_zh}如果只要数值，请写明：`{case.operand(value)}.detach().numpy()`。",
                case.fix(case.followed(value, ".detach()"), call),
            )
    return None
