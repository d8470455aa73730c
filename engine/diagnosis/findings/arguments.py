"""Arguments: keywords with another name, numbers of another dtype, indices and sizes out of place."""

from __future__ import annotations

import ast
from itertools import islice
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.inputs.dtypes import odd_operand
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.models.sequences import kept_from_the_beginning, of_one_batch, of_this_batch
from gradflow.engine.diagnosis.findings.sizes_written import layers_written, order_written
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import FIXERS, finds
from gradflow.engine.diagnosis.fixes.calls import parameters_of
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.error_kind import Shape
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix

_KEYWORDS: Final = {
    **dict.fromkeys(("axis", "axes", "keepdims", "ddof"), "NumPy"),
    **dict.fromkeys(("learning_rate", "units", "activation", "input_shape", "filters", "strides", "decay"), "Keras"),
    **dict.fromkeys(("retain_variables", "size_average"), "an old PyTorch"),
    "input_dim": "Keras",
}


@finds(errors.UNEXPECTED_KEYWORD, errors.INVALID_KEYWORD, errors.UNRECOGNIZED_KEYWORDS, errors.INVALID_COMBINATION)
def _keyword(case: Case) -> Finding | None:
    call = case.find(ast.Call)
    wrong = str(case.details.get("keyword", case.details.get("keywords", ""))).split(",")[0].strip()
    wrong = wrong or _foreign(call)
    given = next((keyword for keyword in call.keywords if keyword.arg == wrong), None) if call is not None else None
    if call is None or given is None:
        return None
    names = [name for name in parameters_of(case, call) if name not in ("self", "args", "kwargs", "input")]
    if "reduction" in names and wrong.startswith(("reduc", "size_av", "average", "mean")):
        return _reduction(case, call, given, wrong)
    fixer = FIXERS.get(errors.UNEXPECTED_KEYWORD.code)
    fix = (fixer(case) if fixer is not None else None) or _translated(case, call)
    whose = f"`{wrong}` is a word of {_KEYWORDS[wrong]}; " if wrong in _KEYWORDS else ""
    whose_zh = f"`{wrong}` 是 {_KEYWORDS[wrong]} 的写法；" if wrong in _KEYWORDS else ""
    whose_zh = whose_zh.replace("an old PyTorch", "旧版 PyTorch")
    listed = ", ".join(f"`{name}`" for name in names[:12])
    has = f" It takes {'among others ' * (len(names) > 12)}{listed}." if listed else ""
    has_zh = f"它的参数有 {listed.replace(', ', '、')}{' 等' * (len(names) > 12)}。" if listed else ""
    shown, shown_zh = (f" Write {fix.title.en}.", f"请写成 {fix.title.zh}。") if fix is not None else ("", "")
    away = (
        ("", "")
        if fix is not None
        else (
            f" Leave `{wrong}` out{', or use one of these' * bool(listed)}.",
            f"请去掉 `{wrong}`{'，或改用其中之一' * bool(listed)}。",
        )
    )
    return finding(
        case,
        f"{whose}{code(case, call.func)} has no argument called `{wrong}`.{has}{shown}{away[0]}",
        f"{whose_zh}{code(case, call.func)} 没有名为 `{wrong}` 的参数。{has_zh}{shown_zh}{away[1]}",
        fix,
        given,
    )


_DIMENSIONS: Final = {
    "axis": "dim",
    "axes": "dim",
    "dimension": "dim",
    "keepdims": "keepdim",
    "keep_dims": "keepdim",
    "ddof": "correction",
}


def _translated(case: Case, call: ast.Call) -> Fix | None:
    """The words of NumPy in a method of a tensor, all at once."""
    given = [keyword for keyword in call.keywords if keyword.arg in _DIMENSIONS]
    edits = [edit for one in given for edit in case.replace(one, f"{_DIMENSIONS[str(one.arg)]}={case.text(one.value)}")]
    return case.fix(edits, call)


def _foreign(call: ast.Call | None) -> str:
    """The first keyword of a call that is a word of another library."""
    return next(
        (str(keyword.arg) for keyword in (call.keywords if call is not None else ()) if keyword.arg in _KEYWORDS), ""
    )


