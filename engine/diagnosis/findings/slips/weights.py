"""Weights that are made by hand: of another size than what they meet, and one number for each place beside its features."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, is_simple
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.sizes_written import size_written
from gradflow.engine.diagnosis.findings.words import code, finding, line, text_with, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes
from gradflow.engine.namespace.nn.module import Module as Layer

_MAKING: Final = frozenset({"randn", "rand", "zeros", "ones", "empty", "full"})


def _made_of_sizes(case: Case, node: ast.expr) -> tuple[ast.Call, list[ast.expr]] | None:
    """The call that made a leaf that is learned, with its sizes."""
    held = Flow(case).tensor(node)
    if held is None or not held.requires_grad or not held.is_leaf or not isinstance(node, ast.Name | ast.Attribute):
        return None
    made = definition(case, node)
    for one in ast.walk(made):
        if isinstance(one, ast.Call) and called(one) in _MAKING and one.args:
            first = one.args[0]
            return one, list(first.elts) if isinstance(first, ast.Tuple | ast.List) else list(one.args)
    return None


@finds(errors.MM_SHAPE)
def _weight_of_another_size(case: Case) -> Finding | None:
    """``h @ W2`` of a weight that was made for fewer features."""
    node = case.find(ast.BinOp)
    if node is None or not isinstance(node.op, ast.MatMult):
        return None
    left, right = shape_at(case, node.left), shape_at(case, node.right)
    found = _made_of_sizes(case, node.right)
    if left is None or right is None or found is None or len(right) != 2 or len(left) < 2 or left[-1] == right[1]:
        return None
    made, sizes = found
    if len(sizes) != 2 or left[-1] == right[0]:
        return None
    text = size_written(case, sizes[0], left[-1])
    shown = text_with(case, made, sizes[0], text)
    return finding(
        case,
        f"{code(case, node.left)} has {left[-1]} features (shape {list(left)}), and the weight {code(case, node.right)} was made for {right[0]}:"
        f" {code(case, made)} on line {line(made)}. Its first size is the number of features that come in: `{shown}`.",
        f"{code(case, node.left)} 有 {left[-1]} 个特征（形状 {list(left)}），而权重 {code(case, node.right)} 是按 {right[0]} 个创建的：第 {line(made)} 行的 {code(case, made)}。"
        f"它的第一个大小是输入的特征数：`{shown}`。",
        write(case, sizes[0], text, made),
        made,
    )


@finds(errors.SHAPE_BROADCAST)
def _bias_of_another_size(case: Case) -> Finding | None:
    """``X @ W + b`` of a bias that is not as long as the result is wide."""
    node = case.find(ast.BinOp)
    if node is None or not isinstance(node.op, ast.Add):
        return None
    for bias, other in ((node.right, node.left), (node.left, node.right)):
        own, product = shape_at(case, bias), shape_at(case, other)
        found = _made_of_sizes(case, bias)
        made_by = definition(case, other)
        by_product = isinstance(made_by, ast.BinOp) and isinstance(made_by.op, ast.MatMult)
        by_product = by_product or (isinstance(made_by, ast.Call) and called(made_by) in ("matmul", "mm"))
        if own is None or product is None or found is None or len(own) != 1 or len(product) < 2 or not by_product:
            continue
        made, sizes = found
        if len(sizes) != 1 or own[0] == product[-1]:
            continue
        text = size_written(case, sizes[0], product[-1])
        shown = text_with(case, made, sizes[0], text)
        return finding(
            case,
            f"{code(case, other)} has {product[-1]} columns (shape {list(product)}), and the bias {code(case, bias)} has {own[0]} numbers, from {code(case, made)}"
            f" on line {line(made)}; it has one for each column. Make it for {product[-1]}: `{shown}`.",
            f"{code(case, other)} 有 {product[-1]} 列（形状 {list(product)}），而偏置 {code(case, bias)} 有 {own[0]} 个数，来自第 {line(made)} 行的 {code(case, made)}；偏置每列"
            f"一个数。请按 {product[-1]} 创建：`{shown}`。",
            write(case, sizes[0], text, made),
            made,
        )
    return None


@finds(errors.SHAPE_BROADCAST)
def _one_weight_for_each_place(case: Case) -> Finding | None:
    """``(weights * values).sum(1)`` of (N, T) and (N, T, D)."""
    node = case.find(ast.BinOp)
    if node is None or not isinstance(node.op, ast.Mult | ast.Div):
        return None
    for few, many in ((node.left, node.right), (node.right, node.left)):
        own, other = shape_at(case, few), shape_at(case, many)
        if own is None or other is None or len(own) < 2 or len(other) != len(own) + 1 or other[:-1] != own:
            continue
        if isinstance(node.op, ast.Div) and few is node.left:
            continue
        inner = case.text(few) if is_simple(few) or isinstance(few, ast.Call) else f"({case.text(few)})"
        text = f"{inner}.unsqueeze(-1)"
        return finding(
            case,
            f"{code(case, few)} has one number for each place, shape {list(own)}, and {code(case, many)} has {other[-1]} at each of them, {list(other)}; sizes"
            f" are compared from the right. Give it a last dimension of size 1: `{text}`.",
            f"{code(case, few)} 每个位置一个数，形状 {list(own)}，而 {code(case, many)} 每个位置有 {other[-1]} 个，形状 {list(other)}；大小从右边开始比较。请在最后加一个大小为"
            f" 1 的维：`{text}`。",
            case.fix(case.followed(few, ".unsqueeze(-1)"), node),
            few,
        )
    return None


# -- layers in loops ---------------------------------------------------------------------------------------------------


def _loop_at(case: Case) -> ast.For | None:
    found = case.find(ast.AST)
    loop = case.find(ast.For) or (case.enclosing(found, ast.For) if found is not None else None)
    loop = loop or next((one for one in case.nodes(ast.For) if line(one) == case.span.line), None)
    return loop if loop is not None and line(loop) == case.span.line and isinstance(loop.target, ast.Tuple) else None


@finds(mistakes.NOT_ITERABLE, mistakes.NOT_ENOUGH_VALUES, mistakes.TOO_MANY_VALUES, errors.ITERATE_SCALAR)
def _names_of_layers(case: Case) -> Finding | None:
    """``for name, layer in net.children()``, ``for name, head in heads`` of a `ModuleDict`."""
    loop = _loop_at(case)
    if loop is None or not isinstance(loop.target, ast.Tuple) or len(loop.target.elts) != 2:
        return None
    names = case.text(loop.target)
    match loop.iter:
        case ast.Call(func=ast.Attribute(value=owner, attr="children" | "modules" | "parameters" | "buffers" as name)):
            if not isinstance(case.value(owner), Layer):
                return None
            text = f"{case.operand(owner)}.named_{name}()"
            en = f"{code(case, loop.iter)} gives its elements alone, and `{names}` stands for a name and an element"
            zh = f"{code(case, loop.iter)} 只给出元素，而 `{names}` 要名字和元素两样"
        case _ if type(case.value(loop.iter)).__name__ in ("ModuleDict", "ParameterDict"):
            text = f"{case.operand(loop.iter)}.items()"
            en = f"A loop over {code(case, loop.iter)} gives its keys alone, and `{names}` stands for a key and a value"
            zh = f"遍历 {code(case, loop.iter)} 只得到键，而 `{names}` 要键和值两样"
        case _ if type(case.value(loop.iter)).__name__ in ("ModuleList", "Sequential", "ParameterList"):
            text = f"enumerate({case.text(loop.iter)})"
            en = f"{code(case, loop.iter)} gives its layers alone, and `{names}` stands for a number and a layer"
            zh = f"{code(case, loop.iter)} 只给出层，而 `{names}` 要编号和层两样"
        case _:
            return None
    return finding(
        case,
        f"{en}. Go through both: `{text}`.",
        f"{zh}。请同时遍历两者：`{text}`。",
        write(case, loop.iter, text, loop.iter),
        loop.iter,
    )


@finds(mistakes.NOT_INTEGER, mistakes.INDICES)
def _layer_by_name(case: Case) -> Finding | None:
    """``model["fc"]`` of a `Sequential` with names."""
    node = case.find(ast.Subscript)
    held = case.value(node.value) if node is not None else None
    name = case.value(node.slice) if node is not None else None
    if node is None or type(held).__name__ not in ("Sequential", "ModuleList") or not isinstance(held, Layer):
        return None
    if not isinstance(name, str):
        return None
    layers = list(held._modules)
    owner = case.text(node.value)
    if name in layers and name.isidentifier():
        text = f"{owner}.{name}"
    elif name in layers:
        text = f"{owner}[{name}]"
    else:
        return None
    return finding(
        case,
        f"`{owner}` is a `{type(held).__name__}`, whose layers are taken by number in square brackets; a layer with a name is an attribute. Write `{text}`.",
        f"`{owner}` 是 `{type(held).__name__}`，方括号里用编号取层；有名字的层是属性。请写 `{text}`。",
        write(case, node, text, node),
        node,
    )
