"""One thing where several are given: outputs and states, values and places, a gradient for each input, pairs of a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, loops_of, returned
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Text

_WITH_PLACES: Final = frozenset({"max", "min", "median", "mode", "kthvalue", "sort", "topk", "cummax", "cummin"})
_RECURRENT: Final = frozenset({"RNN", "GRU", "LSTM"})


@dataclass(frozen=True)
class Parts:
    """What a call gives several of: in words, and how the part that is computed with is taken."""

    call: ast.Call
    words: Text
    taken: str


def parts_of(case: Case, node: ast.expr) -> Parts | None:
    """The call that gave several things at once, where an expression stands for all of them."""
    made = definition(case, node)
    if not isinstance(made, ast.Call):
        return None
    layer = case.value(made.func)
    kind, name = type(layer).__name__, called(made)
    if isinstance(layer, Layer) and kind in _RECURRENT:
        return Parts(
            made,
            Text("two things, the outputs of all steps and the last state", "两样东西：各步的输出和最后的状态"),
            "[0]",
        )
    if isinstance(layer, Layer) and kind == "MultiheadAttention":
        return Parts(
            made, Text("two things, the output and the weights of the attention", "两样东西：输出和注意力权重"), "[0]"
        )
    if name in _WITH_PLACES and not Flow(case).called(made):
        return Parts(made, Text("two things, the values and their places", "两样东西：数值和它们的位置"), ".values")
    if name == "grad" and isinstance(made.func, ast.Attribute):
        return Parts(made, Text("a tuple, with one gradient for each input", "元组，其中每个输入对应一个梯度"), "[0]")
    return _of_function(case, made) if made is node else None


def _of_function(case: Case, call: ast.Call) -> Parts | None:
    for function in Flow(case).called(call):
        results = returned(function)
        if results and all(isinstance(one, ast.Tuple) for one in results) and isinstance(results[-1], ast.Tuple):
            listed = ", ".join(f"`{case.text(one)}`" for one in results[-1].elts)
            at = line(results[-1])
            return Parts(call, Text(f"{listed} (line {at})", f"{listed.replace(', ', '、')}（第 {at} 行）"), "[0]")
    return None


def _used_whole(case: Case) -> Iterator[ast.expr]:
    """The expressions that went into what failed."""
    node = case.find(ast.BinOp) or case.find(ast.Attribute) or case.find(ast.Subscript) or case.find(ast.Call)
    match node:
        case ast.BinOp(left=left, right=right):
            yield from (right, left)
        case ast.Attribute(value=value) | ast.Subscript(value=value):
            yield value
        case ast.Call(args=args, keywords=keywords):
            yield from (*args, *(one.value for one in keywords))
    statement = case.statement(node) if node is not None else None
    if isinstance(statement, ast.AugAssign):
        yield statement.value


@finds(
    python.TYPE,
    mistakes.OPERAND_TYPES,
    mistakes.CONCATENATION,
    mistakes.UNORDERED,
    mistakes.INDICES,
    errors.NO_ATTRIBUTE,
    python.ATTRIBUTE,
    errors.ARGUMENT_TYPE,
    errors.INVALID_COMBINATION,
)
def _whole(case: Case) -> Finding | None:
    """``goal = r + q(s).max(dim=1)``."""
    for given in _inner(case):
        value, call = case.value(given), isinstance(given, ast.Call)
        if not call and (isinstance(value, Tensor) or not (value is UNKNOWN or isinstance(value, tuple))):
            continue
        if type(value).__name__ == "PackedSequence":
            return _packed(case, given)
        parts = parts_of(case, given)
        if parts is None or not _is_pair(case, parts, given):
            continue
        if parts.taken == ".values" and _beside_labels(case, given):
            parts = replace(parts, taken=".indices")
        if (pairs := _kept_apart(case, given, parts)) is not None:
            edits, text = pairs
        else:
            edits, text = case.followed(parts.call, parts.taken), f"{case.text(parts.call)}{parts.taken}"
        keeps = parts.taken == ".values" and _loses_dimension(case, given, parts.call)
        if keeps:
            edits = [*case.argument(parts.call, "keepdim=True"), *edits]
            text = f"{case.text(parts.call)[:-1]}, keepdim=True).values"
        why, why_zh = _KEPT if keeps else ("", "")
        where, where_zh = f" on line {line(parts.call)}", f"第 {line(parts.call)} 行的"
        part, part_zh = _TAKEN.get(parts.taken, ("the first", "第一个"))
        return finding(
            case,
            f"{code(case, parts.call)}{where} gives {parts.words.en}, and here one tensor is needed. Take {part}{why}: `{text}`.",
            f"{where_zh} {code(case, parts.call)} 给出{parts.words.zh}，而这里需要一个张量。请取{part_zh}{why_zh}：`{text}`。",
            case.fix(edits, None, Text(f"`{text}`", f"`{text}`")),
            parts.call,
        )
    return None


_KEPT: Final = (", and keep their dimension, so that each row meets its own", "，并保留那一维，让每一行对上自己的值")


def _loses_dimension(case: Case, given: ast.expr, call: ast.Call) -> bool:
    """``z - z.max(dim=1)``: what has one dimension less would meet the last one of what it was computed from."""
    node = case.parents.get(given)
    source = Flow(case).tensor(call.func.value) if isinstance(call.func, ast.Attribute) else None
    dim = next((case.value(one.value) for one in call.keywords if one.arg == "dim"), None)
    dim = case.value(call.args[0]) if dim is None and call.args else dim
    if not isinstance(node, ast.BinOp) or call is not given or source is None or not isinstance(dim, int):
        return False
    other = Flow(case).tensor(node.left if node.right is given else node.right)
    keeps = any(one.arg == "keepdim" for one in call.keywords) or len(call.args) > 1
    return other is not None and other.shape == source.shape and dim % max(source.dim(), 1) > 0 and not keeps


_TAKEN: Final = {".values": ("the values", "数值"), ".indices": ("the places", "位置")}


def _beside_labels(case: Case, given: ast.expr) -> bool:
    """``torch.eq(pred, y)``, ``pred.eq(y)``: what is compared with whole numbers are places."""
    outer = case.parents.get(given)
    call = case.parents.get(outer) if isinstance(outer, ast.Attribute) else outer
    if not isinstance(call, ast.Call) or called(call) not in ("eq", "equal", "ne"):
        return False
    others = [one for one in call.args if one is not given]
    other = Flow(case).tensor(others[0]) if len(others) == 1 else None
    return other is not None and not other.dtype.is_floating_point


def _packed(case: Case, given: ast.expr) -> Finding:
    """The output of a recurrent layer that was given a packed batch."""
    torch, imports = case.with_torch()
    made, name = definition(case, given), f"{torch}.nn.utils.rnn.pad_packed_sequence"
    text = f"{name}({case.text(given)}, batch_first=True)[0]"
    return finding(
        case,
        f"{code(case, given)} (line {line(made)}) is packed, as its input was: the steps of all rows in one, without those that were filled"
        f" up. Unpack it before it is computed with: `{text}`.",
        f"{code(case, given)}（第 {line(made)} 行）是打包的，因为输入是打包的：各行的时间步排在一起，没有补齐的部分。请先解包再计算：`{text}`。",
        case.fix([*case.replace(given, text), *imports], None, Text(f"`{text}`", f"`{text}`")),
        made,
    )


def _is_pair(case: Case, parts: Parts, given: ast.expr) -> bool:
    """Whether a call really gave several things: ``x.max()`` gives one."""
    if parts.taken != ".values" or parts.call is not given:
        return True
    call = parts.call
    return bool(
        call.keywords or len(call.args) > (not isinstance(case.value(getattr(call.func, "value", call)), Tensor))
    )


def _inner(case: Case) -> Iterator[ast.expr]:
    """What went in, and what stands in it: ``0.9 * best``."""
    for one in _used_whole(case):
        yield one
        if isinstance(one, ast.BinOp):
            yield from (one.left, one.right)


def _kept_apart(case: Case, given: ast.expr, parts: Parts) -> tuple[list[Edit], str] | None:
    """The name that is used, with the part behind it, where other lines use the other parts of it."""
    if not isinstance(given, ast.Name):
        return None
    uses = [
        case.parents.get(one) for one in case.nodes(ast.Name) if one.id == given.id and isinstance(one.ctx, ast.Load)
    ]
    apart = any(
        getattr(getattr(one, "slice", None), "value", None) in (0, 1)
        or getattr(one, "attr", "") in ("values", "indices")
        for one in uses
    )
    text = f"{case.text(given)}{parts.taken}"
    return (case.followed(given, parts.taken), text) if apart else None


# ---- pairs of a loop

_PAIRS: Final = {
    "named_parameters": ("a name and a parameter", "名字和参数", "name", "parameters"),
    "named_buffers": ("a name and a buffer", "名字和缓冲区", "name", "buffers"),
    "named_modules": ("a name and a module", "名字和模块", "name", "modules"),
    "named_children": ("a name and a module", "名字和模块", "name", "children"),
    "items": ("a key and a value", "键和值", "key", "values"),
    "enumerate": ("a number and an element", "编号和元素", "i", ""),
}


@finds(
    errors.NO_ATTRIBUTE,
    python.ATTRIBUTE,
    mistakes.OPERAND_TYPES,
    mistakes.CONCATENATION,
    errors.ARGUMENT_TYPE,
    python.TYPE,
    mistakes.NOT_CALLABLE,
)
def _pair_of_loop(case: Case) -> Finding | None:
    """``for p in net.named_parameters(): p.abs()``."""
    for given in _inner(case):
        if not isinstance(given, ast.Name) or not isinstance(case.value(given), tuple):
            continue
        for loop in loops_of(case):
            source = loop.iter
            name = called(source) if isinstance(source, ast.Call) else ""
            if not isinstance(loop.target, ast.Name) or loop.target.id != given.id or name not in _PAIRS:
                continue
            return _unpaired(case, loop.target, source, str(name))
    return None


def _unpaired(case: Case, target: ast.Name, source: ast.expr, name: str) -> Finding:
    en, zh, first, alone = _PAIRS[name]
    text = f"for {first}, {target.id} in {case.text(source)}"
    other = (
        f"`{case.operand(source.func.value)}.{alone}()`"
        if alone and isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute)
        else ""
    )
    return finding(
        case,
        f"{code(case, source)} on line {line(source)} gives pairs of {en}, so `{target.id}` is both together. Take them apart: `{text}`"
        + (f", or go through {other}." if other else "."),
        f"第 {line(source)} 行的 {code(case, source)} 每次给出一对：{zh}，所以 `{target.id}` 是两者合在一起。请拆开：`{text}`"
        + (f"，或者遍历 {other}。" if other else "。"),
        case.fix(case.replace(target, f"{first}, {target.id}"), None, Text(f"`{text}`", f"`{text}`")),
        target,
    )


# ---- one state, where there are not two


@finds(mistakes.NOT_ENOUGH_VALUES, mistakes.TOO_MANY_VALUES)
def _one_state(case: Case) -> Finding | None:
    """``out, (h, c) = gru(x)``."""
    node = case.find(ast.AST)
    statement = case.statement(node) if node is not None else None
    match statement:
        case ast.Assign(
            targets=[ast.Tuple(elts=[ast.expr(), ast.Tuple(elts=[ast.expr() as first, *_]) as inner])],
            value=ast.Call() as call,
        ):
            kind = type(case.value(call.func)).__name__
        case _:
            return None
    if kind not in ("RNN", "GRU"):
        return None
    text = case.text(first)
    return finding(
        case,
        f"{code(case, call)} gives the outputs and the last state, and the state of a `{kind}` is one tensor; only an `LSTM` has two,"
        f" `(h, c)`. Write one name in the place of {code(case, inner)}: `{text}`.",
        f"{code(case, call)} 给出输出和最后的状态，而 `{kind}` 的状态只有一个张量；只有 `LSTM` 才有两个 `(h, c)`。请把 {code(case, inner)} 改成一个名字："
        f"`{text}`。",
        case.fix(case.replace(inner, text), statement),
        inner,
    )


# ---- a batch that was put together by the program


@finds(errors.ARGUMENT_TYPE, errors.NO_ATTRIBUTE, python.ATTRIBUTE, mistakes.OPERAND_TYPES, python.TYPE)
def _collated(case: Case) -> Finding | None:
    """A ``collate_fn`` that gives a list of samples."""
    for given in _inner(case):
        value = case.value(given)
        if not isinstance(given, ast.Name) or not isinstance(value, list) or not value:
            continue
        if not all(isinstance(one, Tensor) and one.shape == value[0].shape for one in value):
            continue
        listed = _from_collate(case, given)
        if listed is None:
            continue
        made = definition(case, listed)
        torch, imports = case.with_torch()
        text = f"{torch}.stack({case.text(made)})"
        return finding(
            case,
            f"{code(case, given)} is a list of {len(value)} tensors of the shape {list(value[0].shape)}, as {code(case, made)} on line {line(made)}"
            f" collects them for the batch, and here one tensor is needed. Make one of them there: `{text}`.",
            f"{code(case, given)} 是 {len(value)} 个形状为 {list(value[0].shape)} 的张量组成的列表，由第 {line(made)} 行的 {code(case, made)} 为这一批收集而来，"
            f"而这里需要一个张量。请在那里合成一个：`{text}`。",
            case.fix([*case.wrapped(made, f"{torch}.stack(", ")"), *imports], case.statement(made)),
            made,
        )
    return None


def _from_collate(case: Case, given: ast.Name) -> ast.expr | None:
    """What a ``collate_fn`` returns for a name of the loop through its loader."""
    for loop in case.nodes(ast.For):
        names = (
            [case.text(one) for one in loop.target.elts]
            if isinstance(loop.target, ast.Tuple)
            else [case.text(loop.target)]
        )
        made = definition(case, loop.iter)
        if given.id not in names or not isinstance(made, ast.Call):
            continue
        function = next((one.value for one in made.keywords if one.arg == "collate_fn"), None)
        defined = [
            one for one in case.nodes(ast.FunctionDef) if isinstance(function, ast.Name) and one.name == function.id
        ]
        results = [function.body] if isinstance(function, ast.Lambda) else returned(defined[-1]) if defined else []
        if len(results) == 1:
            result = results[0]
            return (
                result.elts[names.index(given.id)]
                if isinstance(result, ast.Tuple) and len(result.elts) == len(names)
                else result
            )
    return None