def _reduction(case: Case, call: ast.Call, given: ast.keyword, wrong: str) -> Finding:
    words = ["mean", "sum"] if case.value(given.value) is not False else ["sum", "mean"]
    fixes = [case.fix(case.replace(given, f'reduction="{word}"'), call) for word in words]
    return finding(
        case,
        f"{code(case, call.func)} has no argument `{wrong}`; how the losses of the elements become one is said by `reduction`,"
        f' a text: `"mean"`, `"sum"` or `"none"`. Write `reduction="{words[0]}"` or `reduction="{words[1]}"`.',
        f'{code(case, call.func)} 没有参数 `{wrong}`；各元素的损失如何合成一个由 `reduction` 决定，它是字符串：`"mean"`、`"sum"` 或'
        f' `"none"`。请写 `reduction="{words[0]}"` 或 `reduction="{words[1]}"`。',
        fixes,
        given.value,
    )


# -- numbers of another kind -------------------------------------------------------------------------------------------


@finds(errors.INTEGER_REQUIRES_GRAD, errors.INTEGER_REQUIRES_GRAD_METHOD, errors.INTEGER_REQUIRES_GRAD_ATTRIBUTE)
def _whole_numbers(case: Case) -> Finding | None:
    node = case.find(ast.expr)
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name() as owner, attr="requires_grad_")):
            made = case.assignment(owner.id)
        case ast.Attribute(value=ast.Name() as owner):
            made = case.assignment(owner.id)
        case ast.Call():
            made = node
        case _:
            return None
    place = made if made is not None else node
    return finding(
        case,
        f"{code(case, place)} on line {line(place)} holds whole numbers, and only floats can change by a little and so have a"
        f" gradient. Write the numbers with a point, or give `dtype=torch.float32`.",
        f"第 {line(place)} 行的 {code(case, place)} 存的是整数，只有浮点数才能微小地变化，从而有梯度。请把数写成带小数点的形式，或者给出"
        f" `dtype=torch.float32`。",
        None,
        place,
    )


@finds(errors.MM_DTYPE, errors.MV_DTYPE, errors.DOT_DTYPE, errors.AFFINE_DTYPE, errors.CONV_BIAS_DTYPE)
def _two_dtypes(case: Case) -> Finding | None:
    """A product of floats with doubles (of NumPy), or with whole numbers."""
    found = odd_operand(case)
    if found is None:
        return None
    node, part, tensor = found
    made = _source(Flow(case), part, tensor)
    layer = isinstance(node, ast.Call) and isinstance(case.value(node.func), Layer)
    name = code(case, node.func) if isinstance(node, ast.Call) else ""
    owner = f"the weights of {name} are" if layer else "the other side is"
    owner_zh = f" {name} 的权重是" if layer else "另一边是"
    known = made is not part or not isinstance(part, ast.Name | ast.Attribute | ast.Subscript)
    where = f" (made on line {line(made)}{_why(case, made, tensor)})" if known else ""
    where_zh = f"（第 {line(made)} 行创建{_why_zh(case, made, tensor)}）" if known else ""
    return finding(
        case,
        f"{code(case, part)} is `{tensor.dtype}`{where}, and {owner} `torch.float32`; a product does not convert. Write"
        f" `{case.operand(part)}.float()`.",
        f"{code(case, part)} 是 `{tensor.dtype}`{where_zh}，而{owner_zh} `torch.float32`；乘积不会自动转换类型。请写 `{case.operand(part)}.float()`。",
        None if _has_known_fix(case) else case.fix(case.followed(part, ".float()"), node),
        made,
    )


def _has_known_fix(case: Case) -> bool:
    """Whether a fix is known for the input of a convolution: ``.double()`` left out, and the like."""
    fixer = FIXERS.get(errors.CONV_BIAS_DTYPE.code) if "bias" in case.details else None
    return fixer is not None and fixer(case) is not None


def _source(flow: Flow, part: ast.expr, tensor: Tensor) -> ast.expr:
    """The last expression on the way back that has the same dtype, and that no other such one stands behind."""
    found = [part]
    for one in list(flow.behind(part)):
        if getattr(flow.tensor(one), "dtype", None) == tensor.dtype and not isinstance(one, ast.Name):
            found.append(one)
    first = [one for one in found if not set(found) & set(islice(flow.behind(one), 1, None))]
    return (first or found)[-1]


