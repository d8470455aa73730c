"""Pieces and dimensions: a batch that was laid into one row, halves of the wrong dimension, one sample without its batch, tuples for one thing."""

from __future__ import annotations

import ast
import re
from math import prod
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, is_simple
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.layers import failing_linear, maker_of, running
from gradflow.engine.diagnosis.findings.sizes_written import outputs_of
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finally_finds, finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor

_MOST: Final = 40


def _on_the_way(case: Case, node: ast.expr) -> list[ast.Call]:
    """The calls on the way back from a value, nearest first."""
    found = []
    for count, one in enumerate(Flow(case).behind(node)):
        if count > _MOST:
            break
        if isinstance(one, ast.Call):
            found.append(one)
    return found


def cut_of(
    case: Case, call: ast.Call, names: tuple[str, ...]
) -> tuple[ast.expr, list[ast.expr], list[ast.keyword]] | None:
    """Of ``x.chunk(2)`` and ``torch.chunk(x, 2)`` the tensor and the further arguments."""
    if called(call) not in names or not isinstance(call.func, ast.Attribute):
        return None
    of_torch = isinstance(call.func.value, ast.Name) and call.func.value.id == case.module_alias("torch")
    if of_torch:
        return (call.args[0], call.args[1:], call.keywords) if call.args else None
    return call.func.value, call.args, call.keywords


@finds(errors.MM_SHAPE)
def _batch_in_one_row(case: Case) -> Finding | None:
    """``x.view(-1)`` before a linear layer: all samples become one."""
    outer, call = running(case)
    layer = failing_linear(case, outer)
    told = case.details.get("mat2")
    if call is None or not call.args or not isinstance(told, list | tuple) or len(told) != 2:
        return None
    if layer is None and shape_at(case, call.args[0]) is None:
        return None
    wanted = int(told[0])
    for one in _on_the_way(case, call.args[0]):
        cut = cut_of(case, one, ("view", "reshape", "flatten", "ravel"))
        shape = shape_at(case, cut[0]) if cut is not None else None
        result = Flow(case).tensor(one)
        if cut is None or shape is None or result is None or result.dim() != 1 or len(shape) < 2:
            continue
        if prod(shape[1:]) != wanted:
            return None
        owner = case.text(cut[0])
        of_view = called(one) in ("view", "reshape") and is_simple(cut[0]) and owner != case.module_alias("torch")
        text = f"{owner}.{called(one)}({owner}.size(0), -1)" if of_view else f"{owner}.flatten(1)"
        if not is_simple(cut[0]) and not isinstance(cut[0], ast.Call):
            text = f"({owner}).flatten(1)"
        return finding(
            case,
            f"{code(case, one)} on line {line(one)} lays all {shape[0]} samples of {code(case, cut[0])} (shape {list(shape)}) into one row of"
            f" {prod(shape)} numbers, and the layer takes the {wanted} numbers of each sample. Keep the batch as dimension 0: `{text}`.",
            f"第 {line(one)} 行的 {code(case, one)} 把 {code(case, cut[0])}（形状 {list(shape)}）的 {shape[0]} 个样本全部排成了一行 {prod(shape)} 个数，而这一层"
            f"要的是每个样本的 {wanted} 个数。请保留第 0 维作为批量：`{text}`。",
            write(case, one, text, one),
            one,
        )
    return None


@finds(errors.MM_SHAPE)
def _halves(case: Case) -> Finding | None:
    """``mu, logvar = enc(x).chunk(2)``, which cuts the batch, or cuts what is not twice as wide as it should be."""
    outer, call = running(case)
    layer = failing_linear(case, outer)
    sizes = case.details.get("mat1")
    if layer is None or call is None or not call.args or not isinstance(sizes, list | tuple):
        return None
    wanted, given = int(layer.in_features), int(sizes[-1])
    for one in _on_the_way(case, call.args[0]):
        cut = cut_of(case, one, ("chunk", "tensor_split"))
        shape = shape_at(case, cut[0]) if cut is not None else None
        pieces = case.value(cut[1][0]) if cut is not None and cut[1] else None
        if cut is None or shape is None or len(shape) < 2 or not isinstance(pieces, int) or pieces < 2:
            continue
        dim = argument_of(one, 1 + (cut[1] is not one.args), "dim")
        along = case.value(dim) if dim is not None else 0
        if along == 0 and shape[-1] == given == wanted * pieces:
            last = len(shape) - 1
            return _wrong_dimension(case, one, cut[0], (pieces, last), shape, dim)
        if along in (-1, len(shape) - 1) and shape[-1] == wanted == given * pieces:
            return _not_wide_enough(case, one, cut[0], layer, (pieces, wanted, given))
    return None


def _wrong_dimension(
    case: Case, cut: ast.Call, source: ast.expr, number: tuple[int, int], shape: tuple[int, ...], dim: ast.expr | None
) -> Finding:
    pieces, last = number
    edits = case.replace(dim, str(last)) if dim is not None else case.argument(cut, f"dim={last}")
    text = f"dim={last}"
    without = ", and without `dim` that is dimension 0" if dim is None else " along dimension 0"
    without_zh = "，不写 `dim` 时就是第 0 维" if dim is None else "，沿第 0 维"
    return finding(
        case,
        f"{code(case, cut)} on line {line(cut)} cuts {code(case, source)}, of shape {list(shape)}, into {pieces} pieces{without}, the batch: each piece"
        f" has fewer samples and still all {shape[-1]} features. Cut the features: `{text}`.",
        f"第 {line(cut)} 行的 {code(case, cut)} 把形状为 {list(shape)} 的 {code(case, source)} 切成 {pieces} 块{without_zh}，也就是批量：每块样本变少，而 {shape[-1]} 个"
        f"特征都还在。请沿特征切：`{text}`。",
        case.fix(edits, cut),
        cut,
    )


