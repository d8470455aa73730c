"""What the schemas of the OpenAPI document say of their properties: the docstrings below the attributes, in the source.

A description stands once, below the field that it is of, in the engine too, which knows nothing of schemas. It is read
from the text of the modules, when the document is made: the running program does not have it.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from types import ModuleType
from typing import Any, Final, TypeAlias

from gradflow.backend.http import links, schemas
from gradflow.backend.lessons import format as lesson_format
from gradflow.backend.lessons import lesson
from gradflow.engine import trace
from gradflow.engine.trace import budget, diagnosis, events, graph, passes, rules, values

_MODULES: Final = (
    trace, budget, diagnosis, events, graph, passes, rules, values, schemas, links, lesson_format, lesson
)  # fmt: skip

Descriptions: TypeAlias = dict[str, dict[str, str]]


def describe(components: Mapping[str, Any], modules: Iterable[ModuleType] = _MODULES) -> None:
    """Give each property of each schema that a class of these modules is the source of its description."""
    found: Descriptions = {}
    for module in modules:
        found |= descriptions(inspect.getsource(module))
    for name, schema in components.items():
        for key, text in found.get(name, {}).items():
            if key in schema.get("properties", {}):
                schema["properties"][key] = {**schema["properties"][key], "description": text}


def descriptions(source: str) -> Descriptions:
    """By class and attribute: the docstrings below the attributes, those of base classes in the same text included.

    A key that Python has as a keyword can only be in a `TypedDict` that is called; the string below that one is of its key.
    """
    found: Descriptions = {}
    for statement, text in _with_text_below(ast.parse(source).body):
        match statement:
            case ast.ClassDef(name=name, bases=bases, body=body):
                inherited = [found.get(base.id, {}) for base in bases if isinstance(base, ast.Name)]
                found[name] = {key: told for each in inherited for key, told in each.items()} | dict(_own(body))
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(args=[_, ast.Dict(keys=keys)])) if text:
                found[name] = {str(key.value): text for key in keys if isinstance(key, ast.Constant)}
    return found


def _own(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for statement, text in _with_text_below(body):
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name)) if text:
                yield name, text


def _with_text_below(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, str]]:
    """Each statement with the string that stands below it, on one line; without one an empty text."""
    for statement, below in pairwise([*body, ast.Pass()]):
        match below:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield statement, " ".join(text.split())
            case _:
                yield statement, ""