def _why(case: Case, made: ast.expr, held: Tensor) -> str:
    return ", for NumPy counts in float64" if _of_numpy(case, made, held) else ""


def _why_zh(case: Case, made: ast.expr, held: Tensor) -> str:
    return "，NumPy 默认使用 float64" if _of_numpy(case, made, held) else ""


def _of_numpy(case: Case, made: ast.expr, held: Tensor) -> bool:
    """Whether a tensor of floats was made of an array."""
    given = made.args[0] if isinstance(made, ast.Call) and made.args else made
    return held.dtype.is_floating_point and (
        "numpy" in case.text(made) or type(case.value(given)).__name__ == "ndarray"
    )


# -- places ------------------------------------------------------------------------------------------------------------


@finds(errors.INDEX_RANGE, errors.SELECT_RANGE)
def _beyond(case: Case) -> Finding | None:
    node = case.find(ast.Subscript)
    tensor = Flow(case).tensor(node.value) if node is not None else None
    index, dim, size = (case.details.get(name) for name in ("index", "dim", "size"))
    if node is None or not isinstance(tensor, Tensor) or not isinstance(size, int):
        return None
    return finding(
        case,
        f"{code(case, node.value)} has the shape {Shape(tensor.shape)}, so dimension {dim} has the places 0 to {size - 1} and"
        f" none with the number {index}. Count from 0; the last is `{size - 1}` or `-1`.",
        f"{code(case, node.value)} 的形状是 {Shape(tensor.shape)}，第 {dim} 维的位置是 0 到 {size - 1}，没有编号 {index}。请从 0 数起；"
        f"最后一个是 `{size - 1}` 或 `-1`。",
        None,
    )


@finds(errors.DIM_RANGE)
def _no_dimension(case: Case) -> Finding | None:
    call = case.find(ast.Call)
    flow = Flow(case)
    owner = call.func.value if call is not None and isinstance(call.func, ast.Attribute) else None
    operand = (
        owner
        if owner is not None and flow.tensor(owner) is not None
        else call.args[0]
        if call is not None and call.args
        else None
    )
    tensor = flow.tensor(operand) if operand is not None else None
    dim = case.details.get("dim")
    if operand is None or not isinstance(tensor, Tensor) or not isinstance(dim, int) or call is None:
        return None
    fixer = FIXERS.get(errors.DIM_RANGE.code)
    fix = fixer(case) if fixer is not None else None
    last = tensor.dim() - 1
    if last < 1:
        return _only_dimension(case, operand, tensor, dim, fix)
    return finding(
        case,
        f"{code(case, operand)} has {tensor.dim()} dimension{'s' * (tensor.dim() != 1)} (shape {Shape(tensor.shape)}), numbered"
        f" from 0 to {last}; there is no dimension {dim}. The last one is `dim={last}` or `dim=-1`.",
        f"{code(case, operand)} 有 {tensor.dim()} 维（形状 {Shape(tensor.shape)}），编号从 0 到 {last}，没有第 {dim} 维。最后一维是"
        f" `dim={last}` 或 `dim=-1`。",
        fix,
    )


def _only_dimension(case: Case, operand: ast.expr, tensor: Tensor, dim: int, fix: Fix | None) -> Finding:
    """A vector, or a single number."""
    if not tensor.dim():
        return finding(
            case,
            f"{code(case, operand)} is a single number, without dimensions, so there is no dimension {dim}. Leave the dimension"
            f" out, or look where the number was computed: a dimension was lost there.",
            f"{code(case, operand)} 是单个数，没有维度，所以没有第 {dim} 维。请去掉这个参数，或者检查算出这个数的地方：维度是在那里丢掉的。",
            fix,
        )
    return finding(
        case,
        f"{code(case, operand)} is a vector (shape {Shape(tensor.shape)}): its only dimension is 0, and there is no dimension"
        f" {dim}. Write `dim=0`; if rows were meant, add the batch first: `.unsqueeze(0)`.",
        f"{code(case, operand)} 是向量（形状 {Shape(tensor.shape)}）：只有第 0 维，没有第 {dim} 维。请写 `dim=0`；如果要的是若干行，请先加上批量维："
        f"`.unsqueeze(0)`。",
        fix,
    )


