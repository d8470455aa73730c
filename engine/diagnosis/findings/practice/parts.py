"""A part that is taken for the whole, or the whole for a part: the state of an LSTM, slices beside the way, a batch of fixed size."""

from __future__ import annotations

import ast
from math import prod

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.layers import constant
from gradflow.engine.diagnosis.findings.practice.handed_on import given_outside
from gradflow.engine.diagnosis.findings.sizes_written import written_at
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, write
from gradflow.engine.diagnosis.fixers import FIXERS, finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.sandbox.special_names import METHODS
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

_WITH_HEADS = frozenset({"MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer", "Transformer"})


@finds(errors.ARGUMENT_TYPE, errors.NO_ATTRIBUTE, python.ATTRIBUTE, mistakes.OPERAND_TYPES, errors.INVALID_COMBINATION)
def _state_of_lstm(case: Case) -> Finding | None:
    """``head(hidden)``, where the state is the pair of an LSTM."""
    failed = case.find(ast.expr)
    flow = Flow(case)
    for node in ast.walk(failed) if failed is not None else ():
        value = case.value(node) if isinstance(node, ast.Name) else None
        if not isinstance(node, ast.Name) or not isinstance(value, tuple) or len(value) != 2:
            continue
        if not all(isinstance(one, Tensor) and one.dim() in (2, 3) for one in value):
            continue
        made = next((one for one in flow.assigned(node, node.id) if isinstance(one, ast.Call)), None)
        if made is None or type(case.value(made.func)).__name__ != "LSTM":
            continue
        state: Tensor = value[0]
        text = f"{node.id}[0][-1]"
        return finding(
            case,
            f"`{node.id}` is the state that {code(case, made)} on line {line(made)} gives, and the state of an LSTM is a pair `(h, c)`, each of shape"
            f" {list(state.shape)}: (layers, batch, hidden). Take `h` of the last layer: `{text}`.",
            f"`{node.id}` 是第 {line(made)} 行 {code(case, made)} 给出的状态，而 LSTM 的状态是一对 `(h, c)`，各自的形状是 {list(state.shape)}：（层数，批量，隐藏）。请取"
            f"最后一层的 `h`：`{text}`。",
            write(case, node, text, case.statement(node)),
            made,
        )
    return None


