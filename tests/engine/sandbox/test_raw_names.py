"""Reads and writes of attributes by a name that stands in a variable: where they are, and nowhere else.

A name that comes from a program goes through `gate.read_attribute`, `gate.write_attribute` or a table of the type. Who
adds a raw one says here how many there are in the module, and has made sure that no program chooses the name.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
COUNTS = Path(__file__).with_name("raw_names.txt")
RAW = ("getattr", "setattr", "delattr", "hasattr")


def raw_accesses(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Lines, and what stands there."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _is_raw_call(node):
            yield node.lineno, ast.unparse(node)
        if isinstance(node, ast.Assign | ast.AugAssign | ast.Delete):
            targets = [node.target] if isinstance(node, ast.AugAssign) else node.targets
            for target in targets:
                if isinstance(target, ast.Subscript) and _is_dictionary(target.value) and _varies(target.slice):
                    yield node.lineno, ast.unparse(node)


def _is_raw_call(node: ast.Call) -> bool:
    match node.func:
        case ast.Name(id=name) if name in RAW:
            return len(node.args) > 1 and _varies(node.args[1])
        case ast.Attribute(
            value=ast.Name(id="object" | "type"), attr="__setattr__" | "__getattribute__" | "__delattr__"
        ):
            return len(node.args) > 1 and _varies(node.args[1])
        case ast.Attribute(value=value, attr="update" | "setdefault" | "pop"):
            return _is_dictionary(value) and not (node.keywords and not node.args and all(k.arg for k in node.keywords))
        case ast.Name(id="attrgetter") | ast.Attribute(attr="attrgetter"):
            return any(_varies(argument) for argument in node.args)
    return False


def _varies(name: ast.AST) -> bool:
    return not isinstance(name, ast.Constant)


def _is_dictionary(value: ast.AST) -> bool:
    match value:
        case ast.Attribute(attr="__dict__") | ast.Call(func=ast.Name(id="vars")):
            return True
    return False


def counted() -> dict[str, int]:
    found: Counter[str] = Counter()
    for path in sorted((ROOT / "engine").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found[str(path.relative_to(ROOT))] += len(list(raw_accesses(tree)))
    return {path: count for path, count in found.items() if count}


def test_no_module_has_more_of_them_than_were_looked_at() -> None:
    known = dict(line.rsplit(" ", 1) for line in COUNTS.read_text(encoding="utf-8").splitlines())
    assert {path: str(count) for path, count in counted().items()} == known


@pytest.mark.parametrize(
    "text",
    [
        "getattr(x, name)",
        "setattr(x, name, 1)",
        "delattr(x, name)",
        "object.__setattr__(x, name, 1)",
        "vars(x).update(given)",
        "x.__dict__.update(given)",
        "x.__dict__[name] = 1",
        "vars(x)[name] = 1",
        "del x.__dict__[name]",
        "operator.attrgetter(name)",
    ],
)
def test_a_raw_access_is_seen(text: str) -> None:
    assert len(list(raw_accesses(ast.parse(text)))) == 1


@pytest.mark.parametrize("text", ["getattr(x, 'name')", "x.__dict__.update(kind=1)", "given.update(x)", "d[name] = 1"])
def test_what_is_none_is_not_seen(text: str) -> None:
    assert list(raw_accesses(ast.parse(text))) == []
