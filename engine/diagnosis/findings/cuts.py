"""Where a value left the graph: the expression that gave it, what it was computed from, and the way back."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import leaves_behind
from gradflow.engine.diagnosis.switches import switched_off
from gradflow.engine.diagnosis.traps.edits import without_line
from gradflow.engine.pytorch import exists
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Span

Kind = Literal["detach", "data", "number", "math", "copy", "numpy", "choice", "whole", "truth", "off"]

_NUMBERS: Final = frozenset({"item", "tolist"})
_CHOICES: Final = frozenset({"argmax", "argmin", "argsort", "multinomial", "bincount", "searchsorted"})
_WITH_POSITIONS: Final = frozenset({"max", "min", "topk", "sort", "mode", "median", "kthvalue"})
_WHOLE: Final = frozenset({"long", "int", "short", "byte", "char", "bool"})
_COPIES: Final = frozenset({"tensor", "as_tensor", "from_numpy", "FloatTensor", "Tensor"})
_METHODS: Final[dict[str, Kind]] = {
    "detach": "detach",
    "detach_": "detach",
    "numpy": "numpy",
    **dict.fromkeys(_NUMBERS, "number"),
    **dict.fromkeys(_CHOICES, "choice"),
    **dict.fromkeys(_WHOLE, "whole"),
}


@dataclass(frozen=True)
class Cut:
    """An expression whose value has left the graph, and what of the graph went into it."""

    kind: Kind
    node: ast.expr
    operand: ast.expr
    place: ast.AST
    """What to show: the expression, or for ``off`` what switched recording off."""


def cuts_behind(case: Case, output: ast.expr) -> list[Cut]:
    """The nearest place where what an output was computed from left the graph, with all others of its statement."""
    flow = Flow(case)
    found: list[Cut] = []
    for node in flow.behind(output):
        cut = cut_at(case, flow, node)
        if cut is None or any(_inside(node, other.node) for other in found):
            continue
        if not _is_on_the_way(case, cut) or _is_of_plain_numbers(case, flow, cut):
            continue
        if found and (cut.kind == "off" or not _is_beside(case, flow, found[0], cut)):
            continue
        if flow.requires_grad(cut.operand) or _is_of_leaves(case, cut):
            found.append(cut)
    return found


def _is_of_leaves(case: Case, cut: Cut) -> bool:
    """Whether what an expression of a function without recording gave last was computed from a leaf that requires gradients."""
    made = case.value(cut.node) if cut.kind == "off" and isinstance(cut.place, ast.expr) else None
    return isinstance(made, Tensor) and made._entry is not None and bool(leaves_behind(made._entry))


def _is_of_plain_numbers(case: Case, flow: Flow, cut: Cut) -> bool:
    """Whether what left the graph never was in one: a list of numbers that no tensor of floats was made into, a sampled class."""
    if cut.kind == "number":
        return _is_whole(case, flow, cut.operand)
    held = case.value(cut.operand) if cut.kind == "copy" else None
    if not isinstance(held, list | tuple) or not held or any(type(one) not in (int, float, bool) for one in held):
        return False
    taken = [one for one in (_taken(case, one) for one in flow.behind(cut.operand)) if one is not None]
    return all(_is_whole(case, flow, one) for one in taken)


def _taken(case: Case, node: ast.expr) -> ast.expr | None:
    """What an expression takes the numbers of."""
    match node:
        case ast.Call():
            cut = _call(case, node)
            return cut.operand if cut is not None and cut.kind != "copy" else None
        case ast.Attribute(value=value, attr="data"):
            return value
    return None


def _is_whole(case: Case, flow: Flow, node: ast.expr) -> bool:
    """Whether an expression gave a tensor of whole numbers."""
    made = next(iter(flow.assigned(node, node.id)), node) if isinstance(node, ast.Name) else node
    held = case.value(made)
    return isinstance(held, Tensor) and held._a.dtype.kind in "iub"


_MOST_ORIGINS: Final = 300
"""As many as a context tells of."""


def _is_on_the_way(case: Case, cut: Cut) -> bool:
    """Whether the output was computed from what a cut gave, as far as the record of the run tells; of a pair it may be the other part."""
    if cut.kind not in ("detach", "data"):
        return True
    origins = case.context.origins()
    spans = {origin.span for origin in origins}
    known = case.program.span_of(cut.node)
    ran = known is not None and isinstance(case.context.made_at(known), Tensor)
    return not ran or len(origins) in (0, 1) or len(origins) >= _MOST_ORIGINS or known in spans


def _is_beside(case: Case, flow: Flow, first: Cut, other: Cut) -> bool:
    """Whether a cut belongs to another: of its statement, or of another summand that became a number in the same way."""
    if case.statement(other.node) is case.statement(first.node):
        return True
    if other.kind != "number" or first.kind != "number" or any(one is other.node for one in flow.behind(first.operand)):
        return False
    return not _had_no_graph(case, flow, other)


def _had_no_graph(case: Case, flow: Flow, cut: Cut) -> bool:
    """Whether what a cut made a number of was no part of a graph when it was computed last: it is a constant."""
    operand: ast.expr | None = cut.operand
    if isinstance(operand, ast.Name):
        operand = next(iter(flow.assigned(operand, operand.id)), None)
    span = case.program.span_of(operand) if operand is not None else None
    made = case.context.made_at(span) if span is not None else None
    return isinstance(made, Tensor) and not made.requires_grad


def _inside(node: ast.AST, outer: ast.AST) -> bool:
    return any(node is part for part in ast.walk(outer))


def cut_at(case: Case, flow: Flow, node: ast.expr) -> Cut | None:
    """Whether the value of an expression is outside of the graph by what the expression is."""
    match node:
        case ast.Attribute(value=value, attr="data"):
            return Cut("data", node, value, node)
        case ast.Compare(left=left) if isinstance(flow.tensor(left), Tensor):
            return _chosen_before(case, flow, left) or Cut("truth", node, left, node)
        case ast.Call():
            cut = _call(case, node)
            if cut is not None:
                return cut
        case ast.Name() | ast.Subscript() | ast.Attribute(attr="indices"):
            return _positions(case, flow, node)
    switch = switched_off(case, node) if isinstance(node, ast.Call | ast.BinOp) else None
    return Cut("off", node, node, switch) if switch is not None else None


def _positions(case: Case, flow: Flow, node: ast.expr) -> Cut | None:
    """``_, best = scores.max(1)``, ``scores.max(1)[1]``, ``scores.max(1).indices``: the second of the two is positions."""
    made: ast.AST | None = None
    match node:
        case ast.Name(id=name):
            made = next(iter(flow.assigned(node, name)), None)
            statement = case.parents.get(made) if made is not None else None
            if not isinstance(statement, ast.Assign) or not _is_second(statement.targets[0], name):
                return None
        case ast.Subscript(value=value, slice=ast.Constant(value=1)) | ast.Attribute(value=value):
            made = value
    if (
        not isinstance(made, ast.Call)
        or not isinstance(made.func, ast.Attribute)
        or made.func.attr not in _WITH_POSITIONS
    ):
        return None
    of_torch = isinstance(made.func.value, ast.Name) and made.func.value.id == case.module_alias("torch")
    if len(made.args) + len(made.keywords) < 1 + of_torch:
        return None
    operand = made.args[0] if of_torch and made.args else made.func.value
    return Cut("choice", made, operand, made)


def _is_second(target: ast.expr, name: str) -> bool:
    second = target.elts[1] if isinstance(target, ast.Tuple) and len(target.elts) == 2 else None
    return isinstance(second, ast.Name) and second.id == name


def _chosen_before(case: Case, flow: Flow, compared: ast.expr) -> Cut | None:
    """``scores.argmax(1) == y``: the positions that are compared are no part of the graph themselves."""
    for node in flow.behind(compared):
        cut = _call(case, node) if isinstance(node, ast.Call) else None
        if cut is not None and cut.kind in ("choice", "whole") and flow.requires_grad(cut.operand):
            return cut
    return None


def _call(case: Case, call: ast.Call) -> Cut | None:
    first = call.args[0] if call.args else None
    match call.func:
        case ast.Name(id="float" | "int") if first is not None:
            return Cut("number", call, first, call)
        case ast.Attribute(value=ast.Name(id="math")) if first is not None:
            return Cut("math", call, first, call)
        case ast.Attribute(value=ast.Name(id=owner), attr=attr) if owner == case.module_alias("torch"):
            kind = "copy" if attr in _COPIES else "choice" if attr in _CHOICES else None
            return Cut(kind, call, first, call) if kind and first is not None else None  # type: ignore[arg-type]
        case ast.Attribute(value=ast.Name(id=owner)) if owner == case.module_alias("numpy") and first is not None:
            return Cut("numpy", call, first, call)
        case ast.Attribute(value=value, attr=attr):
            kind = _METHODS.get(attr)
            return Cut(kind, call, value, call) if kind is not None else None
    return None


# -- the way back ------------------------------------------------------------------------------------------------------


def mended(case: Case, cut: Cut) -> list[Edit]:
    """The edits with which a value stays in the graph; none where nothing simple does it."""
    node, operand = cut.node, cut.operand
    match cut.kind:
        case "detach" | "whole":
            return case.without_tail(node) if isinstance(node, ast.Call) else []
        case "data":
            dot = case.dot_of(node) if isinstance(node, ast.Attribute) else None
            return [case.cut(dot)] if dot else []
        case "number":
            is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            return case.without_tail(node) if is_method and isinstance(node, ast.Call) else _only(case, node, operand)
        case "truth":
            return _uncompared(case, node, operand)
        case "math":
            return _of_torch(case, node)
        case "copy":
            return _kept(case, node, operand)
        case "numpy":
            return array_of_torch(case, node)
    return []


def _only(case: Case, node: ast.expr, operand: ast.expr) -> list[Edit]:
    """The operand in the place of a node; a line that then says ``x = x`` is taken out."""
    text = case.text(operand)
    match case.parents.get(node):
        case ast.Assign(targets=[ast.Name(id=name)]) as statement if name == text:
            if gone := without_line(case, statement):
                return gone
    inside = isinstance(case.parents.get(node), ast.Attribute | ast.BinOp | ast.Subscript | ast.UnaryOp)
    closed = isinstance(operand, ast.Name | ast.Call | ast.Attribute | ast.Subscript) or not inside
    return case.replace(node, text if closed else f"({text})")


def _uncompared(case: Case, node: ast.expr, operand: ast.expr) -> list[Edit]:
    """``(prob > 0.5).float()`` with a probability: the probability itself."""
    tail = case.parents.get(node)
    call = case.parents.get(tail) if tail is not None else None
    match node, tail, call:
        case ast.Compare(comparators=[ast.Constant(value=0.5)]), ast.Attribute(attr="float"), ast.Call(
            args=[]
        ) as whole:
            return _only(case, whole, operand)
    return []


def _of_torch(case: Case, node: ast.expr) -> list[Edit]:
    match node:
        case ast.Call(func=ast.Attribute(attr=name) as function):
            torch, imports = case.with_torch()
            other = {"fabs": "abs", "sqrt": "sqrt"}.get(name, name)
            return [*case.replace(function, f"{torch}.{other}"), *imports] if exists("torch", other) else []
    return []


def _kept(case: Case, node: ast.expr, data: ast.expr) -> list[Edit]:
    """``torch.tensor`` of one tensor is that tensor; of several, they are stacked."""
    value = case.value(data)
    if isinstance(data, ast.Name) and _is_filled(
        case, data.id
    ):  # the name may stand for what was made of the list by now
        return _function_of(case, node, "stack")
    match data:
        case ast.Call(func=ast.Attribute(value=inner, attr="item"), args=[]):
            return _only(case, node, inner)
        case ast.List(elts=parts) | ast.Tuple(elts=parts) if parts:
            bare = [_without_item(part) for part in parts]
            if all(isinstance(case.value(one), Tensor) for one in bare):
                return _stacked(case, node, f"[{', '.join(case.text(one) for one in bare)}]")
        case ast.ListComp(elt=ast.Call(func=ast.Attribute(value=inner, attr="item"), args=[]) as taken):
            return [*case.without_tail(taken), *_function_of(case, node, "stack")]
        case ast.ListComp():
            return _function_of(case, node, "stack")
    leaving = [one for one in ast.walk(data) if isinstance(one, ast.expr) and _leaves(case, one)]
    if leaving and not isinstance(value, list):
        return [*_unwrapped(case, node, data), *(edit for one in leaving for edit in mended(case, one_cut(case, one)))]
    if isinstance(value, Tensor):
        return _only(case, node, data)
    if isinstance(value, list | tuple) and value and all(isinstance(part, Tensor) for part in value):
        return _function_of(case, node, "stack")
    return []


def _is_filled(case: Case, name: str) -> bool:
    """Whether a variable is a list that tensors are put into."""
    for call in case.nodes(ast.Call):
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="append"), args=[part]) if owner == name:
                if Flow(case).tensor(part) is not None:
                    return True
    return False


def one_cut(case: Case, node: ast.expr) -> Cut:
    """The cut that an expression is."""
    cut = cut_at(case, Flow(case), node)
    assert cut is not None
    return cut


def _leaves(case: Case, node: ast.expr) -> bool:
    """Whether an expression is the outermost one that leaves the graph."""
    cut = cut_at(case, Flow(case), node)
    if cut is None or cut.kind not in ("number", "math", "numpy", "detach", "data"):
        return False
    parent = case.parents.get(node)
    while isinstance(parent, ast.expr):
        outer = cut_at(case, Flow(case), parent)
        if outer is not None and outer.kind in ("number", "math", "numpy", "detach", "data"):
            return False
        parent = case.parents.get(parent)
    return True


def _unwrapped(case: Case, node: ast.expr, data: ast.expr) -> list[Edit]:
    """Take a call away from around its argument."""
    outer, inner = case.program.span_of(node), case.program.span_of(data)
    if outer is None or inner is None:
        return []
    inside = isinstance(case.parents.get(node), ast.Attribute | ast.BinOp | ast.Subscript)
    bare = isinstance(data, ast.Name | ast.Call | ast.Attribute) or not inside
    before, after = ("", "") if bare else ("(", ")")
    return [
        Edit(Span(outer.line, outer.column, inner.line, inner.column), before),
        Edit(Span(inner.end_line, inner.end_column, outer.end_line, outer.end_column), after),
    ]


def _without_item(part: ast.expr) -> ast.expr:
    match part:
        case ast.Call(func=ast.Attribute(value=inner, attr="item"), args=[]):
            return inner
    return part


def _stacked(case: Case, node: ast.expr, text: str) -> list[Edit]:
    torch, _ = case.with_torch()
    return case.replace(node, f"{torch}.stack({text})")


def _function_of(case: Case, node: ast.expr, name: str) -> list[Edit]:
    """Another function of torch, with the data alone."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return []
    edits = case.rename_end(node.func, node.func.attr, name)
    for keyword in node.keywords:
        edits += case.without_argument(node, keyword)
    return edits


def array_of_torch(case: Case, node: ast.expr) -> list[Edit]:
    """``np.exp(x.detach().numpy())`` -> ``torch.exp(x)``."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr=name) as function, args=[_, *_]):
            torch, imports = case.with_torch()
            other = {"power": "pow", "absolute": "abs", "concatenate": "cat"}.get(name, name)
            if not exists("torch", other):
                return []
            edits = [*case.replace(function, f"{torch}.{other}"), *imports]
            for one in ast.walk(node):
                if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and not one.args:
                    edits += case.without_tail(one) if one.func.attr in ("detach", "numpy", "cpu") else []
            for keyword in node.keywords:
                if keyword.arg in ("axis", "keepdims"):
                    word = {"axis": "dim", "keepdims": "keepdim"}[keyword.arg]
                    edits += case.replace(keyword, f"{word}={case.text(keyword.value)}")
            return edits
        case ast.Call(func=ast.Attribute(value=value, attr="numpy")) as call:
            return [*case.without_tail(call), *_tail_of_detach(case, value)]
    return []


def _tail_of_detach(case: Case, value: ast.expr) -> Iterator[Edit]:
    match value:
        case ast.Call(func=ast.Attribute(attr="detach"), args=[]) as call:
            yield from case.without_tail(call)
