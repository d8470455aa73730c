"""The Python source of the vector-Jacobian product of an operation, derived from its formulas."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from gradflow.engine.numerics.scalars import HALF, ONE, TWO, Constant

if TYPE_CHECKING:
    from gradflow.engine.registry import Op


def vjp_source(op: Op, of_complex: bool, of_tensors: bool) -> list[str]:
    """Source of ``vjp(saved, edges, g, ...)`` -> one gradient for each differentiable parameter, None where not needed."""
    upstream = ["g", *(f"g_{name}" for name in op.outputs[1:])]
    lines = [f"def vjp(saved, edges, {'g' if op.many else ', '.join(upstream)}):"]
    if op.slots:
        lines += [f"    {', '.join(op.slots)}, = saved"]
    if any(p.kind == "tensors" for p in op.differentiable):
        return [*lines, f"    return {op.gradients[op.differentiable[0].name].code(of_complex)}"]
    rewritten = _Cheaper(op, of_tensors)
    codes = [rewritten.code(op.gradients[p.name].code(of_complex)) for p in op.differentiable]
    together, codes = _together(codes)
    parts = [f"({code}) if edges[{index}] is not None else None" for index, code in enumerate(codes)]
    return [*lines, *together, f"    return ({', '.join(parts)},)"]


def _together(codes: list[str]) -> tuple[list[str], list[str]]:
    """What several gradients are parts of, ``f(...)[0]`` and ``f(...)[1]``, computed once: the lines, and the codes."""
    trees = [ast.parse(code, mode="eval").body for code in codes]
    wholes = [ast.unparse(t.value) if isinstance(t, ast.Subscript) else "" for t in trees]
    names = {whole: f"together_{i}" for i, whole in enumerate(wholes) if whole and wholes.count(whole) > 1}
    lines = [f"    {name} = {whole}" for whole, name in names.items()]
    return lines, [
        f"{names[whole]}[{ast.unparse(tree.slice)}]" if whole in names and isinstance(tree, ast.Subscript) else code
        for code, whole, tree in zip(codes, wholes, trees, strict=True)
    ]


CONSTANTS: Final = "constants"
VALUES: Final = {1: ONE, 2: TWO, 3: Constant(3), 0.5: HALF}


class _Cheaper(ast.NodeTransformer):
    """Makes the code of a formula cheaper.

    A product with a setting that is 1 by default is spared: as in PyTorch, the gradient passes on as it is. Small
    constants that meet a single upstream gradient come as arrays of its dtype.
    """

    def __init__(self, op: Op, of_tensors: bool) -> None:
        self.names = {p.name for p in op.params if p.kind == "setting" and p.parameter.default == 1}
        self.arrays = {"g", "out", *(p.name for p in op.tensors)}
        self.constants = not of_tensors and not op.many and not op.outputs and op.elementwise

    def code(self, text: str) -> str:
        """The formula's code, rewritten."""
        return ast.unparse(self.visit(ast.parse(text, mode="eval").body))

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        factor = node.right
        if isinstance(node.op, ast.Mult) and isinstance(factor, ast.Name) and factor.id in self.names:
            return ast.IfExp(ast.Compare(factor, [ast.Eq()], [ast.Constant(1)]), node.left, node)
        if self.constants and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div):
            node.left, node.right = self.constant(node.left, node.right), self.constant(node.right, node.left)
        return node

    def constant(self, node: ast.expr, other: ast.expr) -> ast.expr:
        if not isinstance(node, ast.Constant) or isinstance(node.value, bool) or node.value not in VALUES:
            return node
        if self.arrays.isdisjoint(part.id for part in ast.walk(other) if isinstance(part, ast.Name)):
            return node
        return ast.parse(f"{CONSTANTS}[{node.value!r}][g.dtype]", mode="eval").body
