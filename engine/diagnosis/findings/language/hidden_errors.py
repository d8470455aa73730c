"""Errors inside of a property of a module, which the module reports as if the property itself were missing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.names import closest
from gradflow.engine.diagnosis.flow import returned
from gradflow.engine.diagnosis.known import known_attribute, known_element
from gradflow.engine.diagnosis.traps.edits import moved_behind
from gradflow.engine.errors.language import python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox import gate
from gradflow.engine.trace import Fix

_DEEPEST: Final = 4
_PARTS: Final = ("_parameters", "_modules", "_buffers")
_HIDING: Final = "a module then says that the property is missing."
_HIDING_ZH: Final = "模块这时会说找不到这个属性方法。"
_KEPT: Final = ("property", "cached_property", "functools.cached_property")


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _inside_property(case: Case) -> Finding | None:
    """``encoder.width`` of a property that reads what is not there: a module asked for it answers that it has no ``width``."""
    value, name = case.details.get("value"), str(case.details.get("name", ""))
    asked = case.find(ast.Attribute)
    name = name or (asked.attr if asked is not None else "")
    own = _method(case, value, name) if isinstance(value, Layer) else None
    if own is None or not _is_property(case, own):
        return None
    all_missing = list(_missing(case, value, own, _DEEPEST))
    kind = type(value).__name__
    begin = f"`{name}` is a property of `{kind}`, and computing it failed on line"
    begin_zh = f"`{name}` 是 `{kind}` 的属性方法，计算它时在第"
    if not all_missing:
        first = line(own.body[0])
        return finding(
            case,
            f"{begin} {first} or in what is called there: an attribute is missing; {_HIDING} Compute it in a method, without `@property`, to see which it is.",
            f"{begin_zh} {first} 行或其调用的地方失败：那里缺少某个属性；{_HIDING_ZH}请用普通方法来计算，去掉 `@property`，就能看到缺少的是哪一个。",
            (),
            own.body[0],
        )
    return _told(case, all_missing, value, begin, begin_zh)


def _told(case: Case, missing: list[tuple[ast.Attribute, object]], value: object, begin: str, begin_zh: str) -> Finding:
    """The first attribute that is missing, what its owner is, and what was meant."""
    node, owner = missing[0]
    text, kind = case.text(node.value), type(owner).__name__
    what = "is `None`" if owner is None else f"is a `{kind}`"
    what_zh = "是 `None`" if owner is None else f"是 `{kind}`"
    later = _set_later(case, node) if owner is value else None
    if later is not None:
        action = (
            f"It is set on line {line(later)} only, later than it is asked for. Set it before line {case.span.line}"
        )
        action_zh = f"第 {line(later)} 行才设置它，比读取它晚。请在第 {case.span.line} 行之前设置"
        fix = _moved(case, later)
    elif isinstance(owner, dict) and node.attr in owner:
        new = f'{text}["{node.attr}"]'
        action, action_zh = (
            f"What stands in a dictionary is reached by its key. Write `{new}`",
            f"字典里的东西要用键来取。请写 `{new}`",
        )
        keys = [one for one, of in missing if of is owner and one.attr in owner]
        edits = [edit for one in keys for edit in case.replace(one, f'{case.operand(one.value)}["{one.attr}"]')]
        fix = case.fix(edits, node)
    elif meant := closest(node.attr, [one for one in _names(owner) if not one.startswith("_")]):
        new = f"{text}.{meant}"
        action, action_zh = f"Write `{new}`", f"请写 `{new}`"
        fix = case.fix(case.rename_end(node, node.attr, meant), node)
    elif owner is value:
        action = f"Set `{text}.{node.attr}` in `__init__`, or spell it as it is called there"
        action_zh = f"请在 `__init__` 里设置 `{text}.{node.attr}`，或改成那里的写法"
        fix = None
    else:
        action, action_zh = (
            f"Ask `{text}` for what it has, or give it a `{node.attr}` first",
            f"请读取 `{text}` 有的属性，或者先给它 `{node.attr}`",
        )
        fix = None
    place = line(node)
    return finding(
        case,
        f"{begin} {place}: `{text}` {what} and has no `{node.attr}`; {_HIDING} {action}.",
        f"{begin_zh} {place} 行失败：`{text}` {what_zh}，没有 `{node.attr}`；{_HIDING_ZH}{action_zh}。",
        [fix],
        node if later is None else None,
    )


def _set_later(case: Case, node: ast.Attribute) -> ast.stmt | None:
    """The assignment of ``self.x`` in the same class, behind the line of the error."""
    return next(
        (
            one
            for one in case.nodes(ast.Assign)
            if line(one) > case.span.line
            and case.text(node) in map(case.text, one.targets)
            and case.enclosing(one, ast.ClassDef) is case.enclosing(node, ast.ClassDef)
        ),
        None,
    )


def _moved(case: Case, later: ast.stmt) -> Fix | None:
    """The assignment, moved in front of the statement that failed, where both stand in one block."""
    failed = case.find(ast.AST)
    first = case.statement(failed) if failed is not None else None
    text = case.text(later)
    edits = moved_behind(case, first, later, before=True)
    return apply(case, edits, f"`{text}` first", f"先执行 `{text}`")


# -- looking ------------------------------------------------------------------------------------------------------------


def _method(case: Case, value: object, name: str) -> ast.FunctionDef | None:
    """The function of this name in the class of an object, or in one that this is derived from."""
    for kind in type(value).__mro__:
        for owner in reversed(case.nodes(ast.ClassDef)):
            if owner.name == kind.__name__ and name in vars(kind):
                return next((one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == name), None)
    return None


def _is_property(case: Case, function: ast.FunctionDef) -> bool:
    return any(case.text(one) in _KEPT for one in function.decorator_list)


def _missing(
    case: Case, value: object, function: ast.FunctionDef, depth: int
) -> Iterator[tuple[ast.Attribute, object]]:
    """The attributes in a function of an object that are not there, with what was asked for them; also in what it calls or reads of its own."""
    me = next((one.arg for one in function.args.args), "")
    for node in sorted(_attributes(function), key=lambda one: (one.end_lineno or 0, one.end_col_offset or 0)):
        owner = _value(case, node.value, value, function)
        if owner is UNKNOWN:
            continue
        if not _has(owner, node.attr):
            yield node, owner
        elif case.text(node.value) == me and depth:
            inner = _method(case, value, node.attr)
            if inner is not None and inner is not function:
                yield from _missing(case, value, inner, depth - 1)


def _attributes(function: ast.FunctionDef) -> list[ast.Attribute]:
    """What a function reads of something, in its body."""
    parts = [part for one in function.body for part in ast.walk(one)]
    return [one for one in parts if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load)]


def _value(case: Case, node: ast.expr, value: object, function: ast.FunctionDef) -> object:
    """What an expression in a function of an object stands for, as far as that can be told without computing it."""
    match node:
        case ast.Name(id=name) if name == next((one.arg for one in function.args.args), ""):
            return value
        case ast.Name(id=name):
            kept = [
                one for one in ast.walk(function) if isinstance(one, ast.Assign) and name in map(case.text, one.targets)
            ]
            bound = any(
                isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store)
                for one in ast.walk(function)
            )
            if len(kept) == 1:
                return _value(case, kept[0].value, value, function)
            held = case.values.get(name, UNKNOWN)
            return held if not bound and isinstance(held, gate.Module) else UNKNOWN
        case ast.Call(func=ast.Attribute(value=owner, attr=attr), args=[], keywords=[]):
            inner = _method(case, value, attr) if _value(case, owner, value, function) is value else None
            given = returned(inner) if inner is not None else []
            return _value(case, given[0], value, inner) if inner is not None and len(given) == 1 else UNKNOWN
        case ast.Attribute(value=owner, attr=attr):
            held = _value(case, owner, value, function)
            return UNKNOWN if held is UNKNOWN else known_attribute(held, attr, UNKNOWN)
        case ast.Subscript(value=owner, slice=index):
            held = _value(case, owner, value, function)
            key = index.value if isinstance(index, ast.Constant) else case.value(index)
            if isinstance(index, ast.UnaryOp) and isinstance(index.operand, ast.Constant):
                key = -index.operand.value if isinstance(index.operand.value, int) else UNKNOWN
            if isinstance(held, Layer) and type(held).__name__ in ("Sequential", "ModuleList"):
                held = list(held._modules.values())
            elif isinstance(held, Layer) and type(held).__name__ == "ModuleDict":
                held = dict(held._modules)
            return UNKNOWN if held is UNKNOWN else known_element(held, key, UNKNOWN)
    return UNKNOWN


def _names(owner: object) -> list[str]:
    """The names of an object, as far as its class and its own dictionary tell."""
    if isinstance(owner, gate.Module):
        return list(owner.names())
    held = getattr(owner, "__dict__", {})
    parts = [held.get(part) for part in _PARTS]
    kept = [name for part in (held, *parts) if isinstance(part, dict) for name in part]
    return [*kept, *(name for cls in type(owner).__mro__ for name in vars(cls))]


def _has(owner: object, name: str) -> bool:
    """Whether an object has an attribute, or may have it by a rule of its class."""
    asks = not isinstance(owner, Layer) and any("__getattr__" in vars(cls) for cls in type(owner).__mro__)
    return isinstance(owner, type) or (asks and not isinstance(owner, gate.Module)) or name in _names(owner)
