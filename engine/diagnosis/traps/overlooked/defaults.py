"""Traps of default arguments: a list that is made once, and that all objects of a class then share."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import Final

from gradflow.engine.diagnosis.traps.record import Record, Trap, attributes_of
from gradflow.engine.trace import Note

DEFAULT_SHARED: Final = Trap(
    "default-argument-shared",
    "The default `{default}` of `{name}` is made once, when the function is defined: {count} objects hold the very same one in `self.{attribute}`, and what one of them puts"
    " into it is in the others', too. Make it anew for each: `{meant}`, with `{name}=None`.",
    "`{name}` 的默认值 `{default}` 只在定义函数时创建一次：有 {count} 个对象的 `self.{attribute}` 是同一个对象，其中一个放进去的内容，其他对象里也有。"
    "请为每个对象重新创建：`{meant}`，并写成 `{name}=None`。",
)

_FEWEST: Final = 2
_MOST: Final = 1000
"""Objects that are looked at."""


def defaults_shared(run: Record) -> Iterator[Note]:
    """``def __init__(self, memory=[])``, and two objects that were made without one."""
    for definition in run.case.nodes(ast.FunctionDef):
        if definition.name != "__init__" or not definition.args.args:
            continue
        for name, default, attribute, kept in _defaults(definition):
            sharing = _sharing(run, attribute)
            if sharing < _FEWEST:
                continue
            text = run.case.text(default)
            own = f"{text} if {name} is None else {name}"
            fix = run.fix(
                [*run.case.replace(default, "None"), *run.case.replace(kept, own)], f"`{name}=None`", f"`{name}=None`"
            )
            words = {"default": text, "name": name, "count": sharing, "attribute": attribute}
            yield DEFAULT_SHARED.note(run.program.span_of(default), (), fix, meant=f"self.{attribute} = {own}", **words)


def _defaults(definition: ast.FunctionDef) -> Iterator[tuple[str, ast.expr, str, ast.expr]]:
    """The parameters whose default is an empty list or dictionary: name, default, and the attribute that is given which value."""
    given = definition.args
    plain = zip(given.args[len(given.args) - len(given.defaults) :], given.defaults, strict=True)
    named = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    owner = given.args[0].arg
    for argument, default in [*plain, *named]:
        if default is None or ast.unparse(default) not in ("[]", "{}"):
            continue
        for statement in definition.body:
            match statement:
                case ast.Assign(
                    targets=[ast.Attribute(value=ast.Name(id=held), attr=attribute)], value=ast.Name(id=kept) as value
                ) if held == owner and kept == argument.arg:
                    yield kept, default, attribute, value


def _sharing(run: Record, attribute: str) -> int:
    """How many objects hold one and the same default of their class, which is no longer empty, in an attribute."""
    held: dict[int, int] = {}
    for one in _objects(run):
        kept = attributes_of(one).get(attribute)
        if isinstance(kept, list | dict) and len(kept) and any(kept is default for default in _made_once(one)):
            held[id(kept)] = held.get(id(kept), 0) + 1
    return max(held.values(), default=0)


def _made_once(held: object) -> Iterator[object]:
    """The defaults of the function that begins an object of a class of the program's own."""
    begins = type.__getattribute__(type(held), "__dict__").get("__init__")
    if isinstance(begins, FunctionType):
        yield from begins.__defaults__ or ()
        yield from (begins.__kwdefaults__ or {}).values()


def _objects(run: Record) -> list[object]:
    """What has a name at the end, and what stands in lists and dictionaries that have; each once."""
    found: list[object] = []
    for value in run.held():
        found.append(value)
        if isinstance(value, list | tuple) and type(value) in (list, tuple):  # one of the program's own may do anything
            found += list(value)[:_MOST]
        elif isinstance(value, dict) and type(value) is dict:
            found += list(value.values())[:_MOST]
    return list({id(one): one for one in found[:_MOST]}.values())


TRAPS: Final = (defaults_shared,)
