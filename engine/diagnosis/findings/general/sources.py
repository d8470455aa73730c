"""Where a value and its sizes come from: the expression that made it, and the argument that decided a size."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.findings.causes.births import born
from gradflow.engine.diagnosis.findings.layers import constant, maker_of
from gradflow.engine.diagnosis.findings.words import code, line, on_line
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import decided_at, kind_decided_at
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor

_OUTPUTS: Final = ("out_features", "out_channels", "hidden_size", "embedding_dim", "num_features")
_MOST: Final = 60
PADDING_MASKS: Final = (
    "src_key_padding_mask", "key_padding_mask", "tgt_key_padding_mask", "memory_key_padding_mask",
)  # fmt: skip
"""Arguments of attention that say which positions are filled up."""

Sized = tuple[ast.expr, int]
"""What has a size, and the size."""


def definition(case: Case, node: ast.expr) -> ast.expr:
    """The expression that made what a name stands for; of other expressions they themselves."""
    for _ in range(5):
        if isinstance(node, ast.Attribute):
            given = _kept_under(case, node)
        elif isinstance(node, ast.Name):
            given = next(iter(Flow(case).assigned(node, node.id)), None)
        else:
            return node
        if given is None or given is node:
            return node
        node = given
    return node


def _kept_under(case: Case, node: ast.Attribute) -> ast.expr | None:
    """The one expression that an attribute of an object of the program is given."""
    owner = case.enclosing(node, ast.ClassDef) if case.text(node.value) == "self" else None
    name = owner.name if owner is not None else type(case.value(node.value)).__name__
    given = [
        one.value
        for one in case.nodes(ast.Assign)
        if f"self.{node.attr}" in [ast.unparse(part) for part in one.targets]
        and getattr(case.enclosing(one, ast.ClassDef), "name", "") == name
    ]
    return given[0] if len(given) == 1 else None


def place(case: Case, node: ast.expr) -> tuple[str, str]:
    """`` (line 3)``, where something was made on another line than the one that is told of."""
    made = definition(case, node)
    if made is node or line(made) == case.span.line or not line(made):
        return "", ""
    return on_line(made)


def birthplace(case: Case, node: ast.expr) -> tuple[str, str, ast.expr | None]:
    """`` (line 3)`` of `born`, and the expression there; of what was not recorded, where it got its name."""
    made = born(case, node)
    if made is None or made is node:
        return *place(case, node), None
    return ("", "", made) if line(made) == case.span.line else (*on_line(made), made)


def size_source(case: Case, operand: ast.expr, size: int) -> tuple[ast.Call, ast.expr] | None:
    """The nearest call on the way back that was given a size as an argument, and that argument."""
    flow = Flow(case)
    for count, node in enumerate(flow.behind(operand)):
        if count > _MOST:
            return None
        if not isinstance(node, ast.Call):
            continue
        made = flow.tensor(node)
        if made is None or size not in tuple(map(int, made.shape)):
            continue
        layer = case.value(node.func)
        call = maker_of(case, layer) if isinstance(layer, Layer) else node
        if call is None:
            continue
        for given in _sizes_given(call, isinstance(layer, Layer)):
            if constant(case, given) == size:
                return call, given
    return None


def _sizes_given(call: ast.Call, layer: bool) -> Iterator[ast.expr]:
    """The arguments of a call that can be sizes: of a layer those of its output."""
    if layer:
        yield from call.args[1:2]
        yield from (one.value for one in call.keywords if one.arg in _OUTPUTS)
        return
    for given in (*call.args, *(one.value for one in call.keywords if one.arg in ("size", "steps", "end"))):
        yield from given.elts if isinstance(given, ast.Tuple | ast.List) else [given]


@dataclass(frozen=True)
class Decision:
    """The expression that decided a size; ``before``: the size that it made it of, where it changed one."""

    node: ast.expr
    before: int | None = None


def decision(case: Case, operand: ast.expr, size: int, dim: int | None = None) -> Decision | None:
    """What decided a size of an operand, by default in the last dimension that has it: by the record, else by the text."""
    tensor = Flow(case).tensor(operand)
    entry = tensor._entry if tensor is not None else None
    if entry is not None:
        places = [at for at, one in enumerate(entry.array.shape) if one == size] if dim is None else [dim]
        found = decided_at(entry, places[-1]) if places else None
        node = case.at(ast.expr, found.entry.place) if found is not None else None
        if node is not None and found is not None and isinstance(node, ast.Call | ast.Subscript | ast.BinOp):
            return Decision(node, found.before)
    source = size_source(case, operand, size)
    return Decision(source[0]) if source is not None else None


def size_told(case: Case, operand: ast.expr, size: int, dim: int | None = None) -> tuple[str, str]:
    """Who decided a size, as the end of a sentence; nothing where that is not known."""
    found = decision(case, operand, size, dim)
    if found is None:
        return "", ""
    call = found.node
    if found.before is not None:
        return (
            f"{code(case, call)} on line {line(call)} makes {size} of {found.before}",
            f"第 {line(call)} 行的 {code(case, call)} 把 {found.before} 变成了 {size}",
        )
    return (
        f"the {size} comes from {code(case, call)} on line {line(call)}",
        f"{size} 来自第 {line(call)} 行的 {code(case, call)}",
    )


def decided(case: Case, sizes: Sequence[Sized]) -> tuple[str, str]:
    """Who decided each of some sizes, in brackets; nothing where that is not known."""
    told = [one for node, size in sizes if (one := size_told(case, node, size))[0]]
    if not told:
        return "", ""
    return f" ({', '.join(one[0] for one in told)})", f"（{'，'.join(one[1] for one in told)}）"


def decided_by(case: Case, sizes: Sequence[Sized]) -> ast.expr | None:
    """The call that decided the last of some sizes."""
    found = [source for node, size in sizes if (source := decision(case, node, size)) is not None]
    return found[-1].node if found else None


def kind_source(case: Case, node: ast.expr) -> ast.expr | None:
    """The expression that decided whether a tensor holds floats or whole numbers, as the record of the run tells."""
    tensor = Flow(case).tensor(node)
    if tensor is None or tensor._entry is None:
        return None
    return case.at(ast.expr, kind_decided_at(tensor._entry).place)


def kind_source_elsewhere(case: Case, node: ast.expr) -> ast.expr | None:
    """`kind_source` of what came out of a loader or the like, where it stands on another line than the expression."""
    made = kind_source(case, node)
    made = born(case, node) if made is None or made is node else made
    return made if made is not None and line(made) and line(made) != line(node) else None


def shape_at(case: Case, node: ast.expr) -> tuple[int, ...] | None:
    """The shape of the tensor that an expression gave, where that is known."""
    tensor = Flow(case).tensor(node)
    return tuple(map(int, tensor.shape)) if isinstance(tensor, Tensor) else None


def names_of(parts: list[str]) -> tuple[str, str]:
    """Several names in a sentence, as code: English, Chinese."""
    marked = [f"`{one}`" for one in parts]
    english = marked[0] if len(marked) == 1 else f"{', '.join(marked[:-1])} and {marked[-1]}" if marked else ""
    return english, "、".join(marked)


def padding_mask(case: Case) -> tuple[ast.keyword, int, int] | None:
    """The mask of what is filled up that the error refuses: its argument, the rows that it must have, and those that it has."""
    call = case.find(ast.Call)
    told = re.search(
        r"key_padd(?:ed|ing)_mask\.shape\[0\] to be (\d+), but got (\d+)", str(case.details.get("message", ""))
    )
    given = next((one for one in call.keywords if one.arg in PADDING_MASKS), None) if call is not None else None
    return None if told is None or given is None else (given, int(told[1]), int(told[2]))
