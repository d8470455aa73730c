"""What is trained: results written into leaves, models without anything to learn, layers that do not follow each other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, insertion
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.layers import failing_linear, maker_of, running
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, write
from gradflow.engine.diagnosis.fixers import finally_finds, finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor

_ROOM: Final = frozenset({"zeros", "empty", "ones", "full", "zeros_like", "empty_like", "ones_like", "full_like"})


@finds(errors.LEAF_VIEW_INPLACE, errors.LEAF_INPLACE)
def _results_into_leaf(case: Case) -> Finding | None:
    """``outs[t] = rnn(x)`` of ``outs = torch.zeros(T, d, requires_grad=True)``."""
    found = case.find(ast.AST)
    statement = case.statement(found) if found is not None else None
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=owner)], value=value):
            pass
        case ast.AugAssign(target=ast.Subscript(value=owner) | (ast.Name() as owner), value=value):
            pass
        case _:
            return None
    given = Flow(case).assigned(owner, owner.id) if isinstance(owner, ast.Name) else [definition(case, owner)]
    made = next((one for one in given if isinstance(one, ast.Call) and called(one) in _ROOM), None)
    if made is None:
        return None
    flag = next((one for one in made.keywords if one.arg == "requires_grad" and case.value(one.value) is True), None)
    held = Flow(case).tensor(value)
    computed = held.requires_grad if isinstance(held, Tensor) else Flow(case).requires_grad(value)
    own = case.text(owner)
    read = any(isinstance(one, ast.Name) and one.id == own for one in ast.walk(value))
    if flag is None or not computed or read or ".grad" in case.text(value):
        return None
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} makes `{case.text(owner)}` a leaf, something to be learned, and {code(case, statement)} writes a computed"
        f" result into it, which a leaf cannot take. It is only room for results: leave `requires_grad=True` out, and it gets its graph from what is"
        f" written into it.",
        f"第 {line(made)} 行的 {code(case, made)} 把 `{case.text(owner)}` 设成了叶子张量，即要学习的量，而 {code(case, statement)} 要把算出的结果写进去，叶子张量不允许这样。"
        f"它只是存放结果的空间：请去掉 `requires_grad=True`，写入结果时它会得到计算图。",
        case.fix(case.without_argument(made, flag), made),
        made,
    )


# -- nothing to learn --------------------------------------------------------------------------------------------------


def _frozen(case: Case) -> Iterator[tuple[ast.stmt, str]]:
    """The statements that switch gradients off, with whose."""
    for one in case.nodes(ast.stmt):
        match one:
            case ast.Assign(
                targets=[ast.Attribute(value=owner, attr="requires_grad")], value=ast.Constant(value=False)
            ):
                loop = case.enclosing(one, ast.For)
                source = loop.iter if loop is not None else owner
                yield one, case.text(source)
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=owner, attr="requires_grad_"), args=[ast.Constant(value=False), *_]
                )
            ):
                loop = case.enclosing(one, ast.For)
                inside = loop is not None and case.text(owner) == case.text(loop.target)
                yield one, case.text(loop.iter) if loop is not None and inside else case.text(owner)


def _part_of(case: Case, name: str) -> str:
    """The first part of a model that has weights, as the program would write it."""
    model = case.values.get(name)
    parts = model.named_children() if isinstance(model, Layer) else ()
    first = next((part for part, layer in parts if next(iter(layer.parameters()), None) is not None), None)
    if first is None:
        return "model.backbone"
    return f"{name}[{first}]" if first.isdigit() else f"{name}.{first}"


@finds(errors.NO_PARAMETERS)
def _all_frozen(case: Case) -> Finding | None:
    """An optimizer of the parameters that require a gradient, where none does any more."""
    call = case.find(ast.Call)
    given = call.args[0] if call is not None and call.args else None
    if call is None or given is None or "requires_grad" not in case.text(definition(case, given)):
        return None
    before = [one for one in _frozen(case) if line(one[0]) < line(call)]
    if not before:
        return None
    statement, whose = before[-1]
    part = _part_of(case, whose.removesuffix(".parameters()"))
    return finding(
        case,
        f"{code(case, statement)} on line {line(statement)} switches the gradient off for all of `{whose}`, so {code(case, given)} leaves nothing for the"
        f" optimizer. Freeze only the part that is to stay as it is, such as `for p in {part}.parameters()`, or switch the gradient on again for"
        f" the part that is to learn.",
        f"第 {line(statement)} 行的 {code(case, statement)} 关闭了 `{whose}` 全部的梯度，所以 {code(case, given)} 没有给优化器留下任何参数。请只冻结不需要学习的部分，例如"
        f" `for p in {part}.parameters()`，或者把要学习的部分重新打开。",
        (),
        statement,
    )


_ALIKE: Final = frozenset({"param", "parameters", "parameter", "weights", "weight", "p", "model", "vars", "variables"})


@finally_finds(python.KEY)
def _group_key(case: Case) -> Finding | None:
    """``groups = [{"param": ...}]`` before ``SGD(groups)``."""
    call = case.find(ast.Call)
    if call is None or "params" not in str(case.details.get("message", "")) or not call.args:
        return None
    made = definition(case, call.args[0])
    for group in [one for one in ast.walk(made) if isinstance(one, ast.Dict)]:
        keys = [one for one in group.keys if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        wrong = next((one for one in keys if one.value in _ALIKE), None)
        if "params" in [one.value for one in keys]:
            continue
        if wrong is None:
            return None
        return finding(
            case,
            f"A group of an optimizer has its tensors under the key `'params'`, and {code(case, group)} on line {line(group)} has them under"
            f" `{case.text(wrong)}`. Write `'params'`.",
            f"优化器的每一组要把张量放在键 `'params'` 下，而第 {line(group)} 行的 {code(case, group)} 用的是 `{case.text(wrong)}`。请写 `'params'`。",
            write(case, wrong, '"params"', group),
            wrong,
        )
    return None


@finds(python.NONE_ATTRIBUTE, mistakes.NONE_OPERAND)
def _parameter_not_used(case: Case) -> Finding | None:
    """``p.grad.norm()`` in a loop over parameters, of a layer that the loss does not use."""
    failed = case.find(ast.expr)
    grads = [one for one in ast.walk(failed) if isinstance(one, ast.Attribute) and one.attr == "grad"] if failed else []
    for node in grads:
        held = case.value(node.value)
        loop = case.enclosing(node, ast.For)
        if (
            loop is None
            or not isinstance(held, Tensor)
            or held.grad is not None
            or not isinstance(node.value, ast.Name)
        ):
            continue
        match loop.iter:
            case ast.Call(func=ast.Attribute(value=owner, attr="parameters" | "named_parameters")):
                module = case.value(owner)
            case _:
                continue
        if not isinstance(module, Layer) or not held.requires_grad:
            continue
        own = [(name, one) for name, one in module.named_parameters()]
        name = next((name for name, one in own if one is held), None)
        if name is None or all(one.grad is None for _, one in own):
            continue
        return _skipped(case, node, (case.text(owner), name, node.value.id))
    return None


def _skipped(case: Case, node: ast.Attribute, names: tuple[str, str, str]) -> Finding:
    owner, name, held = names
    statement = case.statement(node)
    text = f"if {held}.grad is not None:"
    body = case.text(statement) if statement is not None else ""
    simple = isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr) and "\n" not in body
    fix = write(case, statement, f"{text} {body}", None) if simple and statement is not None else ()
    return finding(
        case,
        f"`{held}` is `{name}` of `{owner}` in this turn, and the backward pass did not reach it, while others have a gradient: the loss was not"
        f" computed from it, or its result was cut off. Use that layer in `forward`, or take it out; to go past such parameters: `{text}`.",
        f"这一轮的 `{held}` 是 `{owner}` 的 `{name}`，反向传播没有到达它，而其他参数有梯度：损失不是由它算出的，或者它的结果被切断了。请在 `forward` 里使用"
        f"这一层，或者去掉它；如果只是要跳过这样的参数：`{text}`。",
        fix,
        node,
    )


# -- layers in loops ---------------------------------------------------------------------------------------------------


def _loop_of(case: Case, node: ast.AST) -> ast.For | ast.ListComp | ast.GeneratorExp | None:
    listed = case.enclosing(node, ast.ListComp) or case.enclosing(node, ast.GeneratorExp)
    return listed or case.enclosing(node, ast.For)


def _names_in(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


@finds(errors.MM_SHAPE, errors.CONV_CHANNELS)
def _layers_in_loop(case: Case) -> Finding | None:
    """``for i, o in zip(dims, dims[2:])``, ``for h in sizes: layers.append(nn.Linear(before, h))``."""
    outer, _ = running(case)
    if outer is None:
        return None
    layer = failing_linear(case, outer) if "mat1" in case.details else _failing_convolution(case, outer)
    made = maker_of(case, layer) if layer is not None else None
    loop = _loop_of(case, made) if made is not None else None
    if made is None or loop is None or layer is None or len(made.args) < 2:
        return None
    target, source = (
        (loop.target, loop.iter) if isinstance(loop, ast.For) else (loop.generators[0].target, loop.generators[0].iter)
    )
    changing = _names_in(target)
    first, second = made.args[:2]
    if isinstance(loop, ast.For) and isinstance(first, ast.Name) and isinstance(second, ast.Name):
        again = [one for one in ast.walk(loop) if isinstance(one, ast.Name) and one.id == first.id]
        stored = any(isinstance(one.ctx, ast.Store) for one in again)
        if not stored and second.id in changing and first.id not in changing:
            return _not_handed_on(case, loop, made, first, second)
    if not _names_in(first) & changing:
        return None
    return _not_in_a_row(case, loop, made, source)


def _failing_convolution(case: Case, outer: Layer) -> Layer | None:
    weight = case.details.get("weight", case.details.get("weight_shape"))
    if not isinstance(weight, list | tuple):
        return None
    found = [
        one
        for one in outer.modules()
        if isinstance(getattr(one, "weight", None), Tensor) and tuple(one.weight.shape) == tuple(weight)
    ]
    return found[0] if len(found) == 1 else None


def _not_handed_on(case: Case, loop: ast.For, made: ast.Call, first: ast.Name, second: ast.Name) -> Finding:
    text = f"{first.id} = {second.id}"
    last = loop.body[-1]
    span = case.program.span_of(last)
    indent = case.line(line(last))[: last.col_offset]
    edits = [insertion(span.end_line, span.end_column, f"\n{indent}{text}")] if span is not None else []
    return finding(
        case,
        f"The loop on line {line(loop)} makes each layer with {code(case, made)}, and `{first.id}` stays the same in every turn, while the layer before gives"
        f" `{second.id}` numbers. Hand the size on at the end of each turn: `{text}`.",
        f"第 {line(loop)} 行的循环用 {code(case, made)} 创建每一层，而 `{first.id}` 在每一轮都不变，前一层给出的却是 `{second.id}` 个数。请在每一轮末尾把大小传下去：`{text}`。",
        apply(case, edits, f"`{text}`", f"`{text}`"),
        made,
    )


def _not_in_a_row(case: Case, loop: ast.AST, made: ast.Call, source: ast.expr) -> Finding | None:
    """Sizes that are paired over a gap, or taken one by one."""
    given, wanted = case.details.get("mat1"), case.details.get("mat2")
    known = isinstance(given, list | tuple) and isinstance(wanted, list | tuple)
    gives, takes = (
        (given[-1], wanted[0]) if isinstance(given, list | tuple) and isinstance(wanted, list | tuple) else (0, 0)
    )
    sizes = f": one layer gives {gives} numbers, and the next takes {takes}" if known else ""
    sizes_zh = f"：一层给出 {gives} 个数，下一层却要 {takes} 个" if known else ""
    match source:
        case ast.Call(
            func=ast.Name(id="zip"),
            args=[
                ast.Name(id=one),
                ast.Subscript(value=ast.Name(id=other), slice=ast.Slice(lower=ast.Constant(value=int(skip)))) as later,
            ],
        ) if one == other and skip != 1:
            text = f"{other}[1:]"
            return finding(
                case,
                f"{code(case, source)} on line {line(source)} pairs each size with the one {skip} places further, so the layers that {code(case, made)}"
                f" makes do not follow each other{sizes}. Pair each with the next: `{text}`.",
                f"第 {line(source)} 行的 {code(case, source)} 把每个大小与后面第 {skip} 个配对，所以 {code(case, made)} 创建的各层接不起来{sizes_zh}。请与下一个配对：`{text}`。",
                write(case, later, text, source),
                source,
            )
    return finding(
        case,
        f"The loop on line {line(source)} makes its layers with {code(case, made)}, and their sizes do not follow each other{sizes}. Let each take as"
        f" many numbers as the one before gives.",
        f"第 {line(source)} 行的循环用 {code(case, made)} 创建各层，而它们的大小接不起来{sizes_zh}。请让每一层接受前一层给出的个数。",
        (),
        source,
    )
