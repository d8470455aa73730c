"""Tables whose sizes come out of a list: the largest number taken for how many there are, or too small a number in the list."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.counting.followed import Place, followed
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of

_LARGEST: Final = frozenset({"max", "amax"})
_COLLECTIONS: Final = (ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp, ast.GeneratorExp)


@finds(errors.EMBEDDING_RANGE)
def _out_of_list(case: Case) -> Finding | None:
    """``sizes = [(int(c.max()), 4) for c in columns]``, and ``nn.Embedding(n, d) for n, d in sizes``."""
    call, flow = case.find(ast.Call), Flow(case)
    layer = case.value(call.func) if call is not None else None
    given = flow.tensor(call.args[0]) if call is not None and call.args else None
    if call is None or not isinstance(layer, Layer) or given is None or given._a.dtype.kind not in "iu":
        return None
    tables = [one for one in layer.modules() if type(one).__name__ == "Embedding"]
    made = maker_of(case, tables[0]) if len(tables) == 1 and given.numel() else None
    size = argument_of(made, 0, "num_embeddings") if made is not None else None
    if made is None or size is None:
        return None
    rows, high, low = int(tables[0].num_embeddings), int(given._a.max()), int(given._a.min())
    places = followed(case, size)
    kept = isinstance(size, ast.Subscript) and isinstance(places[-1][0], ast.Constant)
    if low < 0 or high < rows or not (kept or any(path for _, path in places)):
        return None
    head = f"{code(case, call.args[0])} has the index {high}, and {code(case, made)} on line {line(made)} made a table with the rows 0 to {rows - 1}"
    head_zh = f"{code(case, call.args[0])} 里有下标 {high}，而第 {line(made)} 行的 {code(case, made)} 创建的表只有第 0 到 {rows - 1} 行"
    end = places[-1][0]
    if _is_largest(end) and high == rows:
        text = f"{case.text(end)} + 1"
        return finding(
            case,
            f"{head}: its size comes from {code(case, end)} on line {line(end)}, the largest index, and indices begin at 0, so there is one more of them. Write"
            f" `{text}`.",
            f"{head_zh}：它的大小来自第 {line(end)} 行的 {code(case, end)}，那是最大的下标；下标从 0 开始，所以个数要多 1。请写 `{text}`。",
            case.fix([edit for one in _beside(case, end) for edit in case.after(one, " + 1")], case.parents[end]),
            end,
        )
    written = _written(places[-1], rows)
    if written is not None:
        around = case.parents.get(written, written)
        return finding(
            case,
            f"{head}: {code(case, around)} on line {line(written)} gives it {rows}. Write {high + 1} there at least, one row for each index that there can be.",
            f"{head_zh}：第 {line(written)} 行的 {code(case, around)} 给它的是 {rows}。请在那里至少写 {high + 1}，每个可能的下标一行。",
            write(case, written, str(high + 1), around),
            written,
        )
    if places[-1][1] or isinstance(end, _COLLECTIONS) or line(end) == line(made):
        return None
    return finding(
        case,
        f"{head}: its size comes from {code(case, end)} on line {line(end)}. Make it with {high + 1} rows at least, one for each index that there can be.",
        f"{head_zh}：它的大小来自第 {line(end)} 行的 {code(case, end)}。请至少创建 {high + 1} 行，每个可能的下标一行。",
        (),
        end,
    )


def _beside(case: Case, end: ast.expr) -> list[ast.expr]:
    """A largest number, with those that stand beside it for other tables: ``int(users.max()), int(items.max())``."""
    around = case.parents.get(end)
    parts = around.elts if isinstance(around, ast.Tuple | ast.List) else []
    return [one for one in parts if _is_largest(one)] or [end]


def _is_largest(node: ast.expr) -> bool:
    """``int(ids.max())`` and its like."""
    match node:
        case ast.Call(func=ast.Name(id="int"), args=[inner]):
            return _is_largest(inner)
        case ast.Call(func=ast.Attribute(value=inner, attr="item")):
            return _is_largest(inner)
        case ast.Call():
            return called(node) in _LARGEST
    return False


def _written(place: Place, rows: int) -> ast.Constant | None:
    """The one number in a list that a table was made with; of the lists in a list the one at a position."""
    node, path = place
    if isinstance(node, ast.Constant):
        return node if node.value == rows and not path else None
    parts = node.elts if isinstance(node, ast.List | ast.Tuple) else node.values if isinstance(node, ast.Dict) else []
    if not path:
        return None
    rest = path[1:]
    inner = [one for one in parts if isinstance(one, ast.expr)]
    if rest and isinstance(rest[0], int):
        at, rest = rest[0], rest[1:]
        inner = [one.elts[at] for one in inner if isinstance(one, ast.List | ast.Tuple) and at < len(one.elts)]
    found = [one for one in inner if isinstance(one, ast.Constant) and one.value == rows]
    return found[0] if len(found) == 1 and not rest else None
