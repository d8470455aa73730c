"""A gradient formula with the arguments of one call put in, as far as these make it another formula.

Numbers that only stand somewhere stay names: the same rule serves all calls that differ in them. None, truth values,
words and the numbers 0, 1 and -1 are put in, and with them ``x * 1`` becomes ``x`` and ``x + 0`` too.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any


def simplified(tree: ast.expr, known: Mapping[str, Any], computed: Callable[[ast.Call], Any]) -> ast.expr:
    """The expression with the ``known`` names as constants. ``computed`` gives the number that a call stands for, or None."""
    result: ast.expr = _Simplifier(known, computed).visit(tree)
    return result


class _Simplifier(ast.NodeTransformer):
    """Makes new nodes; the tree that it reads belongs to the declaration."""

    def __init__(self, known: Mapping[str, Any], computed: Callable[[ast.Call], Any]) -> None:
        self.known, self.computed = known, computed

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(self.known[node.id]) if node.id in self.known else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if node.attr != "mT":
            return node
        return ast.Attribute(self.visit(node.value), "mT", ast.Load())

    def visit_Call(self, node: ast.Call) -> ast.expr:
        number = self.computed(node)
        if number is not None:
            return ast.Constant(number)
        return ast.Call(node.func, [self.visit(each) for each in node.args], [])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        operand = self.visit(node.operand)
        match operand:
            case ast.Constant(value=int() | float() as number):
                return ast.Constant(-number)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return inner
        return ast.UnaryOp(node.op, operand)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left, right = self.visit(node.left), self.visit(node.right)
        a, b = _number(left), _number(right)
        if a is not None and b is not None:
            return _computed(node.op, a, b) or ast.BinOp(left, node.op, right)
        return _identity(node.op, left, right, a, b) or ast.BinOp(left, node.op, right)


def _number(node: ast.expr) -> float | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _computed(op: ast.operator, a: float, b: float) -> ast.expr | None:
    match op:
        case ast.Add():
            return ast.Constant(a + b)
        case ast.Sub():
            return ast.Constant(a - b)
        case ast.Mult():
            return ast.Constant(a * b)
    return None


def _identity(op: ast.operator, left: ast.expr, right: ast.expr, a: float | None, b: float | None) -> ast.expr | None:
    """What is left of an operation with a number that changes nothing, or only the sign."""
    match op:
        case ast.Add() if a == 0:
            return right
        case ast.Add() | ast.Sub() if b == 0:
            return left
        case ast.Sub() if a == 0:
            return ast.UnaryOp(ast.USub(), right)
        case ast.Mult() if a in (1, -1):
            return right if a == 1 else ast.UnaryOp(ast.USub(), right)
        case ast.Mult() | ast.Div() if b in (1, -1):
            return left if b == 1 else ast.UnaryOp(ast.USub(), left)
        case ast.Pow() if b == 1:
            return left
    return None
