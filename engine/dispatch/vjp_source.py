"""The Python source of the vector-Jacobian product of an operation, derived from its formulas."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from gradflow.engine.numerics.scalars import HALF, ONE, TWO, Constant
from gradflow.engine.parameters import pytorch_name

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
    formulas = op.recorded if of_tensors else op.gradients
    texts = {p.name: formulas[p.name].code(of_complex) for p in op.differentiable}
    if of_tensors:
        return lines + _recorded(op, texts)
    cheaper = _Cheaper(op)
    together, codes = _together([cheaper.code(text) for text in texts.values()])
    parts = [f"({code}) if edges[{i}] is not None else None" for i, code in enumerate(codes)]
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


def _recorded(op: Op, texts: dict[str, str]) -> list[str]:
    """Formulas that record themselves: functions are numbered in the order in which PyTorch evaluates its own."""
    lines = []
    names = list(texts)
    together, codes = _together([_Recorded(op).code(texts[name]) for name in names])
    once = [line.strip().partition(" = ") for line in together]
    lines += [f"    {one} = None" for one, _, _ in once]
    for name in _turns(op, names):
        rewritten = _Recorded(op)
        code = rewritten.code(texts[name])
        lines += [f"    grad_{name} = None", f"    if edges[{names.index(name)}] is not None:"]
        lines += [f"        restored_{i} = {first}" for i, first in enumerate(rewritten.restored)]
        for one, _, whole in once:
            if code.startswith(f"{whole}["):
                lines += [f"        if {one} is None: {one} = {whole}"]
                code = codes[names.index(name)]
        lines += [f"        grad_{name} = {code}"]
    return [*lines, f"    return ({', '.join(f'grad_{name}' for name in names)},)"]


def _turns(op: Op, names: list[str]) -> list[str]:
    """The order in which PyTorch evaluates formulas: as declared where that is all in pieces, else by its own names.

    The function of a gradient takes the upstream one first; what it calls ``saved`` has many names there, all later.
    """
    if len(op.pieces) == len(names):
        return list(op.pieces)
    return sorted(names, key=lambda name: (name == "saved" and "input" in names, pytorch_name(name)))


CONSTANTS: Final = "constants"
OPERATORS: Final[dict[type[ast.operator], str]] = {
    ast.Add: "operator_add",
    ast.Sub: "operator_sub",
    ast.Mult: "operator_mul",
    ast.Div: "operator_div",
}
VALUES: Final = {1: ONE, 2: TWO, 3: Constant(3), 0.5: HALF}


class _Rewritten(ast.NodeTransformer):
    """Rewrites the code of a formula.

    A product with a setting that is 1 by default is spared: as in PyTorch, the gradient passes on as it is.
    """

    def __init__(self, op: Op) -> None:
        self.names = {p.name for p in op.params if p.kind == "setting" and p.parameter.default == 1}

    def code(self, text: str) -> str:
        """The formula's code, rewritten."""
        return ast.unparse(self.visit(ast.parse(text, mode="eval").body))

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        factor = node.right
        if isinstance(node.op, ast.Mult) and isinstance(factor, ast.Name) and factor.id in self.names:
            return ast.IfExp(ast.Compare(factor, [ast.Eq()], [ast.Constant(1)]), node.left, self.operation(node))
        return self.operation(node)

    def operation(self, node: ast.BinOp) -> ast.expr:
        """An operator with its operands, which are rewritten."""
        raise NotImplementedError


class _Recorded(_Rewritten):
    """For Tensors: an operator may meet a number, for which PyTorch has functions of their own.

    The right operand comes first, as compilers of PyTorch evaluate it, but reduced dimensions are restored before all
    else, once; ``.T`` is a call of ``t``.
    """

    def __init__(self, op: Op) -> None:
        super().__init__(op)
        self.restored: list[str] = []
        self.wraps = op.wraps_numbers

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        text = ast.unparse(node)
        if not text.startswith("restored("):
            return node
        if text not in self.restored:
            self.restored.append(text)
        return ast.Name(f"restored_{self.restored.index(text)}")

    def operation(self, node: ast.BinOp) -> ast.expr:
        name = OPERATORS.get(type(node.op))
        return node if name is None else ast.Call(ast.Name(name), [node.right, node.left, ast.Constant(self.wraps)], [])

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        return ast.Call(ast.Name("t"), [node.value], []) if node.attr == "T" else node


PRODUCT: Final = "matrix_product"


class _Cheaper(_Rewritten):
    """For arrays: small constants that meet a single upstream gradient come as arrays of its dtype; products of matrices
    have PyTorch's signs of zero."""

    def __init__(self, op: Op) -> None:
        super().__init__(op)
        self.arrays = {"g", "out", *(p.name for p in op.tensors)}
        self.constants = not op.many and not op.outputs and op.elementwise

    def operation(self, node: ast.BinOp) -> ast.expr:
        if isinstance(node.op, ast.MatMult):
            return ast.Call(ast.Name(PRODUCT, ast.Load()), [node.left, node.right], [])
        if self.constants and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div):
            node.left, node.right = self.constant(node.left, node.right), self.constant(node.right, node.left)
        return node

    def constant(self, node: ast.expr, other: ast.expr) -> ast.expr:
        if not isinstance(node, ast.Constant) or isinstance(node.value, bool) or node.value not in VALUES:
            return node
        if self.arrays.isdisjoint(part.id for part in ast.walk(other) if isinstance(part, ast.Name)):
            return node
        return ast.parse(f"{CONSTANTS}[{node.value!r}][g.dtype]", mode="eval").body
