"""A list or a tuple where one tensor is needed: several results, a whole batch, the pair that a recurrent layer gives."""

from __future__ import annotations

import ast
import re

import numpy as np

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.beside.gathered import stacked_text
from gradflow.engine.diagnosis.findings.general.sources import size_told
from gradflow.engine.diagnosis.findings.layers import PAIRS, maker_of
from gradflow.engine.diagnosis.findings.words import code, finding, line, on_line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix


def _parts(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


@finds(errors.MODULE_ASSERTION)
def _width(case: Case) -> Finding | None:
    """Embeddings of another width than attention was made for."""
    told = re.match(r"was expecting embedding dimension of (\d+), but got (\d+)", str(case.details.get("message", "")))
    call = case.find(ast.Call)
    layer = case.value(call.func) if call is not None else None
    made = maker_of(case, layer) if isinstance(layer, Layer) else None
    if told is None or call is None or not call.args:
        return None
    wanted, given = int(told[1]), int(told[2])
    whose, whose_zh = size_told(case, call.args[0], given)
    where = f"{code(case, made)} on line {line(made)}" if made is not None else code(case, call.func)
    where_zh = f"第 {line(made)} 行的 {code(case, made)}" if made is not None else f" {code(case, call.func)} "
    return finding(
        case,
        f"{where} takes {wanted} numbers for each step, and {code(case, call.args[0])} has {given}{f': {whose}' if whose else ''}. Make both the same:"
        f" the layer for {given}, or the input with {wanted}.",
        f"{where_zh}每一步需要 {wanted} 个数，而 {code(case, call.args[0])} 有 {given} 个{f'：{whose_zh}' if whose else ''}。请让两者一致：按 {given} 创建这一层，或者让输入有"
        f" {wanted} 个。",
        (),
        made,
    )


@finds(errors.NO_SIZE, errors.NO_ATTRIBUTE, python.ATTRIBUTE, errors.ARGUMENT_TYPE, mistakes.OPERAND_TYPES, python.TYPE)
def _several_returned(case: Case) -> Finding | None:
    """``out = net(x)`` of a ``forward`` that ends with ``return a, b``."""
    node = case.find(ast.expr)
    if node is None:
        return None
    flow = Flow(case)
    for one in (one for one in ast.walk(node) if isinstance(one, ast.Name)):
        made = case.assignment(one.id)
        if not isinstance(case.value(one), tuple) or not isinstance(made, ast.Call):
            continue
        statement = case.statement(made)
        results = [result for function in flow.called(made) for result in returned(function)]
        if not results or not isinstance(results[-1], ast.Tuple) or not isinstance(statement, ast.Assign):
            continue
        count = len(results[-1].elts)
        text = ", ".join([one.id, *["_"] * (count - 1)])
        return finding(
            case,
            f"Line {line(results[-1])} returns {count} values, `{case.text(results[-1])}`, so `{one.id}` on line {line(made)} is a"
            f" tuple and no tensor. Take the values apart: `{text} = {case.text(made)}`.",
            f"第 {line(results[-1])} 行返回 {count} 个值 `{case.text(results[-1])}`，所以第 {line(made)} 行的 `{one.id}` 是元组而不是张量。请拆开："
            f"`{text} = {case.text(made)}`。",
            case.fix(case.replace(statement.targets[0], text), statement),
            made,
        )
    return None


@finds(errors.INDEX_NOT_SCALAR)
def _repeated(case: Case) -> Finding | None:
    """``tensor * [1, 2]``, ``"0.1" * tensor``: Python reads it as a repetition."""
    node = case.find(ast.BinOp)
    if node is None:
        return None
    for side in (node.left, node.right):
        value = case.value(side)
        if isinstance(value, str):
            made = next(
                (one for one in Flow(case).behind(side) if isinstance(one, ast.Constant) and one.value == value), None
            )
            number = re.fullmatch(r"-?\d+(\.\d*)?(e-?\d+)?", value)
            place, place_zh = on_line(made)
            return finding(
                case,
                f"{code(case, side)}{place} is a text, for it stands in quotation marks, and a text times something is the text"
                f" repeated. Write the number{f': `{value}`' if number else ''}.",
                f"{code(case, side)}{place_zh}带引号，是字符串，而字符串乘以别的东西表示重复。请写成数{f'：`{value}`' if number else ''}。",
                case.fix(case.replace(made, value), case.statement(made)) if made is not None and number else (),
                made,
            )
        if isinstance(value, list | tuple) and all(isinstance(part, int | float) for part in value):
            torch, imports = case.with_torch()
            text = f"{torch}.tensor({case.text(side)})"
            kind = type(value).__name__
            return finding(
                case,
                f"{code(case, side)} is a Python {kind}, and a {kind} times something is the {kind} repeated. To multiply element"
                f" by element make it a tensor: `{text}`.",
                f"{code(case, side)} 是 Python 的 {kind}，{kind} 乘以别的东西表示重复。要逐个元素相乘，请先变成张量：`{text}`。",
                case.fix([*case.replace(side, text), *imports], node),
            )
    return None


def _through_all(name: str, places: list[int], given: str) -> str:
    """``net[2:4](net[:2](x)[0])[0]``: the outputs alone of every layer that gives its state as well."""
    begin = 0
    for at in places:
        piece = f"{name}[{at}]" if at == begin else f"{name}[{begin or ''}:{at + 1}]"
        given, begin = f"{piece}({given})[0]", at + 1
    return given


@finds(errors.ARGUMENT_TYPE, errors.KEYWORD_TYPE, errors.NO_METHOD)
def _pair_inside(case: Case) -> Finding | None:
    """``nn.Sequential(nn.LSTM(3, 5), nn.Linear(5, 2))``: the layer inside gives its outputs and its state."""
    call = case.find(ast.Call)
    if call is None or "tuple" not in (case.details.get("actual"), case.details.get("type")):
        return None
    outer = case.value(call.func)
    inner = [one for one in outer.modules() if type(one).__name__ in PAIRS] if isinstance(outer, Layer) else []
    if not inner or type(outer).__name__ != "Sequential":
        return None
    kind = type(inner[0]).__name__
    made = next((one for one in case.nodes(ast.Call) if getattr(one.func, "attr", "") == kind), None)
    name, parts = case.text(call.func), list(outer.children()) if isinstance(outer, Layer) else []
    places = [k for k, one in enumerate(parts) if any(one is each for each in inner)]
    texts = []
    if len(places) == len(inner) and len(call.args) == 1 and isinstance(call.func, ast.Name | ast.Attribute):
        last = ":, -1" if getattr(inner[-1], "batch_first", False) else "-1"
        pair = _through_all(name, places, case.text(call.args[0]))
        ends = ("", f"[{last}]") if places[-1] + 1 < len(parts) else ("",)
        texts = [f"{name}[{places[-1] + 1}:]({pair}{part})" for part in ends]
    texts = texts[:1] if _takes_last(case, call) else texts
    ways = f": `{texts[0]}`" if texts else ""
    ways_zh = f"：`{texts[0]}`" if texts else ""
    if len(texts) > 1:
        ways = f": `{texts[0]}` for all steps, `{texts[1]}` for the last one"
        ways_zh = f"：所有步写 `{texts[0]}`，只要最后一步写 `{texts[1]}`"
    return finding(
        case,
        f"`{kind}` gives two things, its outputs and its last state, and inside of `{case.text(call.func)}` the pair goes to the"
        f" next layer, which takes one tensor. Call the layers one by one, and take `[0]` of what `{kind}` gives{ways}.",
        f"`{kind}` 返回两样东西：输出和最后的状态，而在 `{case.text(call.func)}` 里，这一对会直接传给只接受一个张量的下一层。请逐层调用，并对"
        f" `{kind}` 的结果取 `[0]`{ways_zh}。",
        [write(case, call, text) for text in texts],
        made,
    )


def _takes_last(case: Case, call: ast.Call) -> bool:
    """Whether the program itself takes one step, or all together, of what a call gives: ``out[:, -1]``, ``out.mean(1)``."""
    statement = case.statement(call)
    target = statement.targets[0] if isinstance(statement, ast.Assign) and statement.value is call else None
    held = {id(call)}
    if isinstance(target, ast.Name):
        held |= {id(one) for one in case.nodes(ast.Name) if one.id == target.id and isinstance(one.ctx, ast.Load)}
    for one in case.nodes(ast.expr):
        match one:
            case ast.Subscript(value=value, slice=index) if id(value) in held:
                if "-1" in ast.unparse(index):
                    return True
            case ast.Call(func=ast.Attribute(value=value, attr="mean" | "amax" | "max" | "sum")) if id(value) in held:
                return bool(one.args or one.keywords)
    return False


@finds(errors.ARGUMENT_TYPE)
def _one_by_one(case: Case) -> Finding | None:
    """``torch.cat(a, b)``."""
    call = case.find(ast.Call)
    if call is None or case.details.get("expected") != "tuple of Tensors" or len(call.args) < 2:
        return None
    given = [one for one in call.args if isinstance(case.value(one), Tensor)]
    first, last = case.program.span_of(given[0]) if given else None, case.program.span_of(given[-1]) if given else None
    if len(given) < 2 or call.args[: len(given)] != given or first is None or last is None:
        return None
    listed = f"[{', '.join(case.text(one) for one in given)}]"
    return finding(
        case,
        f"{code(case, call.func)} takes the tensors in one list, and they are given one by one here. Put brackets around them:"
        f" `{listed}`.",
        f"{code(case, call.func)} 要求把张量放在一个列表里，而这里是一个个分开给的。请加上方括号：`{listed}`。",
        case.fix([*case.before(given[0], "["), *case.after(given[-1], "]")], call),
    )


@finds(errors.ARGUMENT_TYPE, errors.KEYWORD_TYPE)
def _several(case: Case) -> Finding | None:
    """``torch.mean([a, b])``, ``model(batch)``: the elements are tensors already."""
    call = case.find(ast.Call)
    if call is None:
        return None
    for given in _parts(call):
        held = _tensors(case, given)
        if held is None:
            continue
        loop = _loop(case, given)
        return _batch(case, call, given, held, loop) if loop is not None else _listed(case, call, given, held)
    return None


def _tensors(case: Case, node: ast.expr) -> list[Tensor] | None:
    """The tensors that a list holds."""
    value = case.value(node)
    if not isinstance(value, list | tuple) and isinstance(node, ast.List | ast.Tuple):
        value = [case.value(one) for one in node.elts]
    if hasattr(type(value), "_fields"):
        return None  # of the values and the indices one is meant, not both
    if not isinstance(value, list | tuple) or not value or not all(isinstance(one, Tensor) for one in value):
        return None
    return list(value)


def _loop(case: Case, given: ast.expr) -> ast.For | None:
    """The loop whose turns give a name."""
    if not isinstance(given, ast.Name):
        return None
    loops = [
        one
        for one in case.nodes(ast.For)
        if given.id in {n.id for n in ast.walk(one.target) if isinstance(n, ast.Name)}
    ]
    return loops[-1] if loops else None


def _batch(case: Case, call: ast.Call, given: ast.expr, held: list[Tensor], loop: ast.For) -> Finding:
    name, shapes = case.text(given), [list(one.shape) for one in held]
    told = " and ".join(map(str, shapes)) if len(shapes) < 4 else f"{shapes[0]}, ..."
    told_zh = (
        told.replace(" and ", " 和 ").replace(", ...", " 等") if len(shapes) > 3 else told.replace(" and ", " 和 ")
    )
    return finding(
        case,
        f"Each turn of the loop on line {line(loop)} gives a list of {len(held)} tensors, of the shapes {told}: the parts of the"
        f" data set, as inputs and targets. `{case.text(call.func)}` takes one; unpack them, or take the inputs: `{name}[0]`.",
        f"第 {line(loop)} 行的循环每一轮给出含 {len(held)} 个张量的列表，形状为 {told_zh}：即数据集的各个部分，例如输入和目标。"
        f"`{case.text(call.func)}` 只接受一个；请解包，或者取出输入：`{name}[0]`。",
        case.fix(case.after(given, "[0]"), call),
        loop.target,
    )


def _listed(case: Case, call: ast.Call, given: ast.expr, held: list[Tensor]) -> Finding:
    alike = len({tuple(one.shape) for one in held}) == 1
    torch, imports = case.with_torch()
    text = stacked_text(case, given) if alike else f"{torch}.cat({case.text(given)})"
    made = case.assignment(given.id) if isinstance(given, ast.Name) else None
    place, place_zh = on_line(made)
    kind = "tuple" if isinstance(case.value(given), tuple) or isinstance(given, ast.Tuple) else "list"
    return finding(
        case,
        f"{code(case, given)}{place} is a Python {kind} of {len(held)} tensors, and {code(case, call.func)} takes one tensor. Join"
        f" them first, which keeps their graph: `{text}`.",
        f"{code(case, given)}{place_zh} 是含 {len(held)} 个张量的 Python {kind}，而 {code(case, call.func)} 只接受一个张量。请先把它们"
        f"合并，这样计算图得以保留：`{text}`。",
        _join(case, call, given, text, imports),
        made,
    )


def _join(case: Case, call: ast.Call, given: ast.expr, text: str, imports: list) -> Fix | None:  # type: ignore[type-arg]
    return case.fix([*case.replace(given, text), *imports], call)


@finds(errors.ARGUMENT_TYPE, errors.KEYWORD_TYPE)
def _array(case: Case) -> Finding | None:
    """``model(np.random.rand(5, 3))``."""
    call = case.find(ast.Call)
    given = (
        next((one for one in _parts(call) if isinstance(case.value(one), np.ndarray)), None)
        if call is not None
        else None
    )
    if call is None or given is None:
        return None
    torch, imports = case.with_torch()
    array = case.value(given)
    tail = ".float()" if isinstance(array, np.ndarray) and array.dtype.kind == "f" else ""
    text = f"{torch}.from_numpy({case.text(given)}){tail}"
    made = case.assignment(given.id) if isinstance(given, ast.Name) else None
    place, place_zh = on_line(made)
    return finding(
        case,
        f"{code(case, given)}{place} is an array of NumPy, and a tensor is needed. Convert it: `{text}`.",
        f"{code(case, given)}{place_zh} 是 NumPy 数组，而这里需要张量。请转换：`{text}`。",
        case.fix([*case.replace(given, text), *imports], call),
        made,
    )


def of_one_batch(case: Case, call: ast.Call, first: ast.expr, sizes: tuple[int, int]) -> Finding:
    """A state of zeros made once, for batches of which the last is smaller."""
    text = f"{case.text(call.func)}({case.text(call.args[0])})"
    more = [one for one in Flow(case).behind(call.args[1]) if _is_zeros(one) and line(one) != line(first)]
    also, also_zh = (f" (as that on line {line(more[0])})", f"（第 {line(more[0])} 行的也一样）") if more else ("", " ")
    return finding(
        case,
        f"{code(case, first)} on line {line(first)}{also} was made once, for a batch of {sizes[0]}, and this batch has {sizes[1]}. A recurrent"
        f" layer begins with zeros of the right size by itself: leave the state out, `{text}`.",
        f"第 {line(first)} 行的 {code(case, first)}{also_zh}是一次性按大小为 {sizes[0]} 的一批创建的，而这一批有 {sizes[1]} 个。循环层自己会从大小合适的零开始："
        f"请去掉这个状态，写成 `{text}`。",
        case.fix(case.without_argument(call, call.args[1]), call),
        first,
    )


def _is_zeros(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and called(node) in ("zeros", "new_zeros", "zeros_like")


def kept_from_the_beginning(case: Case, call: ast.Call, first: ast.expr) -> bool:
    """Whether a state is made in ``__init__`` and kept as it is: plain zeros, which nothing trains or goes on with."""
    scope, statement = Flow(case).scope(first), case.statement(first)
    if not isinstance(scope, ast.FunctionDef) or scope.name != "__init__" or not isinstance(statement, ast.Assign):
        return False
    kept = [ast.unparse(one) for one in ast.walk(call.args[1]) if isinstance(one, ast.Attribute)]
    stores = [one for one in case.nodes(ast.Attribute) if isinstance(one.ctx, ast.Store) and ast.unparse(one) in kept]
    plain = statement.value is first or isinstance(statement.value, ast.Tuple)
    return plain and bool(stores) and all(Flow(case).scope(one) is scope for one in stores)


def of_this_batch(case: Case, call: ast.Call, first: ast.Call, size: tuple[int, int, int]) -> Finding | None:
    """A state of zeros for a batch of one size, where the batch at hand has another; ``size``: of both, and its dimension."""
    counts = [one for one in first.args if isinstance(one, ast.Constant | ast.Name)]
    if len(counts) != 3 or len(first.args) != 3:
        return None
    text = f"{case.operand(call.args[0])}.size({size[2]})"
    given = next(iter(Flow(case).assigned(counts[1], counts[1].id)), None) if isinstance(counts[1], ast.Name) else None
    if Flow(case).scope(first) is not Flow(case).scope(call):
        return _of_that_call(case, first, given, size) if given is not None else None
    return finding(
        case,
        f"{code(case, first)} on line {line(first)} makes the state for a batch of {size[1]}, and this batch has {size[0]}: the last one of"
        f" a loader may be smaller. Take the number from the batch itself: `{text}`.",
        f"第 {line(first)} 行的 {code(case, first)} 按大小为 {size[1]} 的一批创建状态，而这一批有 {size[0]} 个：加载器的最后一批可能更小。请从这一批本身取得个数："
        f"`{text}`。",
        case.fix(case.replace(counts[1], text), case.statement(first)),
        first,
    )


def _of_that_call(case: Case, first: ast.Call, given: ast.expr, size: tuple[int, int, int]) -> Finding:
    """A state that another function makes, for the size that it is given."""
    return finding(
        case,
        f"{code(case, first)} on line {line(first)} makes the state for the batch size that it is given, {code(case, given)} on line {line(given)}, which is"
        f" {size[1]}, and this batch has {size[0]}: the last one of a loader may be smaller. Give it the size of the batch at hand there:"
        f" `.size({size[2]})` of the input.",
        f"第 {line(first)} 行的 {code(case, first)} 按给它的批量大小创建状态，即第 {line(given)} 行的 {code(case, given)}，等于 {size[1]}，而这一批有 {size[0]} 个："
        f"加载器的最后一批可能更小。请在那里给出这一批的实际大小：输入的 `.size({size[2]})`。",
        (),
        given,
    )
