"""Conversions of what goes into the failed expression: another dtype, a number of a tensor, a tensor of numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Reading
from gradflow.engine.diagnosis.findings.general.sources import place
from gradflow.engine.diagnosis.findings.words import code
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.search.reading import reading, written
from gradflow.engine.tensor import Tensor


def operands(case: Case, nodes: Sequence[ast.expr]) -> list[ast.expr]:
    """What goes into the failed expression."""
    node = nodes[0] if nodes else None
    match node:
        case ast.Call(func=func, args=args, keywords=given):
            own = [func.value] if isinstance(func, ast.Attribute) else []
            return [*own, *args, *(one.value for one in given)]
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
        case ast.Subscript(value=value, slice=index):
            return [value, *(index.elts if isinstance(index, ast.Tuple) else [index])]
    return []


_KIND = {"f": "floats", "i": "whole numbers", "u": "whole numbers", "b": "truth values", "c": "complex numbers"}
_KIND_ZH = {"f": "浮点数", "i": "整数", "u": "整数", "b": "布尔值", "c": "复数"}
_WANTED = {"float": "floats", "long": "whole numbers"}
_WANTED_ZH = {"float": "浮点数", "long": "整数"}


def dtypes(case: Case, nodes: Sequence[ast.expr]) -> Iterator[Reading | None]:
    """``.float()`` or ``.long()`` behind an operand."""
    for node in operands(case, nodes):
        tensor = Flow(case).tensor(node)
        if tensor is None or not isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
            continue
        kind = tensor._a.dtype.kind
        where, where_zh = place(case, node)
        for method in ("float", "long") if kind != "f" else ("long",):
            if method == "long" and kind in "i":
                continue
            text = f"{case.operand(node)}.{method}()"
            yield reading(
                case,
                node,
                case.followed(node, f".{method}()"),
                f"{code(case, node)}{where} holds {_KIND.get(kind, 'numbers')} (`{tensor.dtype}`), and {_WANTED[method]} are needed here. Convert it: `{text}`.",
                f"{code(case, node)}{where_zh or ' '}存的是{_KIND_ZH.get(kind, '数')}（`{tensor.dtype}`），而这里需要{_WANTED_ZH[method]}。请转换：`{text}`。",
            )


def plain(case: Case, nodes: Sequence[ast.expr]) -> Iterator[Reading | None]:
    """A tensor of a list or a number, and a number of a tensor."""
    torch, imports = case.with_torch()
    for node in operands(case, nodes):
        held, where = case.value(node), place(case, node)
        if isinstance(held, Tensor) and held._a.size == 1:
            text = f"{case.operand(node)}.item()"
            yield reading(
                case,
                node,
                case.followed(node, ".item()"),
                f"{code(case, node)}{where[0]} is a tensor, and a plain number is needed here. Take the number out: `{text}`.",
                f"{code(case, node)}{where[1]} 是张量，而这里需要普通的数。请取出它：`{text}`。",
            )
        elif isinstance(held, list | int | float) and not isinstance(held, bool):
            text = f"{torch}.tensor({case.text(node)})"
            made = written(
                case,
                node,
                text,
                f"{code(case, node)}{where[0]} is a plain `{type(held).__name__}`, and a tensor is needed here. Make one of it: `{text}`.",
                f"{code(case, node)}{where[1]} 只是 `{type(held).__name__}`，而这里需要张量。请变成张量：`{text}`。",
            )
            if made is not None and not imports:
                yield made
