"""What was added to a sequence, and tables of its positions that have to have rows for that, too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, text_with
from gradflow.engine.diagnosis.flow import Flow

_MAKERS: Final = frozenset({"zeros", "ones", "randn", "rand", "empty"})


@dataclass(frozen=True)
class Added:
    """The call that made a sequence longer, and how many positions it put in front and behind."""

    call: ast.Call
    front: int
    behind: int

    def cut(self, dim: int) -> str:
        """What takes the positions away again: ``[:, 1:]``."""
        begin, end = str(self.front or ""), f"-{self.behind}" if self.behind else ""
        return f"[{':, ' * dim}{begin}:{end}]"

    @property
    def told(self) -> tuple[str, str]:
        """How many, and where, in both languages."""
        count, place, place_zh = (self.front, "in front", "前面") if self.front else (self.behind, "at the end", "末尾")
        both = bool(self.front and self.behind)
        if both:
            return (
                f"puts {self.front} in front and {self.behind} at the end",
                f"在前面加了 {self.front} 个、在末尾加了 {self.behind} 个",
            )
        return f"puts {'one' if count == 1 else count} {place}", f"在{place_zh}加了 {count} 个"


def lengthened(case: Case, table: ast.expr, dim: int, made: Added, sizes: tuple[int, int]) -> Finding | None:
    """``tokens + self.pos``: a parameter that is learned for each position needs a row for what was added."""
    held, maker = Flow(case).tensor(table), definition(case, table)
    if not isinstance(table, ast.Attribute) or held is None or not held.requires_grad or held.grad_fn is not None:
        return None
    size = next(_size(case, maker, dim, len(shape_at(case, table) or ())), None)
    if size is None:
        return None
    more = made.front + made.behind
    given = case.text(size)
    text = str(sizes[1]) if isinstance(size, ast.Constant) else f"{given} + {more}"
    whole, (told, told_zh) = text_with(case, maker, size, text), made.told
    return finding(
        case,
        f"{code(case, made.call)} on line {line(made.call)} {told} of the {sizes[0]} positions of the sequence, so there are {sizes[1]}, and {code(case, table)}"
        f" was made with a row for each of the {sizes[0]} alone, `{given}` on line {line(size)}. What was added has a position, too: make the table that"
        f" much longer, `{whole}`.",
        f"第 {line(made.call)} 行的 {code(case, made.call)} 给序列的 {sizes[0]} 个位置{told_zh}，所以一共有 {sizes[1]} 个，而 {code(case, table)} 创建时（第 {line(size)} 行的"
        f" `{given}`）只按那 {sizes[0]} 个位置准备。加上的部分也有位置：请把这张表加长，写成 `{whole}`。",
        apply(case, case.replace(size, text), f"`{text}`", f"`{text}`"),
        size,
    )


def _size(case: Case, maker: ast.expr, dim: int, dims: int) -> Iterator[ast.expr]:
    """The argument that decided a dimension where a parameter was made: of ``torch.zeros(1, n, d)`` inside of it."""
    if not isinstance(maker, ast.Call):
        return
    for given in (*maker.args, *(one.value for one in maker.keywords)):
        if isinstance(given, ast.Call):
            yield from _size(case, given, dim, dims)
        elif isinstance(given, ast.BinOp):
            yield from _size(case, given.left, dim, dims)
            yield from _size(case, given.right, dim, dims)
        elif isinstance(given, ast.Name) and isinstance(inner := definition(case, given), ast.Call):
            yield from _size(case, inner, dim, dims)
    if called(maker) in _MAKERS:
        sizes = maker.args[0].elts if maker.args and isinstance(maker.args[0], ast.Tuple | ast.List) else maker.args
        if len(sizes) == dims and not any(isinstance(one, ast.Starred) for one in sizes):
            yield sizes[dim]