@finds(errors.MODULE_RUNTIME)
def _states(case: Case) -> Finding | None:
    """The initial state of a recurrent layer with the batch first."""
    call = case.find(ast.Call)
    layer = case.value(call.func) if call is not None else None
    if call is None or type(layer).__name__ not in ("LSTM", "GRU", "RNN") or len(call.args) < 2:
        return None
    flow = Flow(case)
    x = flow.tensor(call.args[0])
    if x is None or x.dim() != 3:
        return None
    batch = int(x.shape[0 if layer.batch_first else 1])  # type: ignore[attr-defined]
    layers = int(layer.num_layers) * (2 if layer.bidirectional else 1)  # type: ignore[attr-defined]
    size = int(layer.hidden_size)  # type: ignore[attr-defined]
    edits: list[Edit] = []
    first: ast.expr | None = None
    written: tuple[ast.expr | None, str] | None = None
    for node in flow.behind(call.args[1]):
        value = flow.tensor(node)
        if isinstance(node, ast.Call) and isinstance(value, Tensor) and tuple(value.shape) != (layers, batch, size):
            first = first or node
            own, whole, text = order_written(case, node, list(value.shape), (layers, batch, size))
            edits += [one for one in own if one not in edits]
            written = written or (whole, text)
    if first is None:
        return None
    given = flow.tensor(first)
    shape = Shape(given.shape) if given is not None else Shape()
    if isinstance(first, ast.Call) and isinstance(case.value(first.func), Layer):
        return _other_state(case, call, first, (layers, batch, size))
    only_batch = (shape[0], shape[-1]) == (layers, size) if len(shape) == 3 else False
    zeros = str(getattr(getattr(first, "func", None), "attr", "")) in ("zeros", "zeros_like", "new_zeros")
    made_once = case.enclosing(call, ast.For) is not case.enclosing(first, ast.For)
    if only_batch and zeros and not edits and (made_once or kept_from_the_beginning(case, call, first)):
        return of_one_batch(case, call, first, (shape[1], batch))
    made = maker_of(case, layer)  # type: ignore[arg-type]  # a layer
    if made is not None and not layer.batch_first and tuple(shape) == (layers, int(x.shape[0]), size):  # type: ignore[attr-defined]
        return _batch_first(case, call.args[0], made, x, first)
    if only_batch and zeros and not edits and isinstance(first, ast.Call) and batch == x.shape[not layer.batch_first]:  # type: ignore[attr-defined]
        return of_this_batch(case, call, first, (batch, shape[1], int(not layer.batch_first)))  # type: ignore[attr-defined]
    place, text = written if edits and written is not None else (None, "")
    do, do_zh = ("Make it with these sizes", "请按这些大小创建")
    if place is not None:
        do, do_zh = f"Turn them round on line {line(place)}: `{text}`", f"请在第 {line(place)} 行换过来：`{text}`"
    return finding(
        case,
        f"{code(case, first)} on line {line(first)} gives a state of the shape {shape}; the state is always (layers, batch,"
        f" hidden), here [{layers}, {batch}, {size}], also with `batch_first=True`. {do}.",
        f"第 {line(first)} 行的 {code(case, first)} 给出形状为 {shape} 的状态；状态总是（层数，批量，隐藏），这里是 [{layers}, {batch}, {size}]，"
        f"即使 `batch_first=True` 也是如此。{do_zh}。",
        case.fix(edits or layers_written(case, call, first, shape, (layers, batch, size)), first),
        place or first,
    )


