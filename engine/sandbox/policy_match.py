"""The policy on ``match``: patterns become tests and guarded reads, since Python's own would read attributes unguarded.

``match p:`` with ``case Point(x, 0) if x:`` is compiled as an ``if`` whose test asks `patterns` for the attributes of the
subject and binds ``x`` once all of the pattern has matched. The names in between cannot be spelled.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, Final, TypeVar

SEQUENCE: Final = "<match sequence>"
MAPPING: Final = "<match mapping>"
CLASS_PATTERN: Final = "<match class>"
Node = TypeVar("Node", bound=ast.AST)


class MatchPolicy:
    """The visitor of a ``match`` statement, for a policy that has those of expressions."""

    visit: Any
    check_name: Any
    _matches = 0

    def visit_Match(self, node: ast.Match) -> list[ast.stmt]:
        """An assignment of the subject, and an ``if`` with a branch for each case."""
        self._matches += 1
        test = _Tests(f"<match {self._matches}", self)
        subject = test.new_name()
        branches: list[ast.If] = []
        for case in node.cases:
            captured: dict[str, str] = {}
            tests = [test.of(case.pattern, ast.Name(subject, ast.Load()), captured)]
            tests += [_kept(name, ast.Name(source, ast.Load())) for name, source in captured.items()]
            if case.guard:
                tests.append(self.visit(case.guard))
            branch = ast.If(_all(tests), [], [])
            _place(branch, case.pattern)
            branch.body = [each for statement in case.body for each in _statements(self.visit(statement))]
            if branches:
                branches[-1].orelse = [branch]
            branches.append(branch)
        assignment = ast.Assign([ast.Name(subject, ast.Store())], self.visit(node.subject))
        _place(assignment, node.subject)
        return [assignment, branches[0]]


class _Tests:
    """Expressions that are true when a pattern matches."""

    def __init__(self, prefix: str, policy: MatchPolicy) -> None:
        self._prefix, self._count, self._policy = prefix, 0, policy

    def new_name(self) -> str:
        self._count += 1
        return f"{self._prefix}.{self._count}>"

    def of(self, pattern: ast.pattern, subject: ast.expr, captured: dict[str, str]) -> ast.expr:
        """The test of a pattern; the names that it binds are added to ``captured``, with where their values are."""
        test: ast.expr
        match pattern:
            case ast.MatchValue(value=value):
                test = ast.Compare(subject, [ast.Eq()], [self._policy.visit(value)])
            case ast.MatchSingleton(value=value):
                test = ast.Compare(subject, [ast.Is()], [ast.Constant(value)])
            case ast.MatchOr(patterns=patterns):
                test = ast.BoolOp(ast.Or(), [self.of(each, subject, captured) for each in patterns])
            case ast.MatchAs(pattern=inner, name=name):
                tests = [self.of(inner, subject, captured)] if inner else []
                test = _all([*tests, *self._captures(pattern, name, subject, captured)])
            case ast.MatchSequence(patterns=patterns):
                test = self._sequence(patterns, subject, captured)
            case ast.MatchMapping():
                test = self._mapping(pattern, subject, captured)
            case ast.MatchClass():
                test = self._class(pattern, subject, captured)
            case _:
                raise AssertionError(pattern)
        return _place(test, pattern)

    def _captures(
        self, place: ast.AST, name: str | None, value: ast.expr, captured: dict[str, str]
    ) -> Iterable[ast.expr]:
        if name is None:
            return []
        self._policy.check_name(place, name)
        captured.setdefault(name, self.new_name())
        return [_kept(captured[name], value)]

    def _sequence(self, patterns: list[ast.pattern], subject: ast.expr, captured: dict[str, str]) -> ast.expr:
        starred = [k for k, each in enumerate(patterns) if isinstance(each, ast.MatchStar)]
        before = starred[0] if starred else len(patterns)
        after = len(patterns) - before - 1 if starred else None
        found = self._asked(SEQUENCE, subject, ast.Constant(before), ast.Constant(after))
        return self._parts(found, patterns, captured)

    def _mapping(self, pattern: ast.MatchMapping, subject: ast.expr, captured: dict[str, str]) -> ast.expr:
        keys = ast.Tuple([self._policy.visit(key) for key in pattern.keys], ast.Load())
        rest = pattern.rest is not None
        found = self._asked(MAPPING, subject, keys, ast.Constant(rest))
        inner = [*pattern.patterns, *([ast.MatchStar(pattern.rest)] if rest else [])]
        return self._parts(found, inner, captured)

    def _class(self, pattern: ast.MatchClass, subject: ast.expr, captured: dict[str, str]) -> ast.expr:
        cls = self._policy.visit(pattern.cls)
        names = ast.Tuple([ast.Constant(name) for name in pattern.kwd_attrs], ast.Load())
        found = self._asked(CLASS_PATTERN, subject, cls, ast.Constant(len(pattern.patterns)), names)
        return self._parts(found, [*pattern.patterns, *pattern.kwd_patterns], captured)

    def _asked(self, function: str, *arguments: ast.expr) -> ast.NamedExpr:
        """What a function of `patterns` finds: a list with what each part of the pattern is to match, or None."""
        call = ast.Call(ast.Name(function, ast.Load()), list(arguments), [])
        return ast.NamedExpr(ast.Name(self.new_name(), ast.Store()), call)

    def _parts(self, found: ast.NamedExpr, patterns: Iterable[ast.pattern], captured: dict[str, str]) -> ast.expr:
        tests: list[ast.expr] = [ast.Compare(found, [ast.IsNot()], [ast.Constant(None)])]
        for k, each in enumerate(patterns):
            part = ast.Subscript(ast.Name(found.target.id, ast.Load()), ast.Constant(k), ast.Load())
            if isinstance(each, ast.MatchStar):
                tests += self._captures(each, each.name, part, captured)
            else:
                tests.append(self.of(each, part, captured))
        return _all(tests)


def _kept(name: str, value: ast.expr) -> ast.expr:
    """Binds a name; always true, whatever the value says of its truth."""
    return ast.Tuple([ast.NamedExpr(ast.Name(name, ast.Store()), value)], ast.Load())


def _all(tests: list[ast.expr]) -> ast.expr:
    if not tests:
        return ast.Constant(True)
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)


def _statements(visited: ast.stmt | list[ast.stmt] | None) -> list[ast.stmt]:
    if visited is None:
        return []
    return visited if isinstance(visited, list) else [visited]


def _place(node: Node, place: ast.AST) -> Node:
    """Gives what was made for a pattern the pattern's place in the text."""
    for part in ast.walk(node):
        if "lineno" in part._attributes and not hasattr(part, "lineno"):
            ast.copy_location(part, place)
    return node
