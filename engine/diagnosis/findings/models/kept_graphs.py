"""Modules that keep what their ``forward`` computed, with its graph: no copy of them can take that along."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, lines_of_all
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix

_LOOKS: Final = frozenset(
    {"detach", "data", "item", "tolist", "shape", "size", "ndim", "dtype", "append", "clear", "numpy"}
)
"""What is read of a kept tensor by those that need no gradient of it."""
_GRADIENTS: Final = frozenset({"grad", "grad_fn", "backward", "retain_grad", "register_hook", "requires_grad_"})
Statement = ast.Assign | ast.Call


@dataclass(frozen=True)
class _Kept:
    """Where an object keeps what has a graph: ``self.latent = self.enc(x)`` or ``self.maps.append(h)``."""

    kind: str
    name: str
    node: Statement
    value: ast.expr


@finds(errors.DEEPCOPY_NON_LEAF)
def _graph_in_module(case: Case) -> Finding | None:
    """``copy.deepcopy(net)`` of a module that keeps what its ``forward`` computed."""
    call = case.find(ast.Call)
    given = call.args[0] if call is not None and call.args else None
    model = case.value(given) if given is not None else None
    if call is None or given is None or not isinstance(model, Layer):
        return None
    kept = next(iter(_kept(case, model)), None)
    if kept is None:
        return None
    fix, action, action_zh = _detached(case, kept, _copies(case, call))
    if not action:
        fix, action, action_zh = _other_copy(case, call, given, kept)
    what = code(case, kept.value)
    return finding(
        case,
        f"`{kept.kind}` keeps `{kept.name}` on line {line(kept.node)}, {what}, which carries its graph, and a copy of the module would have to take that"
        f" along. {action}.",
        f"`{kept.kind}` 在第 {line(kept.node)} 行保存了 `{kept.name}`，即 {what}，它带着计算图，而复制模块就得把它一起带走。"
        f"{action_zh}。",
        fix or (),
        kept.node,
    )


def _kept(case: Case, model: Layer) -> Iterator[_Kept]:
    """The attributes of a model and of its parts that hold tensors with graphs, where the program gives them these."""
    for module in model.modules():
        kind, classes = type(module).__name__, {one.__name__ for one in type(module).__mro__}
        for name, value in vars(module).items():
            if not name.startswith(("_modules", "_parameters", "_buffers")) and _has_graph(value):
                found = [one for one in _stores(case, name) if _owner(case, one[0]) in classes | {""}]
                inside = [one for one in found if _owner(case, one[0]) and not _is_begun(case, one[0])]
                yield from (_Kept(kind, name, *one) for one in (inside or found)[-1:])


def _has_graph(value: object) -> bool:
    held = value if isinstance(value, list | tuple) else value.values() if isinstance(value, dict) else [value]
    return any(isinstance(one, Tensor) and one.grad_fn is not None for one in held)


def _is_begun(case: Case, node: ast.AST) -> bool:
    """Whether a statement stands in a constructor, where nothing has been computed yet."""
    method = case.enclosing(node, ast.FunctionDef)
    return method is not None and method.name == "__init__"


def _owner(case: Case, node: ast.AST) -> str:
    owner = case.enclosing(node, ast.ClassDef)
    return owner.name if owner is not None else ""


def _stores(case: Case, name: str) -> Iterator[tuple[Statement, ast.expr]]:
    """The statements that put something other than a constant into an attribute of this name, or into the list or table there."""
    for one in case.nodes(ast.Assign):
        targets = [target.value if isinstance(target, ast.Subscript) else target for target in one.targets]
        plain = isinstance(one.value, ast.Constant | ast.List | ast.Dict)
        if not plain and any(isinstance(part, ast.Attribute) and part.attr == name for part in targets):
            yield one, one.value
    for call in case.nodes(ast.Call):
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=attr), attr="append"), args=[value]) if (
                attr == name
            ):
                yield call, value


def _copies(case: Case, call: ast.Call) -> str:
    """The name that the copy gets; an empty one where it gets none of its own."""
    statement = case.parents.get(call)
    return case.text(statement.targets[0]) if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else ""


def _other_copy(case: Case, call: ast.Call, given: ast.expr, kept: _Kept) -> tuple[Fix | None, str, str]:
    """What to do where others compute with what is kept: the weights alone, where no more of the copy is used, or a copy without it."""
    name, states, others = _copies(case, call), list[ast.expr](), 0
    for one in case.nodes(ast.Name):
        outer = case.parents.get(one)
        if one.id != name or not isinstance(one.ctx, ast.Load) or isinstance(outer, ast.Compare):
            continue
        state = case.parents.get(outer) if isinstance(outer, ast.Attribute) and outer.attr == "state_dict" else None
        weights = isinstance(state, ast.Call)
        states += [state] if isinstance(state, ast.Call) else []
        others += not weights and not (isinstance(outer, ast.Call) and called(outer) == "save")
    if name.isidentifier() and others:
        target = f"{case.text(given)}.{kept.name}"
        text, text_zh = f"Take it away before the copy: `{target} = None`", f"请在复制之前去掉它：`{target} = None`"
        named = type(case.value(given)).__name__ == kept.kind and isinstance(kept.node, ast.Assign)
        if named:
            return None, text, text_zh
        return None, f"Make `{kept.name}` empty before the copy", f"请在复制之前清空 `{kept.name}`"
    copied = f"{case.operand(given)}.state_dict()"
    edits = [*case.replace(given, copied), *(edit for one in states for edit in case.replace(one, name))]
    copied = f"{case.text(call.func)}({copied})" if called(call) == "deepcopy" else copied
    fix = case.fix(edits, call) if states else None
    more, more_zh = (f", and use `{name}` as that", f"，并把 `{name}` 当作权重使用") if states else ("", "")
    return fix, f"Copy the weights alone: `{copied}`{more}", f"请只复制权重：`{copied}`{more_zh}"


def _detached(case: Case, kept: _Kept, copy: str) -> tuple[Fix | None, str, str]:
    """The numbers kept alone, where all that goes on to compute with them stands behind and can take the tensor itself."""
    statement, function = case.statement(kept.node), case.enclosing(kept.node, ast.FunctionDef)
    block = case.parents.get(statement) if statement is not None else None
    reads = [one for one in case.nodes(ast.Attribute) if one.attr == kept.name and isinstance(one.ctx, ast.Load)]
    reads = [one for one in reads if one not in set(ast.walk(kept.node)) and not _only_looks(case, one)]
    reads = [one for one in reads if not copy or case.text(one.value) != copy]  # no copy of a graph is to be had
    own = f"{case.operand(kept.value)}.detach()" if not isinstance(kept.value, ast.BinOp | ast.IfExp) else ""
    if not reads:
        edits = case.followed(kept.value, ".detach()")
        text = f"`{own}`" if own and len(own) < 48 else "`.detach()`"
        return case.fix(edits, kept.node), f"Keep its values alone: {text}", f"请只保存它的数值：{text}"
    inside = set(ast.walk(block)) if block is not None else set()
    within = [one for one in reads if one in inside and case.enclosing(one, ast.FunctionDef) is function]
    end = (getattr(kept.node, "end_lineno", 0), getattr(kept.node, "end_col_offset", 0))
    if function is None or len(within) != len(reads) or any((one.lineno, one.col_offset) < end for one in reads):
        return None, "", ""
    return _by_local_name(case, kept, function, within)


def _by_local_name(
    case: Case, kept: _Kept, function: ast.FunctionDef, reads: Sequence[ast.Attribute]
) -> tuple[Fix | None, str, str]:
    """``latent = self.enc(x)``, then ``self.latent = latent.detach()``, and ``latent`` wherever it is computed with."""
    if (
        not isinstance(kept.node, ast.Assign)
        or len(kept.node.targets) != 1
        or not isinstance(kept.node.targets[0], ast.Attribute)
    ):
        return None, "", ""
    target = case.text(kept.node.targets[0])
    named = kept.value.id if isinstance(kept.value, ast.Name) and not _bound_later(function, kept.value) else None
    name = named or _free(function, re.sub(r"^_+", "", kept.name) or "kept")
    copy = f"{target} = {name}.detach()"
    edits: list[Edit] = [edit for one in reads for edit in case.replace(one, name)]
    if named is not None:
        edits += case.after(kept.value, ".detach()")
    else:
        span = case.program.span_of(kept.node)
        own = span is not None and case.line(span.line)[: span.column].strip() == ""
        indent = case.line(span.line)[: span.column] if span is not None and own else None
        edits += case.replace(kept.node.targets[0], name)
        edits += case.after(kept.node, f"\n{indent}{copy}" if indent is not None else f"; {copy}")
    first = f"`{name} = {case.text(kept.value)}` and `{copy}`" if named is None else f"`{copy}`"
    first_zh = first.replace(" and ", " 和 ") if named is None else first
    rows, rows_zh = lines_of_all([line(one) for one in reads])
    return (
        apply(case, edits, first, first_zh),
        f"Keep a copy of its values, {first}, and go on computing with `{name}` ({rows[0].lower()}{rows[1:]})",
        f"请只保存数值的副本：{first_zh}，并继续用 `{name}` 计算（{rows_zh}）",
    )


def _bound_later(function: ast.FunctionDef, use: ast.Name) -> bool:
    """Whether a name is given another value behind a use of it."""
    return any(
        isinstance(one, ast.Name) and one.id == use.id and isinstance(one.ctx, ast.Store) and one.lineno >= use.lineno
        for one in ast.walk(function)
    )


def _free(function: ast.FunctionDef, name: str) -> str:
    used = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)}
    used |= {one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}
    return next(
        one for one in (name, f"{name}_now", f"{name}_with_graph", f"own_{name}", f"{name}_") if one not in used
    )


def _only_looks(case: Case, read: ast.Attribute) -> bool:
    """Whether what is read is printed, or asked for its numbers or sizes, also after it was computed with: ``.norm().item()``."""
    node: ast.AST = read
    while isinstance(outer := case.parents.get(node), ast.Attribute | ast.Call) and outer is not read:
        if isinstance(outer, ast.Attribute) and outer.attr in _LOOKS:
            return True
        if isinstance(outer, ast.Attribute) and outer.attr in _GRADIENTS:
            return False
        if isinstance(outer, ast.Call) and outer.func is not node:
            return called(outer) in ("print", "len", "float")
        node = outer
    if isinstance(outer, ast.Compare):
        return all(isinstance(one, ast.Is | ast.IsNot) for one in outer.ops)
    return isinstance(outer, ast.FormattedValue)
