"""A running value that a layer keeps with its graph, inside of a model that calls its layers by itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from gradflow.engine import errors
from gradflow.engine.diagnosis.bindings import registered_name
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor


@dataclass(frozen=True)
class _Running:
    """``self.mean = 0.9 * self.mean + 0.1 * x.mean(0)``, in the method of a class."""

    owner: str
    statement: ast.Assign | ast.AugAssign
    value: ast.expr
    is_buffer: bool


@finds(errors.BACKWARD_TWICE)
def _kept_with_graph(case: Case) -> Finding | None:
    """The pass goes back into the call before, through what a layer computed then and computes with now."""
    for kept in _running(case):
        target = kept.statement.targets[0] if isinstance(kept.statement, ast.Assign) else kept.statement.target
        name, place = case.text(target), line(kept.statement)
        what, what_zh = ("a buffer", "缓冲区") if kept.is_buffer else ("kept in the object", "保存在对象里的值")
        if isinstance(kept.statement, ast.AugAssign):
            text, edits = f"{case.operand(kept.value)}.detach()", case.followed(kept.value, ".detach()")
        else:
            text, edits = f"({case.text(kept.value)}).detach()", case.followed(kept.value, ".detach()")
        return finding(
            case,
            f"`{name}` is {what} of `{kept.owner}`, and line {place} computes it anew in every call from its value of the call before, with the graph"
            f" of {code(case, kept.value)}: so this pass goes back into the graph of the turn before, which is already freed. A running value needs its"
            f" numbers alone: write `{text}` on line {place}.",
            f"`{name}` 是 `{kept.owner}` 的{what_zh}，第 {place} 行每次调用都由它上一次的值重新计算，并带着 {code(case, kept.value)} 的计算图："
            f"所以这次反向会走进上一轮的计算图，而它已经被释放了。累计的值只需要数值：请在第 {place} 行写 `{text}`。",
            case.fix(edits, kept.statement),
            kept.statement,
        )
    return None


def _running(case: Case) -> Iterator[_Running]:
    """The values with a graph that the layers of the program compute from those of the call before."""
    kinds = {
        type(layer).__name__: layer
        for held in case.values.values()
        if isinstance(held, Layer)
        for layer in held.modules()
    }
    for owner, layer in kinds.items():
        for method in Flow(case).methods(owner).values():
            for one in ast.walk(method):
                if not isinstance(one, ast.Assign | ast.AugAssign):
                    continue
                target = one.targets[0] if isinstance(one, ast.Assign) else one.target
                if not isinstance(target, ast.Attribute) or case.text(target.value) != "self":
                    continue
                reads = isinstance(one, ast.AugAssign) or case.text(target) in [
                    case.text(part) for part in ast.walk(one.value) if isinstance(part, ast.Attribute)
                ]
                held = getattr(layer, target.attr, None)
                if reads and isinstance(held, Tensor) and held.grad_fn is not None:
                    yield _Running(owner, one, one.value, _is_buffer(case, target.attr))


def _is_buffer(case: Case, name: str) -> bool:
    return any(registered_name(one) == name for one in case.nodes(ast.Call))