def _not_wide_enough(
    case: Case, cut: ast.Call, source: ast.expr, layer: Layer, sizes: tuple[int, int, int]
) -> Finding | None:
    pieces, wanted, given = sizes
    made = definition(case, source)
    before = case.value(made.func) if isinstance(made, ast.Call) else None
    maker, second = (maker_of(case, before) if isinstance(before, Layer) else None), maker_of(case, layer)
    outputs = outputs_of(maker) if maker is not None else []
    if maker is None or second is None or not outputs or not second.args:
        return None
    size = outputs[0]
    wider = f"{pieces} * {case.text(size)}" if isinstance(size, ast.Name | ast.Attribute) else str(pieces * wanted)
    smaller = f"{case.text(second.args[0])} // {pieces}" if not isinstance(second.args[0], ast.Constant) else str(given)
    return finding(
        case,
        f"{code(case, maker)} on line {line(maker)} gives {wanted} numbers, and {code(case, cut)} on line {line(cut)} cuts them into {pieces} pieces of"
        f" {given}, while {code(case, second)} takes {wanted}. Either the first layer gives all pieces, `{wider}`, or the second takes one piece,"
        f" `{smaller}`.",
        f"第 {line(maker)} 行的 {code(case, maker)} 给出 {wanted} 个数，第 {line(cut)} 行的 {code(case, cut)} 把它们切成 {pieces} 块，每块 {given} 个，而"
        f" {code(case, second)} 要 {wanted} 个。要么让第一层给出所有的块：`{wider}`，要么让第二层接受一块：`{smaller}`。",
        [write(case, size, wider, maker), write(case, second.args[0], smaller, second)],
        maker,
    )


@finally_finds(errors.MODULE_ARGUMENT)
def _sample_without_batch(case: Case) -> Finding | None:
    """``net(x)`` of one row, with a normalisation over the batch inside."""
    told = re.search(r"expected (\d)D(?: or (\d)D)? input \(got (\d)D input\)", str(case.details.get("message", "")))
    call = case.find(ast.Call)
    if told is None or call is None or not call.args:
        return None
    shape = shape_at(case, call.args[0])
    if shape is None or len(shape) != int(told[3]) or int(told[1]) != len(shape) + 1:
        return None
    x = case.text(call.args[0])
    text = (
        f"{x}.unsqueeze(0)" if is_simple(call.args[0]) or isinstance(call.args[0], ast.Call) else f"({x}).unsqueeze(0)"
    )
    return finding(
        case,
        f"{code(case, call.args[0])} has the shape {list(shape)}, one sample without a batch, and a batch normalisation wants the batch as dimension 0."
        f" Make it a batch of one: `{text}`; the model has to be in `eval()` for that, for mean and variance of one sample say nothing.",
        f"{code(case, call.args[0])} 的形状是 {list(shape)}，是一个没有批量维的样本，而批归一化需要第 0 维是批量。请变成只有一个样本的批次：`{text}`；这时模型要处于"
        f" `eval()`，因为一个样本的均值和方差没有意义。",
        write(case, call.args[0], text, call),
        call.args[0],
    )


@finds(mistakes.NOT_CALLABLE, errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _pair_for_one(case: Case) -> Finding | None:
    """``model = build()`` of a function that returns the model and the optimizer."""
    failed = case.find(ast.expr)
    node = failed.func if isinstance(failed, ast.Call) else failed.value if isinstance(failed, ast.Attribute) else None
    held = case.value(node) if isinstance(node, ast.Name) else None
    if not isinstance(node, ast.Name) or not isinstance(held, tuple) or len(held) < 2:
        return None
    made = definition(case, node)
    functions = Flow(case).called(made) if isinstance(made, ast.Call) else []
    results = [one for function in functions for one in returned(function)]
    if len(results) != 1 or not isinstance(results[0], ast.Tuple) or len(results[0].elts) != len(held):
        return None
    wanted = [at for at, one in enumerate(held) if _serves(one, failed)]
    targets = [one for one in case.nodes(ast.Assign) if one.value is made and len(one.targets) == 1]
    if len(wanted) != 1 or not targets:
        return None
    scope = Flow(case).scope(targets[0])
    own = [one for one in case.nodes(ast.Name) if Flow(case).scope(one) is scope]
    used = {one.id for one in own if isinstance(one.ctx, ast.Load)} - {
        one.id for one in own if isinstance(one.ctx, ast.Store)
    }
    names = [str(getattr(one, "id", "")) for one in results[0].elts]
    names = [node.id if at == wanted[0] else name if name in used else "_" for at, name in enumerate(names)]
    text = f"{', '.join(names)} = {case.text(made)}"
    return finding(
        case,
        f"`{case.text(made)}` returns {len(held)} values (line {line(results[0])}: {code(case, results[0])}), so `{node.id}` on line {line(made)} is the"
        f" tuple of them all. Take them apart: `{text}`.",
        f"`{case.text(made)}` 返回 {len(held)} 个值（第 {line(results[0])} 行：{code(case, results[0])}），所以第 {line(made)} 行的 `{node.id}` 是装着它们的元组。请"
        f"分开来接：`{text}`。",
        case.fix(case.replace(targets[0].targets[0], ", ".join(names)), targets[0]),
        made,
    )


def _serves(value: object, failed: ast.expr | None) -> bool:
    """Whether one of the values can do what was asked of the tuple."""
    if isinstance(failed, ast.Call):
        return isinstance(value, Layer) or (callable(value) and not isinstance(value, Tensor))
    return isinstance(failed, ast.Attribute) and isinstance(value, Layer | Tensor) and failed.attr in dir(type(value))