def _other_state(case: Case, call: ast.Call, source: ast.Call, wanted: tuple[int, int, int]) -> Finding | None:
    """The state of a layer of another size."""
    state, layer = Flow(case).tensor(call.args[1]), case.value(call.func)
    made = maker_of(case, layer) if isinstance(layer, Layer) else None
    if state is None or made is None:
        return None
    return finding(
        case,
        f"The state {code(case, call.args[1])} comes from {code(case, source)} and has the shape {Shape(state.shape)}, and"
        f" {code(case, made)} on line {line(made)} needs {Shape(wanted)}: (layers, batch, hidden). Make both layers with the same"
        f" hidden size and number of layers, or bring the state to that size with a linear layer.",
        f"状态 {code(case, call.args[1])} 来自 {code(case, source)}，形状是 {Shape(state.shape)}，而第 {line(made)} 行的 {code(case, made)} 需要"
        f" {Shape(wanted)}：（层数，批量，隐藏）。请让两层的隐藏大小和层数相同，或者用线性层把状态变成那个大小。",
        (),
        made,
    )


def _batch_first(case: Case, given: ast.expr, made: ast.Call, x: Tensor, state: ast.expr) -> Finding:
    """The state fits a batch that stands first, and the layer was not told that it does."""
    shape = list(x.shape)
    return finding(
        case,
        f"{code(case, given)} is {shape}, and {code(case, made)} on line {line(made)} reads that as {shape[0]} steps of a batch of"
        f" {shape[1]}, while the state {code(case, state)} is for a batch of {shape[0]}. If the batch stands first, say so:"
        f" `batch_first=True`.",
        f"{code(case, given)} 的形状是 {shape}，第 {line(made)} 行的 {code(case, made)} 会把它看作 {shape[0]} 步、批量为 {shape[1]}，而状态"
        f" {code(case, state)} 对应的批量是 {shape[0]}。如果批量在第一维，请写明：`batch_first=True`。",
        case.fix(case.argument(made, "batch_first=True"), made),
        made,
    )


# -- layers and losses that were made and not applied ------------------------------------------------------------------


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE, mistakes.OPERAND_TYPES, errors.ARGUMENT_TYPE, errors.BOOL_AMBIGUOUS)
def _made_not_applied(case: Case) -> Finding | None:
    """``h = nn.ReLU(x)``: the brackets make the layer, and a second pair applies it."""
    for node in case.nodes(ast.Call):
        made = case.assignment(node.id) if isinstance(node, ast.Name) else node
        if not isinstance(made, ast.Call) or made.lineno > case.span.line or not _is_class(case, made.func):
            continue
        if made.args and all(isinstance(Flow(case).tensor(one), Tensor) for one in made.args):
            named = case.assignment(made.func.id) if isinstance(made.func, ast.Name) else None
            if isinstance(named, ast.Attribute | ast.Name):
                return _class_named(case, made, named)
            given = ", ".join(case.text(one) for one in made.args)
            text = f"{case.text(made.func)}()({given})"
            return finding(
                case,
                f"{code(case, made)} on line {line(made)} makes a layer and takes the tensors for its settings; it is not applied"
                f" to them. Make it first and apply it in a second pair of brackets: `{text}`.",
                f"第 {line(made)} 行的 {code(case, made)} 是在创建层，把张量当成了它的设置，并没有作用在张量上。请先创建，再用第二对括号调用："
                f"`{text}`。",
                _applied(case, made),
                made,
            )
    return None


def _class_named(case: Case, made: ast.Call, named: ast.expr) -> Finding:
    """``criterion = nn.MSELoss``, and ``criterion(a, b)``."""
    return finding(
        case,
        f"Line {line(named)} gives `{case.text(made.func)}` the class `{case.text(named)}` itself, so the brackets on line"
        f" {line(made)} make an object of it and take the tensors for its settings. Make the object there:"
        f" `{case.text(named)}()`.",
        f"第 {line(named)} 行把类 `{case.text(named)}` 本身给了 `{case.text(made.func)}`，所以第 {line(made)} 行的括号是在创建对象，把张量当成了它的"
        f"设置。请在那里创建对象：`{case.text(named)}()`。",
        case.fix(case.after(named, "()"), case.statement(named)),
        named,
    )


def _is_class(case: Case, node: ast.expr) -> bool:
    value = case.value(node)
    return isinstance(value, type) and issubclass(value, Layer)


def _applied(case: Case, made: ast.Call) -> Fix | None:
    return case.fix(case.after(made.func, "()"), made)
