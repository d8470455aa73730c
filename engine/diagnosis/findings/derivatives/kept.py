"""Graphs that an object keeps from call to call: the pass of a turn goes back through those of the turns before."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor


def _kept(case: Case) -> Iterator[tuple[str, str, object]]:
    """The attributes of modules that hold tensors with graphs: class, name, value."""
    seen = set()
    for value in list(case.values.values()):
        for module in value.modules() if isinstance(value, Layer) else ():
            if id(module) in seen:
                continue
            seen.add(id(module))
            for name, held in vars(module).items():
                parts = (
                    held
                    if isinstance(held, list | tuple)
                    else list(held.values())
                    if isinstance(held, dict) and not name.startswith("_")
                    else [held]
                )
                if any(isinstance(one, Tensor) and one.grad_fn is not None for one in parts):
                    yield type(module).__name__, name, held


@finds(errors.BACKWARD_TWICE)
def _of_turns_before(case: Case) -> Finding | None:
    """``self.kl = self.kl + ...``, ``self.hidden.append(h)``: what a call adds to, or begins with, is of the call before."""
    for kind, name, held in _kept(case):
        owner = next((one for one in case.nodes(ast.ClassDef) if one.name == kind), None)
        if owner is None:
            continue
        own = f"self.{name}"
        for one in ast.walk(owner):
            if isinstance(one, ast.AugAssign) and case.text(one.target) == own:
                return _grown(case, own, one)
            if isinstance(one, ast.Assign) and own in [case.text(each) for each in one.targets]:
                reads = [
                    part for part in ast.walk(one.value) if isinstance(part, ast.Attribute) and case.text(part) == own
                ]
                if reads and isinstance(one.value, ast.BinOp) and isinstance(one.value.op, ast.Add | ast.Sub):
                    return _grown(case, own, one)
            if isinstance(one, ast.Call) and isinstance(held, list) and case.text(one.func) == f"{own}.append":
                return _grown(case, own, one)
    return None


def _grown(case: Case, own: str, node: ast.stmt | ast.Call) -> Finding:
    """What grows from call to call."""
    empty = "[]" if isinstance(node, ast.Call) else "0"
    return finding(
        case,
        f"`{own}` is kept in the object and grows on line {line(node)}, {code(case, node)}, in every call: it still carries the"
        " graphs of the turns before, which are freed. Begin it anew where a turn begins,"
        f" `{own} = {empty}`; only for looking at it keep numbers, `.detach()`.",
        f"`{own}` 保存在对象里，第 {line(node)} 行的 {code(case, node)} 每次调用都让它增长：它还带着之前各轮的计算图，"
        f"而它们已经被释放了。请在每一轮开始时重新开始 `{own} = {empty}`；如果只是用来看的，请只保存数值 `.detach()`。",
        (),
        node,
    )