@finds(errors.INVALID_SHAPE)
def _fixed_batch(case: Case) -> Finding | None:
    """``x.view(BATCH, 36)`` of the last, smaller batch."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr not in ("view", "reshape"):
        return None
    sizes = list(call.args[0].elts) if len(call.args) == 1 and isinstance(call.args[0], ast.Tuple) else call.args
    shape = shape_at(case, call.func.value)
    numbers = [value if isinstance(value := constant(case, one), int) else case.value(one) for one in sizes]
    if not shape or len(sizes) < 2 or not all(isinstance(one, int) for one in numbers):
        return None
    wanted = [int(one) for one in numbers if isinstance(one, int)]
    rest = prod(wanted[1:])
    if rest <= 0 or wanted[0] == shape[0] or prod(shape) != shape[0] * rest:
        return None
    if isinstance(sizes[0], ast.Constant) and "DataLoader" not in case.program.source and len(shape) < 3:
        return None
    owner = case.text(call.func.value)
    first = f"{owner}.size(0)"
    whole = f"{case.text(call.func)}({', '.join([first, *(case.text(one) for one in sizes[1:])])})"
    return finding(
        case,
        f"`{owner}` has {shape[0]} samples here (shape {list(shape)}), and {code(case, sizes[0])} asks for {wanted[0]}, whatever there are: batches"
        f" differ, and the last one is often smaller. Take the number from the tensor: `{whole}`.",
        f"`{owner}` 这里有 {shape[0]} 个样本（形状 {list(shape)}），而 {code(case, sizes[0])} 固定要求 {wanted[0]} 个；批量大小会变，最后一批往往更小。请从张量取得这个数："
        f"`{whole}`。",
        write(case, sizes[0], first, call),
        sizes[0],
    )


@finds(errors.UNUSED_INPUT)
def _slices_beside(case: Case) -> Finding | None:
    """``x, t = xt[:, :1], xt[:, 1:]``, and the gradient of ``net(xt)`` with respect to ``t``."""
    call = case.find(ast.Call)
    index = case.details.get("index")
    if call is None or len(call.args) < 2 or not isinstance(index, int):
        return None
    wanted = call.args[1].elts if isinstance(call.args[1], ast.Tuple | ast.List) else [call.args[1]]
    lost = wanted[index] if index < len(wanted) else None
    if lost is None or len(wanted) != 1:
        return None
    names = [one for one in ast.walk(call.args[0]) if isinstance(one, ast.Name)]
    named = [one for one in names if isinstance(case.value(one), Tensor)]
    output, lost = given_outside(case, (named[0] if named else call.args[0], lost))
    output = call.args[0] if output in named else output
    made = definition(case, lost)
    if not isinstance(lost, ast.Name) or not isinstance(made, ast.Subscript):
        return None
    source = case.text(made.value)
    if source not in {case.text(one) for one in Flow(case).behind(output)}:
        return None
    if (joined := _joined_again(case, lost, made, output)) is not None:
        return joined
    if output is not call.args[0]:  # the call that fails has other names for them
        return finding(
            case,
            f"{code(case, lost)} is a slice of `{source}`, cut off on line {line(made)} and not used any more: {code(case, output)} was computed from"
            f" `{source}` itself. Compute it from the slices, joined again by `cat`.",
            f"{code(case, lost)} 是 `{source}` 的切片，在第 {line(made)} 行切出之后就没有再用：{code(case, output)} 是由 `{source}` 本身算出的。请由切片（用 `cat` 重新拼接）来计算。",
            (),
            made,
        )
    part = case.text(made)[len(source) :]
    inner = (
        f"{case.text(call)}".replace(f", {case.text(call.args[1])}", f", {source}", 1)
        if case.text(call).count(f", {case.text(call.args[1])}") == 1
        else ""
    )
    text = f"{inner}[0]{part}" if inner else f"{source}"
    outer = case.parents.get(call)
    indexed = isinstance(outer, ast.Subscript) and constant(case, outer.slice) == 0
    return finding(
        case,
        f"{code(case, lost)} is a slice of `{source}`, cut off on line {line(made)} and not used any more: {code(case, output)} was computed from"
        f" `{source}` itself. Compute it from the slices, joined again by `cat`; or differentiate with respect to `{source}` and take the"
        f" part: `{text}`.",
        f"{code(case, lost)} 是 `{source}` 的切片，在第 {line(made)} 行切出之后就没有再用：{code(case, output)} 是由 `{source}` 本身算出的。请由切片（用 `cat` 重新拼接）"
        f"来计算；或者对 `{source}` 求导，再取其中一部分：`{text}`。",
        write(case, outer, text, case.statement(call)) if indexed and outer is not None and inner else (),
        made,
    )


def _joined_again(case: Case, lost: ast.Name, made: ast.Subscript, output: ast.expr) -> Finding | None:
    """The slices of all columns, each with a name: what was computed from the whole can be computed from them."""
    source = case.text(made.value)
    cuts = [
        (target.id, columns_of(case, value))
        for one in case.nodes(ast.Assign)
        for target, value in single_names(one)
        if isinstance(value, ast.Subscript) and case.text(value.value) == source
    ]
    parts = sorted(((columns, name) for name, columns in cuts if columns is not None))
    whole = cut_from(case, made)
    if whole is None or len(whole) != 2 or lost.id not in [name for _, name in parts]:
        return None
    ends = [0, *(columns[1] for columns, _ in parts)]
    if [columns[0] for columns, _ in parts] != ends[:-1] or ends[-1] != whole[1]:
        return None
    uses = [
        part
        for one in Flow(case).behind(output)
        if isinstance(one, ast.Call)
        for part in one.args
        if case.text(part) == source and line(one) > line(made)
    ]
    if len(uses) != 1:
        return None
    torch, imports = case.with_torch()
    text = f"{torch}.cat([{', '.join(name for _, name in parts)}], dim=1)"
    return finding(
        case,
        f"{code(case, lost)} is a slice of `{source}`, cut off on line {line(made)} and not used any more: {code(case, output)} was computed from"
        f" `{source}` itself (line {line(uses[0])}), so it does not depend on {code(case, lost)}. Compute it from the slices, joined again: `{text}`.",
        f"{code(case, lost)} 是 `{source}` 的切片，在第 {line(made)} 行切出之后就没有再用：{code(case, output)} 是由 `{source}` 本身算出的（第 {line(uses[0])} 行），所以它不依赖 {code(case, lost)}。"
        f"请由重新拼接的切片来计算：`{text}`。",
        apply(case, [*case.replace(uses[0], text), *imports], f"`{text}`", f"`{text}`") or (),
        uses[0],
    )


def single_names(statement: ast.Assign) -> list[tuple[ast.Name, ast.expr]]:
    """The names of an assignment with what each is given: of ``a = x``, and of ``a, b = x, y``."""
    match statement:
        case ast.Assign(targets=[ast.Name() as target], value=value):
            return [(target, value)]
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
            return [(one, value) for one, value in zip(targets, values, strict=True) if isinstance(one, ast.Name)]
    return []


def cut_from(case: Case, cut: ast.Subscript) -> tuple[int, ...] | None:
    """The shape of what a slice was cut from: of its text, or as it was recorded."""
    held = Flow(case).tensor(cut)
    before = held._entry.first.view_of if held is not None and held._entry is not None else None
    return shape_at(case, cut.value) or (tuple(map(int, before.array.shape)) if before is not None else None)


def columns_of(case: Case, cut: ast.Subscript) -> tuple[int, int] | None:
    """The first column of ``x[:, 0:1]``, and the one behind the last."""
    match cut.slice:
        case ast.Tuple(elts=[ast.Slice(lower=None, upper=None), ast.Slice(lower=low, upper=high, step=None)]):
            width = (cut_from(case, cut) or (0, 0))[-1]
            first = 0 if low is None else constant(case, low)
            end = width if high is None else constant(case, high)
            return (first, end) if isinstance(first, int) and isinstance(end, int) and 0 <= first < end else None
    return None


def _number_written(case: Case, given: ast.expr, size: int) -> ast.expr | None:
    """Where the number of a size is written: what its name is given, or else the one argument of that name and number."""
    found = written_at(case, given, size)
    named = [one.value for one in case.nodes(ast.keyword) if one.arg == case.text(given)]
    numbers = [one for one in dict.fromkeys([found, *named]) if isinstance(one, ast.Constant) and one.value == size]
    return numbers[0] if len(numbers) == 1 else None


@finds(errors.EXPAND_SIZE, errors.INDEX_PUT_SHAPE)
def _odd_width(case: Case) -> Finding | None:
    """``pe[:, 1::2] = torch.cos(...)`` of an odd width."""
    node = case.find(ast.AST)
    statement = case.statement(node) if node is not None else None
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=base, slice=ast.Tuple() as index) as target], value=value):
            pass
        case _:
            return None
    last = index.elts[-1]
    shape, own = shape_at(case, base), shape_at(case, value)
    if not isinstance(last, ast.Slice) or constant(case, last.step) != 2 or shape is None or own is None:
        return None
    width = shape[-1]
    if width % 2 == 0 or own[-1] != width // 2 + 1:
        return None
    text = f"[:, :{width // 2}]" if len(own) == 2 else f"[..., :{width // 2}]"
    name = case.text(base)
    made = case.assignment(name) or definition(case, base)
    sized = _number_written(case, made.args[-1], width) if isinstance(made, ast.Call) and made.args else None
    whose, whose_zh = (
        (f", the {width} of line {line(sized)}", f"（第 {line(sized)} 行的 {width}）")
        if sized is not None and line(sized) != line(made)
        else ("", "")
    )
    heads = any(called(one) in _WITH_HEADS for one in case.nodes(ast.Call))
    fitting, fitting_zh = (" that the number of heads divides", "、并且能被头数整除") if heads else ("", "")
    cut = text.replace(str(width // 2), f"{name}.size(-1) // 2")
    return finding(
        case,
        f"`{name}` (line {line(made)}) has {width} columns, an odd number{whose}: {code(case, target)} are {width // 2} of them, every second one beginning with"
        f" the second, and {code(case, value)} has {own[-1]}. Choose an even width{fitting}, or leave the last one out: `{cut}` behind the value.",
        f"`{name}`（第 {line(made)} 行）有 {width} 列，是奇数{whose_zh}：{code(case, target)} 是从第二列起每隔一列取出的 {width // 2} 列，而 {code(case, value)} 有 {own[-1]} 列。请选择"
        f"偶数{fitting_zh}的宽度，或者去掉最后一列：在值后面写 `{cut}`。",
        case.fix(case.followed(value, cut), statement),
        target,
    )


@finds(errors.MM_SHAPE)
def _vector_of_samples(case: Case) -> Finding | None:
    """``x @ w`` of a vector of samples and the one row of weights."""
    node = case.find(ast.BinOp) or case.find(ast.Call)
    pair = (
        [node.left, node.right]
        if isinstance(node, ast.BinOp)
        else list(node.args[:2])
        if isinstance(node, ast.Call)
        else []
    )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) == 1:
        pair = [node.func.value, *node.args]
    shapes = [shape_at(case, one) for one in pair]
    if len(shapes) != 2 or shapes[0] is None or shapes[1] is None or len(shapes[0]) != 1 or len(shapes[1]) != 2:
        return None
    if shapes[1][0] != 1 or shapes[0][0] == 1:
        return None
    made = definition(case, pair[0])
    text = f"{case.operand(pair[0])}.unsqueeze(1)"
    return finding(
        case,
        f"{code(case, pair[0])} is a vector of {shapes[0][0]} numbers, which a product takes for one row, and {code(case, pair[1])} is"
        f" {shapes[1][0]}×{shapes[1][1]}: it takes one number of each sample. Make the samples a column: `{text}`.",
        f"{code(case, pair[0])} 是含 {shapes[0][0]} 个数的向量，乘积会把它当作一行，而 {code(case, pair[1])} 是 {shapes[1][0]}×{shapes[1][1]}：每个样本只取一个数。请把"
        f"样本变成一列：`{text}`。",
        case.fix(case.followed(pair[0], ".unsqueeze(1)"), node),
        made,
    )


@finds(errors.CAT_DIMENSIONS, errors.DIM_RANGE)
def _joined_vectors(case: Case) -> Finding | None:
    """``torch.cat([torch.ones(4), x], dim=1)``: a vector beside a matrix, or vectors that are to be columns."""
    call = case.find(ast.Call)
    name = called(call) if call is not None else ""
    if call is None or name not in ("cat", "concat", "concatenate") or not call.args:
        return None
    listed = call.args[0]
    parts = listed.elts if isinstance(listed, ast.List | ast.Tuple) else []
    shapes = [shape_at(case, one) for one in parts]
    dim = constant(case, argument_of(call, 1, "dim"))
    if not parts or dim != 1 or any(one is None for one in shapes):
        return None
    vectors = [part for part, shape in zip(parts, shapes, strict=True) if shape is not None and len(shape) == 1]
    others = [shape for shape in shapes if shape is not None and len(shape) == 2]
    lengths = {shape[0] for shape in shapes if shape}
    if not vectors or len(lengths) != 1 or len(vectors) + len(others) != len(parts):
        return None
    edits = [edit for one in vectors for edit in case.followed(one, ".unsqueeze(1)")]
    text = f"{case.operand(vectors[0])}.unsqueeze(1)"
    told = f"{code(case, vectors[0])} is a vector of {lengths.copy().pop()} numbers, without a dimension 1"
    told_zh = f"{code(case, vectors[0])} 是含 {lengths.copy().pop()} 个数的向量，没有第 1 维"
    if others:
        told, told_zh = (
            f"{told}, and is joined to a matrix of {lengths.copy().pop()} rows",
            f"{told_zh}，却要与 {lengths.copy().pop()} 行的矩阵拼接",
        )
    return finding(
        case,
        f"{told}. Make it a column: `{text}`.",
        f"{told_zh}。请变成一列：`{text}`。",
        case.fix(edits, call),
        vectors[0],
    )


def _nearly_forward(case: Case, methods: list[ast.FunctionDef]) -> Finding | None:
    """``def foward``, or ``def call`` as in Keras."""
    fixer = FIXERS.get(errors.NO_FORWARD.code)
    fix = fixer(case) if fixer is not None else None
    if not isinstance(fix, Fix):
        return None
    method = next((one for one in methods if line(one) == fix.edits[0].span.line), methods[0])
    return finding(
        case,
        f"A call runs the method `forward`, and this class has none: line {line(method)} defines `{method.name}` in its place. Rename it:"
        f" `def forward`.",
        f"调用模块时运行的是方法 `forward`，而这个类没有：第 {line(method)} 行定义的是 `{method.name}`。请改名：`def forward`。",
        fix,
        method,
    )


@finds(errors.NO_FORWARD)
def _other_methods(case: Case) -> Finding | None:
    """A module with ``encode`` and ``decode``, and no ``forward``."""
    name = str(case.details.get("type", ""))
    call = case.find(ast.Call)
    owner = next((one for one in case.nodes(ast.ClassDef) if one.name == name), None)
    if owner is None or call is None:
        return None
    methods = [one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name not in METHODS]
    if not methods or "forward" in {one.name for one in methods}:
        return None
    if (misspelled := _nearly_forward(case, methods)) is not None:
        return misspelled
    listed = ", ".join(f"`{one.name}`" for one in methods[:5])
    callee, first = case.text(call.func), methods[0]
    given = ", ".join(case.text(one) for one in call.args)
    text = f"{callee}.{first.name}({given})"
    return finding(
        case,
        f"Calling `{callee}` runs `forward`, and `{name}` on line {line(owner)} defines {listed} and no `forward`. Define `def forward(self, x)` with"
        f" what a call is to compute, or call the method itself: `{text}`.",
        f"调用 `{callee}` 会运行 `forward`，而第 {line(owner)} 行的 `{name}` 只定义了 {listed.replace(', ', '、')}，没有 `forward`。请定义 `def forward(self, x)`，写出调用"
        f"时要计算的内容，或者直接调用方法：`{text}`。",
        (),
        owner,
    )


@finds(errors.TARGET_PROBABILITY_DTYPE)
def _chosen_before(case: Case) -> Finding | None:
    """``criterion(net(x).argmax(1).float(), y)``: the choice in the place of the scores."""
    call = case.find(ast.Call)
    if call is None or not call.args:
        return None
    for node in Flow(case).behind(call.args[0]):
        match node:
            case ast.Call(func=ast.Attribute(value=source, attr="argmax" | "max")):
                text = case.text(source)
                return finding(
                    case,
                    f"{code(case, node)} on line {line(node)} chooses a class for each sample, and this loss compares the scores of all classes with the"
                    f" right one; a choice has no gradient either. Give it the scores: `{text}`.",
                    f"第 {line(node)} 行的 {code(case, node)} 已经为每个样本选出了类别，而这个损失要把所有类别的得分与正确类别比较；选择也没有梯度。请给它得分：`{text}`。",
                    write(case, call.args[0], text, call),
                    node,
                )
    return None
