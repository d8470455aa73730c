"""How many values there are for the names that stand there: pieces of a tensor, elements of a loop, what a function returns."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, place, shape_at
from gradflow.engine.diagnosis.findings.kindred.lacking_dimension import all_are_read, shape_owner
from gradflow.engine.diagnosis.findings.layers import PAIRS, constant
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, loops_of, returned
from gradflow.engine.diagnosis.known import known_attribute
from gradflow.engine.errors.language import mistakes
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix, Text


@finds(mistakes.TOO_MANY_VALUES, mistakes.NOT_ENOUGH_VALUES)
def _pair_in_pair(case: Case) -> Finding | None:
    """``for i, x, y in enumerate(loader)`` for ``for i, (x, y) in enumerate(loader)``."""
    for loop in loops_of(case):
        target, source = loop.target, loop.iter
        if not isinstance(target, ast.Tuple) or len(target.elts) < 3 or not _is_at(case, loop):
            continue
        if not isinstance(source, ast.Call) or not _gives_pairs(source):
            continue
        inner = f"({', '.join(case.text(one) for one in target.elts[1:])})"
        text = f"for {case.text(target.elts[0])}, {inner} in {case.text(source)}"
        what, what_zh = (
            ("a number and one element", "编号和一个元素")
            if getattr(source.func, "id", "") == "enumerate"
            else ("a key and one value", "键和一个值")
        )
        edits = case.replace(target, f"{case.text(target.elts[0])}, {inner}")
        return finding(
            case,
            f"{code(case, source)} gives two things each time, {what}; the element holds the {len(target.elts) - 1} others together. Take it apart in"
            f" brackets of its own: `{text}`.",
            f"{code(case, source)} 每次给出两样东西：{what_zh}；另外 {len(target.elts) - 1} 个都在这个元素里面。请用单独的括号拆开它：`{text}`。",
            case.fix(edits, words=Text(f"`{text}`", f"`{text}`")),
            target,
        )
    return None


def _gives_pairs(call: ast.Call) -> bool:
    return getattr(call.func, "id", "") == "enumerate" or getattr(call.func, "attr", "") in (
        "items",
        "named_parameters",
    )


def _is_at(case: Case, loop: ast.For | ast.comprehension) -> bool:
    """Whether a loop stands in the line of the error."""
    return line(loop.target) == case.span.line


@finds(mistakes.TOO_MANY_VALUES, mistakes.NOT_ENOUGH_VALUES)
def _pieces(case: Case) -> Finding | None:
    """``a, b = torch.chunk(x, 3)``, ``for x, y in rows_of_three``, ``n, d = x.shape``."""
    node = case.find(ast.AST)
    statement = case.statement(node) if node is not None else None
    match statement:
        case ast.Assign(targets=[ast.Tuple() | ast.List() as target], value=source):
            count, what, what_zh = _given(case, source)
        case ast.For(target=ast.Tuple() | ast.List() as target, iter=source):
            count, what, what_zh = _each(case, source)
        case _:
            return None
    if isinstance(statement, ast.For) and isinstance(target.elts[-1], ast.Tuple) and count == len(target.elts[-1].elts):
        return _counted(case, target, source, count)
    if count is None or count == len(target.elts) or any(isinstance(one, ast.Starred) for one in target.elts):
        return None
    if isinstance(statement, ast.For) and (counted := _counted(case, target, source, count)) is not None:
        return counted
    if isinstance(statement, ast.For) and (lacking := _lacking(case, target, source, count)) is not None:
        return lacking
    names = [case.text(one) for one in target.elts]
    texts, fixes = [], []
    fewer = count < len(names)
    if not fewer:
        added = [*names, *_further(case, source, len(names), count)]
        texts.append(", ".join(added))
        fixes.append(case.fix(case.replace(target, ", ".join(added)), target))
        if (other := _number_of_pieces(case, source, len(names))) is not None:
            few = count <= len(names) + _FEW  # with more, most of what was computed would be thrown away
            texts = [other[0], *(texts if few else [])]
            fixes = [other[1], *(fixes if few else [])]
    action = (
        f"Write `{texts[0]}`" + (f", or as many names as there are values: `{texts[1]}`" if len(texts) > 1 else "")
        if texts
        else ""
    )
    action_zh = (
        f"请写 `{texts[0]}`" + (f"，或者让名字与值一样多：`{texts[1]}`" if len(texts) > 1 else "") if texts else ""
    )
    if fewer:
        action, action_zh = _fewer_values(case, target, source, len(names) - count)
    return finding(
        case,
        f"{what} {count} value{'s' * (count != 1)}, and {len(names)} name{'s' * (len(names) != 1)} stand{'s' * (len(names) == 1)} there for them:"
        f" `{', '.join(names)}`. {action}.",
        f"{what_zh} {count} 个值，而为它们写了 {len(names)} 个名字：`{', '.join(names)}`。{action_zh}。",
        fixes,
        definition(case, source) if isinstance(statement, ast.For) else source,
    )


def _fewer_values(case: Case, target: ast.Tuple | ast.List, source: ast.expr, lacking: int) -> tuple[str, str]:
    """What to do where there are names for more than is there: a name that is read cannot be left out."""
    tensor = shape_owner(source)
    leave, leave_zh = f"Leave {lacking} of the names out", f"请去掉其中 {lacking} 个名字"
    if tensor is None:
        return leave, leave_zh
    owner = code(case, tensor)
    dims = "missing dimension" if lacking == 1 else f"{lacking} missing dimensions"
    if all_are_read(case, target):
        return (
            f"All of them are read, so give {owner} the {dims} first: `unsqueeze(k)` adds one, and `k` is its place among the names",
            f"这些名字后面都要用到，所以要先给 {owner} 补上缺少的{'' if lacking == 1 else f' {lacking} 个'}维度：`unsqueeze(k)` 会加上一维，`k` 是它在这些名字中的位置",
        )
    return (
        f"{leave}, or give {owner} the {dims} first, with `.unsqueeze`",
        f"{leave_zh}，或者先用 `.unsqueeze` 给 {owner} 补上缺少的维度",
    )


def _lacking(case: Case, target: ast.Tuple | ast.List, source: ast.expr, count: int) -> Finding | None:
    """``TensorDataset(x)`` in a loop of ``for x, y in loader``."""
    data = known_attribute(case.value(source), "dataset", None)
    tensors = known_attribute(data, "tensors", None)
    calls = [one for one in case.nodes(ast.Call) if case.text(one.func).endswith("TensorDataset")]
    if not isinstance(tensors, tuple) or len(tensors) != count or len(calls) != 1 or count >= len(target.elts):
        return None
    rows = len(tensors[0])
    others = [
        name
        for name, held in case.values.items()
        if isinstance(held, Tensor) and held.dim() and len(held) == rows and not any(held is one for one in tensors)
    ]
    text, names = case.text(calls[0]), ", ".join(case.text(one) for one in target.elts)
    whole = f"{text[:-1]}, {others[0]})" if len(others) == len(target.elts) - count == 1 else ""
    action = f": `{whole}`" if whole else ""
    return finding(
        case,
        f"`{text}` on line {line(calls[0])} holds {count} tensor{'s' * (count != 1)}, so each turn of {code(case, source)} gives as many, and"
        f" `{names}` stand there for {len(target.elts)}. Give the data set what is missing{action}.",
        f"第 {line(calls[0])} 行的 `{text}` 只有 {count} 个张量，所以 {code(case, source)} 每一轮也给出 {count} 个，而这里写了 `{names}`，要接 {len(target.elts)}"
        f" 个。请把缺少的也交给数据集{action.replace(': ', '：')}。",
        case.fix(case.argument(calls[0], others[0]), calls[0]) if whole else (),
        calls[0],
    )


def _is_one_tensor(case: Case, result: ast.expr) -> bool:
    """Whether a function that returns this gives one tensor, and not several by one call."""
    made = definition(case, result.func) if isinstance(result, ast.Call) else None
    layer = case.text(made.func).rpartition(".")[2] if isinstance(made, ast.Call) else ""
    whole = layer not in ("", *PAIRS) if isinstance(result, ast.Call) else True
    return whole and isinstance(Flow(case).tensor(result), Tensor)


@finds(mistakes.TOO_MANY_VALUES, mistakes.NOT_ENOUGH_VALUES)
def _one_returned(case: Case) -> Finding | None:
    """``mu, logvar = encoder(x)`` of a function that returns one tensor."""
    node = case.find(ast.AST)
    match case.statement(node) if node is not None else None:
        case ast.Assign(targets=[ast.Tuple() | ast.List() as target], value=ast.Call() as source):
            functions = Flow(case).called(source)
        case _:
            return None
    results = [one for function in functions for one in returned(function)]
    if len(results) != 1 or not _is_one_tensor(case, results[0]):
        return None
    count, result = len(target.elts), results[0]
    names = ", ".join(case.text(one) for one in target.elts)
    return finding(
        case,
        f"{code(case, source)} gives one tensor, {code(case, result)} on line {line(result)}, and {count} names stand there for it: `{names}`; a tensor"
        f" that is unpacked gives its rows. Return {count} values there, or write one name.",
        f"{code(case, source)} 只给出一个张量，即第 {line(result)} 行的 {code(case, result)}，而这里写了 {count} 个名字：`{names}`；张量解包得到的是它的各行。"
        f"请在那里返回 {count} 个值，或者只写一个名字。",
        (),
        result,
    )


def _further(case: Case, source: ast.expr, known: int, count: int) -> list[str]:
    """Names for the values that have none: those of the function that gives them, where the program uses them already."""
    results = [
        one
        for function in (Flow(case).called(source) if isinstance(source, ast.Call) else ())
        for one in returned(function)
        if isinstance(one, ast.Tuple) and len(one.elts) == count
    ]
    scope = Flow(case).scope(source)
    own = [one for one in case.nodes(ast.Name) if Flow(case).scope(one) is scope]
    bound = {one.id for one in own if isinstance(one.ctx, ast.Store)}
    missing = {one.id for one in own if one.lineno > case.span.line} - bound
    meant = [one.id if isinstance(one, ast.Name) else "" for one in results[-1].elts] if results else [""] * count
    return [name if name in missing else "_" for name in meant[known:]]


_FEW: Final = 2
_COUNTERS: Final = frozenset(
    {"i", "j", "k", "n", "idx", "index", "step", "epoch", "batch", "it", "batch_idx", "num", "counter", "t"}
)


def _counted(case: Case, target: ast.Tuple | ast.List, source: ast.expr, count: int) -> Finding | None:
    """``for i, row in data`` without ``enumerate``."""
    first, rest = target.elts[0], target.elts[1:]
    if not isinstance(first, ast.Name) or first.id not in _COUNTERS or len(rest) not in (1, count):
        return None
    parts = rest[0].elts if len(rest) == 1 and isinstance(rest[0], ast.Tuple) else rest
    inner = case.text(parts[0]) if len(parts) == 1 else f"({', '.join(case.text(one) for one in parts)})"
    text = f"for {first.id}, {inner} in enumerate({case.text(source)}):"
    edits = [*case.replace(target, f"{first.id}, {inner}"), *case.wrapped(source, "enumerate(", ")")]
    return finding(
        case,
        f"{code(case, source)} gives its elements alone, without a number, and `{first.id}` stands first for one. `enumerate` counts along: `{text}`.",
        f"{code(case, source)} 只给出元素，不带编号，而最前面的 `{first.id}` 像是编号。`enumerate` 会同时计数：`{text}`。",
        case.fix(edits, words=Text(f"`{text}`", f"`{text}`")),
        source,
    )


def _given(case: Case, source: ast.expr) -> tuple[int | None, str, str]:
    """How many values an expression gives."""
    en, zh = f"{code(case, source)} gives", f"{code(case, source)} 给出"
    value = case.value(source)
    if isinstance(source, ast.Call):
        sizes = shape_at(case, tensor) if (tensor := shape_owner(source)) is not None else None
        if sizes is not None:
            whole = list(sizes)
            return len(sizes), f"{code(case, source)} ({whole}) has", f"{code(case, source)}（{whole}）有"
        pieces = _count_of_pieces(case, source)
        if pieces is not None:
            size, own = pieces[1], code(case, pieces[2])
            return (
                pieces[0],
                f"{code(case, source)} cuts the {size} entries of {own} into",
                f"{code(case, source)} 把 {own} 的 {size} 项切成",
            )
        for function in Flow(case).called(source):
            results = returned(function)
            counts = {len(one.elts) if isinstance(one, ast.Tuple) else 0 for one in results}
            if len(counts) == 1 and (count := counts.pop()) > 1:
                at = line(results[-1])
                return count, f"{code(case, source)} returns (line {at})", f"{code(case, source)} 返回（第 {at} 行）"
        return None, "", ""
    if isinstance(value, Tensor):
        return (
            (int(value.shape[0]) if value.dim() else None),
            f"{code(case, source)}, of shape {list(value.shape)}, gives",
            f"形状为 {list(value.shape)} 的 {code(case, source)} 给出",
        )
    if isinstance(value, tuple | list | dict):
        shown = f" ({list(value)})" if isinstance(source, ast.Attribute) and source.attr == "shape" else ""
        shown_zh = shown.replace(" (", "（").replace(")", "）")
        return len(value), f"{code(case, source)}{shown} has", f"{code(case, source)}{shown_zh} 有"
    return None, en, zh


def _count_of_pieces(case: Case, call: ast.Call) -> tuple[int, int, ast.expr] | None:
    """Into how many pieces a tensor is cut, how many entries it has, and which it is."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in ("chunk", "split", "unbind", "tensor_split"):
        return None
    of_torch = isinstance(call.func.value, ast.Name) and call.func.value.id == case.module_alias("torch")
    own = call.args[0] if of_torch and call.args else call.func.value
    shape = shape_at(case, own)
    wanted = argument_of(
        call, int(of_torch), {"chunk": "chunks", "split": "split_size_or_sections"}.get(call.func.attr, "dim")
    )
    position = int(of_torch) + (call.func.attr != "unbind")
    dim = argument_of(call, position, "dim")
    number = constant(case, wanted) if wanted is not None else None
    at = constant(case, dim) if dim is not None and not isinstance(dim, ast.UnaryOp) else -1 if dim is not None else 0
    if shape is None or not shape or not isinstance(at, int):
        return None
    size = shape[at]
    if call.func.attr == "unbind":
        return size, size, own
    if not isinstance(number, int) or number < 1:
        return None
    step = number if call.func.attr == "split" else -(-size // number)
    return (number if call.func.attr == "tensor_split" else -(-size // max(step, 1))), size, own


def _number_of_pieces(case: Case, source: ast.expr, wanted: int) -> tuple[str, Fix | None] | None:
    """The same cut into as many pieces as there are names."""
    if (
        not isinstance(source, ast.Call)
        or not isinstance(source.func, ast.Attribute)
        or source.func.attr not in ("chunk", "tensor_split", "split")
    ):
        return None
    of_torch = isinstance(source.func.value, ast.Name) and source.func.value.id == case.module_alias("torch")
    given = argument_of(source, int(of_torch), "chunks" if source.func.attr == "chunk" else "split_size_or_sections")
    own = source.args[0] if of_torch and source.args else source.func.value
    shape = shape_at(case, own)
    if given is None or not isinstance(given, ast.Constant) or shape is None or not shape:
        return None
    pieces = _count_of_pieces(case, source)
    number = wanted if source.func.attr != "split" else -(-(pieces[1] if pieces else shape[0]) // wanted)
    if source.func.attr == "split" and constant(case, given) == wanted:
        text = case.text(source).replace(f"{case.text(source.func)}(", f"{case.text(source.func)[:-5]}chunk(", 1)
        return text, case.fix(case.rename_end(source.func, "split", "chunk"), source)
    text = (
        case.text(source).replace(case.text(given), str(number), 1)
        if case.text(source).count(case.text(given)) == 1
        else ""
    )
    return (text, case.fix(case.replace(given, str(number)), source)) if text else None


def _each(case: Case, source: ast.expr) -> tuple[int | None, str, str]:
    """How many values each element of what a loop goes through has."""
    made = definition(case, source)
    value = case.value(source)
    if isinstance(value, list | tuple) and value and isinstance(value[0], list | tuple):
        where, where_zh = place(case, source)
        return (
            len(value[0]),
            f"Each element of {code(case, source)}{where} has",
            f"{code(case, source)}{where_zh} 的每个元素有",
        )
    if isinstance(made, ast.List | ast.Tuple) and made.elts and isinstance(made.elts[0], ast.List | ast.Tuple):
        return len(made.elts[0].elts), f"Each element of {code(case, source)} has", f"{code(case, source)} 的每个元素有"
    if isinstance(made, ast.Call) and getattr(made.func, "id", "") == "zip":
        return len(made.args), f"{code(case, made)} gives each time", f"{code(case, made)} 每次给出"
    tensors = known_attribute(known_attribute(value, "dataset", None), "tensors", None)
    if isinstance(tensors, tuple):
        return len(tensors), f"Each turn of {code(case, source)} gives", f"{code(case, source)} 每一轮给出"
    if isinstance(value, Tensor) and value.dim() > 1:
        return int(value.shape[1]), f"Each row of {code(case, source)} has", f"{code(case, source)} 的每一行有"
    return None, "", ""
