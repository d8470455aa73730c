"""Custom Functions that give back what is no gradient, and functions under `vmap` that leave the tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.cuts import Cut, cut_at, cuts_behind, mended
from gradflow.engine.diagnosis.findings.derivatives.custom_function import _context, _kept_line
from gradflow.engine.diagnosis.findings.general.broadcasts import inserted, inserting
from gradflow.engine.diagnosis.findings.practice.conditions import chosen_value
from gradflow.engine.diagnosis.findings.targets import chosen_by_element
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned


def _function_class(case: Case, name: str = "") -> ast.ClassDef | None:
    """The custom Function of the program, by its name or as the only one."""
    found = [one for one in case.nodes(ast.ClassDef) if any(case.text(base).endswith("Function") for base in one.bases)]
    named = [one for one in found if one.name == name]
    return named[-1] if named else found[0] if len(found) == 1 else None


@finds(errors.FUNCTION_MISUSE, errors.FUNCTION_TYPE)
def _number_for_gradient(case: Case) -> Finding | None:
    """``return 2.0`` in ``backward``."""
    message = str(case.details.get("message", ""))
    owner = _function_class(case)
    if "expected Variable or None" not in message or owner is None:
        return None
    kind = message.rpartition("(got ")[2].rstrip(")")
    backward = next((one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == "backward"), None)
    results = returned(backward) if backward is not None else []
    if backward is None or not results:
        return None
    result = results[-1]
    upstream = [one.arg for one in backward.args.args[1:2]]
    hint = f" times `{upstream[0]}`, the gradient that arrives" if upstream else ""
    hint_zh = f"并乘上传来的梯度 `{upstream[0]}`" if upstream else ""
    return finding(
        case,
        f"`backward` of `{owner.name}` returns {code(case, result)} on line {line(result)}, which holds a plain `{kind}`; a gradient is a"
        f" tensor of the shape of the input, or `None`. Return the derivative as a tensor{hint}.",
        f"`{owner.name}` 的 `backward` 在第 {line(result)} 行返回了 {code(case, result)}，其中有普通的 `{kind}`；梯度必须是与输入形状相同的张量，或者"
        f" `None`。请以张量返回导数{hint_zh}。",
        (),
        result,
    )


@finds(errors.INVALID_GRADIENT)
def _shape_of_gradient(case: Case) -> Finding | None:
    """A ``backward`` that does not spread what ``forward`` summed."""
    owner = _function_class(case, str(case.details.get("name", "")).removesuffix("Backward"))
    backward = (
        next((one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == "backward"), None)
        if owner
        else None
    )
    forward = (
        next((one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == "forward"), None)
        if owner
        else None
    )
    results = returned(backward) if backward is not None else []
    given = [
        tuple(map(int, one))
        for key in ("actual", "given", "shape", "expected", "input_shape", "grad_shape")
        if isinstance(one := case.details.get(key), tuple | list)
    ]
    if owner is None or backward is None or forward is None or not results or len(given) < 2:
        return None
    own, wanted = given[0], given[1]
    result = results[-1]
    index = case.details.get("index", 0)
    if isinstance(result, ast.Tuple) and isinstance(index, int) and index < len(result.elts):
        result = result.elts[index]
    inputs = [one.arg for one in forward.args.args[1:]]
    name = inputs[index] if isinstance(index, int) and index < len(inputs) else "input"
    if (summed := _summed_over_batch(case, owner, result, (name, wanted))) is not None:
        return summed
    ways = inserted(own, wanted) or (
        [own] if all(a in (b, 1) for a, b in zip(own, wanted, strict=False)) and len(own) == len(wanted) else []
    )
    context = _context(forward)
    kept = f"{context}.shape = {name}.shape"
    text, fix = "", None
    if len(ways) >= 1:
        step = inserting(own, ways[0]) if ways[0] != own else ""
        text = f"{step}.expand({_context(backward)}.shape)"
        edits = [*_kept_line(case, forward, kept), *case.followed(result, text)]
        fix = case.fix(edits, case.statement(result))
    spread = f"({case.text(result)}){text}" if isinstance(result, ast.BinOp) else f"{case.text(result)}{text}"
    action = (
        f"Keep the shape in `forward`, `{kept}`, and spread the gradient: `{spread}`"
        if text
        else (f"Sum it over the dimensions that were spread, or reshape it, to `{name}.shape`")
    )
    action_zh = (
        f"请在 `forward` 里保存形状 `{kept}`，再把梯度展开：`{spread}`"
        if text
        else f"请对被展开的维度求和，或变形为 `{name}.shape`"
    )
    return finding(
        case,
        f"`backward` of `{owner.name}` returns {code(case, result)} on line {line(result)}, of shape {list(own)}, as the gradient of `{name}`,"
        f" whose shape is {list(wanted)}; a gradient has the shape of what it belongs to. {action}.",
        f"`{owner.name}` 的 `backward` 在第 {line(result)} 行返回形状为 {list(own)} 的 {code(case, result)}，作为 `{name}` 的梯度，而 `{name}` 的形状是"
        f" {list(wanted)}；梯度的形状必须与它所属的张量相同。{action_zh}。",
        fix or (),
        result,
    )


def _summed_over_batch(
    case: Case, owner: ast.ClassDef, result: ast.expr, wanted: tuple[str, tuple[int, ...]]
) -> Finding | None:
    """The gradient of an input that was broadcast: the sum over the dimensions that it was spread over, and over no others."""
    name, shape = wanted
    applied = [one for one in case.nodes(ast.Call) if case.text(one.func) == f"{owner.name}.apply"]
    output = next((held for one in applied if (held := Flow(case).tensor(one)) is not None), None)
    if output is None or output.dim() <= len(shape) or not shape:
        return None
    added = output.dim() - len(shape)
    whole = tuple(map(int, output.shape))
    if any(own not in (1, size) for own, size in zip(shape, whole[added:], strict=True)) or 1 in shape:
        return None
    match result:
        case ast.Call(func=ast.Attribute(value=inner, attr="sum"), args=[], keywords=[]):
            spread = inner
        case _:
            return None
    dims = "0" if added == 1 else str(tuple(range(added)))
    own = case.text(spread) if isinstance(spread, ast.Name | ast.Call) else f"({case.text(spread)})"
    text = f"{own}.sum({dims})"
    return finding(
        case,
        f"`backward` of `{owner.name}` adds up everything on line {line(result)}, {code(case, result)}, and `{name}` has the shape {list(shape)}:"
        f" `forward` spread it over the first dimension{'s' * (added > 1)} of {list(whole)}, so its gradient is the sum over that alone: `{text}`.",
        f"`{owner.name}` 的 `backward` 在第 {line(result)} 行把所有元素都加了起来：{code(case, result)}，而 `{name}` 的形状是 {list(shape)}；`forward` 只把它沿"
        f" {list(whole)} 的前 {added} 维展开，所以它的梯度只需对这些维求和：`{text}`。",
        case.fix(case.replace(result, text), case.statement(result)),
        result,
    )


@finds(errors.DERIVATIVE_CALL)
def _number_under_vmap(case: Case) -> Finding | None:
    """``x.item()`` inside of a function that is mapped."""
    call = case.find(ast.Call)
    if "vmap" not in str(case.details.get("message", "")) or not isinstance(getattr(call, "func", None), ast.Attribute):
        return None
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr not in ("item", "tolist", "numpy"):
        return None
    text = case.text(call.func.value)
    return finding(
        case,
        f"`vmap` runs the function once for the whole batch, so {code(case, call.func.value)} stands for every sample at the same time and"
        f" `.{call.func.attr}()` cannot give one number of it. Compute with the tensor: `{text}`.",
        f"`vmap` 对整批数据只运行一次函数，{code(case, call.func.value)} 同时代表所有样本，`.{call.func.attr}()` 无法从中取出一个数。请直接用张量计算："
        f"`{text}`。",
        case.fix(case.without_tail(call), case.statement(call)),
        call,
    )


@finds(errors.DERIVATIVE_CALL, errors.BOOL_AMBIGUOUS)
def _condition_under_vmap(case: Case) -> Finding | None:
    """``if x > 0`` inside of a function that is mapped."""
    if "data-dependent control flow" not in str(case.details.get("message", "")):
        return None
    tests = [
        one
        for one in case.nodes(ast.expr)
        if getattr(case.parents.get(one), "test", None) is one and line(one) == case.span.line
    ]
    tests.sort(key=lambda one: case.program.span_of(one) != case.span)
    statement = case.parents.get(tests[0]) if tests else None
    if isinstance(statement, ast.If):
        text, fix = chosen_by_element(case, statement)
    elif isinstance(statement, ast.IfExp):
        text, fix = chosen_value(case, statement)
    elif isinstance(statement, ast.While):
        text, fix = "torch.where(condition, a, b)", None
    else:
        return None
    return finding(
        case,
        f"`vmap` runs the function once for the whole batch, and {code(case, tests[0])} has another answer for each sample, so `if` cannot"
        f" choose one branch. Compute both and choose by element: `{text}`.",
        f"`vmap` 对整批数据只运行一次函数，而 {code(case, tests[0])} 对每个样本答案不同，`if` 无法只选一个分支。请两边都算出来，再逐元素选择："
        f"`{text}`。",
        fix or (),
        tests[0],
    )


def _inner(case: Case, outer: Cut) -> Iterator[Cut]:
    """The places inside of one where the numbers were taken before."""
    flow = Flow(case)
    for node in ast.walk(outer.operand):
        found = cut_at(case, flow, node) if isinstance(node, ast.expr) else None
        if found is not None and found.kind in ("number", "detach", "data", "numpy"):
            yield found


@finds(errors.UNUSED_INPUT)
def _cut_on_the_way(case: Case) -> Finding | None:
    """An output that was computed from the input through numbers, a copy, or without a graph."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2:
        return None
    output = (
        call.args[0].elts[0] if isinstance(call.args[0], ast.Tuple | ast.List) and call.args[0].elts else call.args[0]
    )
    wanted = call.args[1].elts if isinstance(call.args[1], ast.Tuple | ast.List) else [call.args[1]]
    index = case.details.get("index", 0)
    lost = wanted[index] if isinstance(index, int) and index < len(wanted) else wanted[0]
    cuts = [one for one in cuts_behind(case, output) if one.kind != "off"]
    if not cuts or not any(
        isinstance(one, ast.Name) and case.text(one) == case.text(lost)
        for cut in cuts
        for one in Flow(case).behind(cut.operand)
    ):
        return None
    cut = next((one for one in _inner(case, cuts[0])), cuts[0])
    edits = [edit for one in cuts for edit in mended(case, one)]
    outer = case.parents.get(cut.node)
    if isinstance(outer, ast.BinOp):
        outer = case.parents.get(outer)
    if isinstance(outer, ast.Call) and case.text(outer.func).endswith(".tensor") and outer.args:
        inner = outer.args[0]
        text = case.text(inner).replace(case.text(cut.node), case.text(cut.operand), 1)
        edits = case.replace(outer, text)
    return finding(
        case,
        f"{code(case, cut.node)} on line {line(cut.node)} takes the numbers of {code(case, cut.operand)} without their graph, so"
        f" {code(case, output)} has the values that come from {code(case, lost)}, but no path back to it. Compute with"
        f" {code(case, cut.operand)} itself there.",
        f"第 {line(cut.node)} 行的 {code(case, cut.node)} 只取 {code(case, cut.operand)} 的数值，不带计算图，所以 {code(case, output)} 的数值虽然来自"
        f" {code(case, lost)}，却没有回到它的路径。请在那里直接用 {code(case, cut.operand)} 计算。",
        case.fix(edits, case.statement(cut.node)) if edits else (),
        cut.node,
    )
