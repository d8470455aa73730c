"""Modules that hold one of those that hold them: what goes through all modules then never comes to an end."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.language.recursion import turn_of
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.trace import Fix

_PLAIN: Final = (int, float, str, bool)
_REGISTERING: Final = ("ModuleList", "ModuleDict", "Sequential", "add_module", "register_module", "append", "extend")
_RULE: Final = "every module in an attribute of a module is registered as a part of it"
_RULE_ZH: Final = "模块的属性里的每个模块都会注册为它的一部分"


@dataclass(frozen=True)
class _Return:
    """Where the way down through modules comes back: what is held, under which name, and by which module."""

    holder: Layer
    name: str
    held: Layer


@finds(python.RECURSION)
def _module_in_its_own_part(case: Case) -> Finding | None:
    """``self.owner = owner`` in a part that the owner holds."""
    if turn_of(case.frames):
        return None  # a function of the program calls itself
    back = next((found for root in _roots(case) if (found := _cycle(root)) is not None), None)
    written = _registered(case, back) if back is not None else _handed_itself(case)
    if written is None:
        return _somewhere(case, back) if back is not None else None
    node, target, value = written
    holder, held = _kinds(case, node, target, back)
    same = back is not None and back.held is back.holder
    what = f"a `{holder}` itself" if same else f"the `{held}` that holds this `{holder}`"
    what_zh = f"`{holder}` 自己" if same else f"包含这个 `{holder}` 的 `{held}`"
    copied = _settings(case, node, target, value, back) if back is not None else None
    if copied is not None:
        text, fix = copied
        action, action_zh = f"Keep only what is needed of it: `{text}`", f"请只保存需要的东西：`{text}`"
    elif back is not None and not any(one.name == type(back.holder).__name__ for one in case.nodes(ast.ClassDef)):
        text, fix = _listed(case, node, target, value)
        action, action_zh = (
            f"Keep it in a list, where a module does not look: `{text}`",
            f"请放进列表，模块不会到那里查找：`{text}`",
        )
    else:
        text = f'object.__setattr__({case.text(target.value)}, "{target.attr}", {case.text(value)})'
        fix = case.fix(case.replace(node, text), node)
        action, action_zh = f"Keep it without registering it: `{text}`", f"请保存它但不注册：`{text}`"
    walker, walker_zh = _walker(case)
    return finding(
        case,
        f"{code(case, target)} on line {line(node)} is {what}, and {_RULE}: {walker} through all parts, here round and round without an end. {action}.",
        f"第 {line(node)} 行的 {code(case, target)} 是{what_zh}，而{_RULE_ZH}：{walker_zh}遍历所有部分，在这里不停地绕圈，没有尽头。{action_zh}。",
        [fix],
        node,
    )


def _somewhere(case: Case, back: _Return) -> Finding:
    """A circle whose last step is no plain assignment: a list of modules that holds the one it belongs to."""
    added = _added(case, back)
    calls = [
        one
        for one in case.nodes(ast.Call)
        if called(one) in _REGISTERING
        and any(map(_is_self, one.args))
        and type(back.held).__name__ == getattr(case.enclosing(one, ast.ClassDef), "name", "")
    ]
    made = added or (calls[0] if len(calls) == 1 else None)
    holder, held = type(back.holder).__name__, type(back.held).__name__
    where = (
        f"{code(case, made)} on line {line(made)} puts the `{held}` into a part of itself"
        if made is not None
        else f"a `{holder}` holds, as `{back.name}`, the `{held}` that it is a part of"
    )
    where_zh = (
        f"第 {line(made)} 行的 {code(case, made)} 把 `{held}` 放进了它自己的一部分"
        if made is not None
        else f"某个 `{holder}` 以 `{back.name}` 包含了它所属的 `{held}`"
    )
    walker, walker_zh = _walker(case)
    fix = None
    action = "Leave it out there, or keep it in a plain list of Python, where a module does not look"
    action_zh = "请不要放在那里，或者放进普通的 Python 列表，模块不会到那里查找"
    if added is not None and isinstance(added.func, ast.Attribute) and len(added.args) > 1:
        text = f'object.__setattr__({case.text(added.func.value)}, "{back.name}", {case.text(added.args[1])})'
        fix = case.fix(case.replace(added, text), added)
        action, action_zh = f"Keep it without registering it: `{text}`", f"请保存它但不注册：`{text}`"
    return finding(
        case,
        f"{where[:1].upper()}{where[1:]}, and {_RULE}: {walker} through all parts, here round and round without an end. {action}.",
        f"{where_zh}，而{_RULE_ZH}：{walker_zh}遍历所有部分，在这里不停地绕圈，没有尽头。{action_zh}。",
        [fix],
        made,
    )


def _is_self(given: ast.expr) -> bool:
    """``self``, or a list or dictionary with it."""
    parts = (
        given.elts
        if isinstance(given, ast.List | ast.Tuple)
        else given.values
        if isinstance(given, ast.Dict)
        else [given]
    )
    return any(isinstance(one, ast.Name) and one.id == "self" for one in parts)


def _added(case: Case, back: _Return) -> ast.Call | None:
    """``self.add_module("owner", owner)`` of this name."""
    return next(
        (
            one
            for one in case.nodes(ast.Call)
            if called(one) in ("add_module", "register_module")
            and isinstance(one.args[0] if one.args else None, ast.Constant)
            and case.value(one.args[0]) == back.name
        ),
        None,
    )


def _walker(case: Case) -> tuple[str, str]:
    """What goes through the modules."""
    failed = case.find(ast.Call)
    name = called(failed) if failed is not None else ""
    return (
        (f"`{name}` goes", f"`{name}` 会") if name else ("what prints or converts a module goes", "打印或转换模块时会")
    )


def _kinds(case: Case, node: ast.Assign, target: ast.Attribute, back: _Return | None) -> tuple[str, str]:
    """The classes of the part and of what holds it."""
    if back is not None:
        return type(back.holder).__name__, type(back.held).__name__
    owner, call = case.enclosing(node, ast.ClassDef), _itself(case, node, target)
    outer = case.enclosing(call, ast.ClassDef) if call is not None else None
    return getattr(owner, "name", ""), getattr(outer, "name", "")


# -- the circle ---------------------------------------------------------------------------------------------------------


def _roots(case: Case) -> Iterator[Layer]:
    """The modules that the failed call was about, then all others that are known."""
    node = case.find(ast.Call)
    near: list[ast.expr] = []
    if node is not None:
        near = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        near += node.args
    values = [case.value(one) for one in near] + list(case.values.values())
    yield from (one for one in values if isinstance(one, Layer))


def _parts(layer: Layer) -> list[tuple[str, Layer]]:
    return [(name, part) for name, part in vars(layer).get("_modules", {}).items() if isinstance(part, Layer)]


def _cycle(root: Layer) -> _Return | None:
    """The first part, on the way down, that is one of the modules above it."""
    above, met = [root], {id(root)}
    waiting = [iter(_parts(root))]
    while waiting:
        name, part = next(waiting[-1], ("", None))
        if part is None:
            waiting.pop()
            above.pop()
        elif any(part is one for one in above):
            return _Return(above[-1], name, part)
        elif id(part) not in met:
            met.add(id(part))
            above.append(part)
            waiting.append(iter(_parts(part)))
    return None


def _registered(case: Case, back: _Return) -> tuple[ast.Assign, ast.Attribute, ast.expr] | None:
    """The one assignment that made a module a part of another: in the class of the holder, or from outside."""
    kinds = {kind.__name__ for kind in type(back.holder).__mro__}
    inside, outside = [], []
    for one in case.nodes(ast.Assign):
        for target in one.targets:
            if not isinstance(target, ast.Attribute) or target.attr != back.name or len(one.targets) > 1:
                continue
            owner = case.enclosing(one, ast.ClassDef)
            own = case.text(target.value) == "self"
            if own and owner is not None and owner.name in kinds:
                inside.append((one, target, one.value))
            elif not own:
                outside.append((one, target, one.value))
    exact = [one for one in outside if case.value(one[1].value) is back.holder and case.value(one[2]) is back.held]
    found = inside or exact or outside
    return found[0] if len(found) == 1 else None


def _handed_itself(case: Case) -> tuple[ast.Assign, ast.Attribute, ast.expr] | None:
    """Of a model that was not kept yet: the one place where a part keeps what it was given as ``Part(self)``."""
    found = [
        (one, one.targets[0], one.value)
        for one in case.nodes(ast.Assign)
        if isinstance(one.targets[0], ast.Attribute) and _itself(case, one, one.targets[0]) is not None
    ]
    return found[0] if len(found) == 1 else None


def _itself(case: Case, node: ast.Assign, target: ast.Attribute) -> ast.Call | None:
    """The call ``Part(self)`` of a module that gives a part what it keeps by this assignment."""
    function, owner = case.enclosing(node, ast.FunctionDef), case.enclosing(node, ast.ClassDef)
    if function is None or owner is None or function.name != "__init__" or not isinstance(node.value, ast.Name):
        return None
    names = [one.arg for one in function.args.args[1:]]
    for call in case.nodes(ast.Call):
        given = dict(zip(names, call.args, strict=False)) | {one.arg: one.value for one in call.keywords if one.arg}
        outer = case.enclosing(call, ast.Assign)
        kept = outer is not None and case.text(outer.targets[0]).startswith("self.")
        if called(call) == owner.name and kept and case.text(target.value) == "self":
            handed = given.get(node.value.id)
            outer_class = case.enclosing(call, ast.ClassDef)
            modules = outer_class is not None and _is_module(case, owner) and _is_module(case, outer_class)
            if isinstance(handed, ast.Name) and handed.id == "self" and modules:
                return call
    return None


def _is_module(case: Case, owner: ast.ClassDef) -> bool:
    kinds = [case.value(base) for base in owner.bases]
    return any(isinstance(kind, type) and issubclass(kind, Layer) for kind in kinds)


# -- what is needed of it -----------------------------------------------------------------------------------------------


def _settings(
    case: Case, node: ast.Assign, target: ast.Attribute, value: ast.expr, back: _Return
) -> tuple[str, Fix | None] | None:
    """``self.heat = owner.heat``, where plain settings that never change are all that is used of the owner."""
    owner = case.enclosing(node, ast.ClassDef)
    uses = [
        one
        for one in case.nodes(ast.Attribute)
        if isinstance(one.ctx, ast.Load) and case.text(one) == case.text(target)
    ]
    if owner is None or not uses or case.text(target.value) != "self":
        return None
    outer = [case.parents.get(one) for one in uses]
    names: list[str] = []
    for use, one in zip(uses, outer, strict=True):
        if case.enclosing(use, ast.ClassDef) is not owner or not isinstance(one, ast.Attribute):
            return None
        names.append(one.attr)
    names = list(dict.fromkeys(names))
    if not all(_is_fixed(case, name, back) for name in names):
        return None
    rows = [f"self.{name} = {case.operand(value)}.{name}" for name in names]
    pad = " " * node.col_offset
    edits = case.replace(node, f"\n{pad}".join(rows))
    for one in outer:
        if isinstance(one, ast.Attribute):
            edits += case.replace(one, f"self.{one.attr}")
    return rows[0], apply(case, edits, f"`{rows[0]}`", f"`{rows[0]}`")


def _listed(case: Case, node: ast.Assign, target: ast.Attribute, value: ast.expr) -> tuple[str, Fix | None]:
    """``decoder.partner = [encoder]``, and ``decoder.partner[0]`` wherever it is used."""
    text = f"{case.text(target)} = [{case.text(value)}]"
    edits = case.wrapped(value, "[", "]")
    for one in case.nodes(ast.Attribute):
        if isinstance(one.ctx, ast.Load) and case.text(one) == case.text(target):
            edits += case.after(one, "[0]")
    return text, apply(case, edits, f"`{text}`", f"`{text}`")


def _is_fixed(case: Case, name: str, back: _Return) -> bool:
    """Whether an attribute of the owner is a plain setting that is given once, and the part has none of that name."""
    stored = [one for one in case.nodes(ast.Attribute) if one.attr == name and isinstance(one.ctx, ast.Store)]
    held = vars(back.held).get(name)
    return type(held) in _PLAIN and len(stored) == 1 and name not in vars(back.holder)
