"""The policy on ``match``: patterns that would read an attribute become comparisons in the guard of their case.

``case Color.RED:`` is compiled as ``case <case> if <case> == <getattr>(Color, "RED"):``, with a name that cannot be
spelled; alternatives of such values become an ``or``. Attributes in the patterns of classes are refused.
"""

from __future__ import annotations

import ast
from typing import Any, Final, TypeVar

from gradflow.engine.sandbox.refusal import refuse

CASE: Final = "<case>"
Node = TypeVar("Node", bound=ast.AST)


class MatchPolicy:
    """The visitors of a ``match`` statement, for a policy that has those of expressions."""

    visit: Any
    check_name: Any

    def _contents(self, node: Node) -> Node:
        raise NotImplementedError

    def visit_Match(self, node: ast.Match) -> ast.Match:
        return self._contents(node)

    def visit_match_case(self, node: ast.match_case) -> ast.match_case:
        compared: list[ast.expr] = []
        node.pattern = _without_attributes(node.pattern, compared)
        if compared:
            guards = [*compared, node.guard] if node.guard else compared
            place = node.pattern
            node.guard = guards[0] if len(guards) == 1 else ast.copy_location(ast.BoolOp(ast.And(), guards), place)
        return self._contents(node)

    def visit_MatchSequence(self, node: ast.MatchSequence) -> ast.MatchSequence:
        return self._contents(node)

    def visit_MatchOr(self, node: ast.MatchOr) -> ast.MatchOr:
        return self._contents(node)

    def visit_MatchSingleton(self, node: ast.MatchSingleton) -> ast.MatchSingleton:
        return node

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.MatchValue:
        if _reads_attribute(node.value):
            refuse(node, "a dotted name in this place of a `case`")
        return node

    def visit_MatchMapping(self, node: ast.MatchMapping) -> ast.MatchMapping:
        if any(map(_reads_attribute, node.keys)):
            refuse(node, "a dotted name in this place of a `case`")
        self.check_name(node, node.rest)
        node.patterns = [self.visit(pattern) for pattern in node.patterns]
        return node

    def visit_MatchStar(self, node: ast.MatchStar) -> ast.MatchStar:
        self.check_name(node, node.name)
        return node

    def visit_MatchAs(self, node: ast.MatchAs) -> ast.MatchAs:
        if node.name is None or not node.name.startswith(CASE):
            self.check_name(node, node.name)
        return self._contents(node)

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.MatchClass:
        """Reading attributes by pattern would pass by the guard, so only the type can be matched."""
        if node.kwd_attrs or not isinstance(node.cls, ast.Name):
            refuse(node, "an attribute in a `case`")
        return self._contents(node)


def _reads_attribute(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Attribute) for part in ast.walk(node))


def _without_attributes(pattern: ast.pattern, compared: list[ast.expr]) -> ast.pattern:
    """The pattern with names in place of dotted values; the comparisons with them are added to ``compared``."""
    match pattern:
        case ast.MatchValue(value=value) if _reads_attribute(value):
            return _named([value], pattern, compared)
        case ast.MatchOr(patterns=patterns) if any(map(_reads_attribute, patterns)):
            values = [each.value for each in patterns if isinstance(each, ast.MatchValue)]
            return _named(values, pattern, compared) if len(values) == len(patterns) else pattern
        case ast.MatchSequence():
            pattern.patterns = [_without_attributes(each, compared) for each in pattern.patterns]
        case ast.MatchAs(pattern=ast.pattern() as inner):
            replaced = _without_attributes(inner, compared)
            pattern.pattern = replaced
    return pattern


def _named(values: list[ast.expr], place: ast.pattern, compared: list[ast.expr]) -> ast.pattern:
    name = f"{CASE}{len(compared)}"
    tests: list[ast.expr] = []
    for value in values:
        subject = ast.copy_location(ast.Name(name, ast.Load()), value)
        tests.append(ast.copy_location(ast.Compare(subject, [ast.Eq()], [value]), value))
    compared.append(tests[0] if len(tests) == 1 else ast.copy_location(ast.BoolOp(ast.Or(), tests), place))
    return ast.copy_location(ast.MatchAs(None, name), place)
