"""Methods whose result is meant to be their object, ``model = model.train()``, and that give nothing back."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.case import Case, called, insertion
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.nothing import NONE_MET, suspects
from gradflow.engine.diagnosis.findings.origins.absent import gives
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.trace import Edit

_OF_MODULES: Final = frozenset(
    {"train", "eval", "to", "cpu", "cuda", "float", "double", "half", "bfloat16", "requires_grad_", "apply", "type"}
)
"""Methods of modules that give the module back."""
_MOST: Final = 12


@finds(*NONE_MET, mistakes.NOT_CALLABLE)
def _object_not_given_back(case: Case) -> Finding | None:
    """``def train(self, mode=True): super().train(mode)`` without ``return self``."""
    flow = Flow(case)
    for part in _met(case):
        for count, one in enumerate(flow.behind(part)):
            if count > _MOST:
                break
            if not isinstance(one, ast.Call):
                continue
            found = next(_methods(case, one), None)
            if found is not None and _is_meant(case, one, *found):
                return _told(case, one, *found)
            if not any(gives(each) for each in flow.called(one) if isinstance(each, ast.FunctionDef)):
                break
    return None


def _met(case: Case) -> list[ast.expr]:
    """The expressions at the error that were `None`: also what was called."""
    failed = case.find(ast.Call)
    if failed is None:
        return suspects(case)
    value, made = case.value(failed.func), definition(case, failed.func)
    if type(value).__name__ == "Sequential" and isinstance(made, ast.Call):
        return [one for one in made.args if isinstance(one, ast.Call)]
    return [*([failed.func] if value is None else []), *suspects(case)]


def _methods(case: Case, call: ast.Call) -> Iterator[tuple[ast.ClassDef, ast.FunctionDef]]:
    """The methods of the program that a call can run and that give nothing back: of ``eval`` the ``train`` that it calls."""
    if not isinstance(call.func, ast.Attribute):
        return
    for name in (call.func.attr, *(["train"] if call.func.attr == "eval" else [])):
        known = [one for one in case.nodes(ast.FunctionDef) if one.name == name and one.args.args]
        owners = [(owner, one) for one in known if isinstance(owner := case.parents.get(one), ast.ClassDef)]
        yield from ((owner, one) for owner, one in owners if not gives(one) and not one.decorator_list)
        if owners:
            return


def _is_meant(case: Case, call: ast.Call, owner: ast.ClassDef, method: ast.FunctionDef) -> bool:
    """Whether the result of a method is used as its object."""
    held = call.func.value if isinstance(call.func, ast.Attribute) else call
    outer = case.parents.get(call)
    layer = any("Module" in case.text(one) or _is_layer(case, one) for one in owner.bases)
    if method.name in _OF_MODULES and layer:
        return True
    if isinstance(outer, ast.Assign) and case.text(outer.targets[0]) == case.text(held):
        return True
    made_here = any(isinstance(one, ast.Call) and case.text(one.func) == owner.name for one in ast.walk(held))
    if made_here and layer and isinstance(outer, ast.Call) and called(outer) == "Sequential":
        return True
    failed = case.find(ast.Attribute) or case.find(ast.Call)
    attribute = failed.func if isinstance(failed, ast.Call) else failed
    return made_here and (
        attribute.attr in _members(owner) if isinstance(attribute, ast.Attribute) else "__call__" in _members(owner)
    )


def _is_layer(case: Case, base: ast.expr) -> bool:
    value = case.value(base)
    return isinstance(value, type) and issubclass(value, Layer)


def _members(owner: ast.ClassDef) -> set[str]:
    """The methods of a class, and what its methods put into ``self``."""
    members = {one.name for one in owner.body if isinstance(one, ast.FunctionDef)}
    for one in ast.walk(owner):
        if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store):
            members.add(one.attr)
    return members


def _told(case: Case, call: ast.Call, owner: ast.ClassDef, method: ast.FunctionDef) -> Finding:
    own = method.args.args[0].arg
    through = isinstance(call.func, ast.Attribute) and call.func.attr != method.name
    en = (
        f", and {code(case, call)}, which calls it, gives `None`"
        if through
        else f", so {code(case, call)} gives `None`"
    )
    zh = (
        f"，而 {code(case, call)} 会调用它，得到的是 `None`"
        if through
        else f"，所以 {code(case, call)} 得到的是 `None`"
    )
    text = f"return {own}"
    return finding(
        case,
        f"`{method.name}` of `{owner.name}` (line {line(method)}) ends without a `return`{en}; its result is used as the object itself. Give that back"
        f" at its end: `{text}`.",
        f"`{owner.name}` 的 `{method.name}`（第 {line(method)} 行）结束时没有 `return`{zh}；它的结果却被当作对象本身使用。请在末尾返回对象：`{text}`。",
        apply(case, _returning(case, method, text), f"`{text}`", f"`{text}`") or (),
        method,
    )


def _returning(case: Case, method: ast.FunctionDef, text: str) -> list[Edit]:
    """The object given back at the end of a method, and where it ends before that."""
    last, span = method.body[-1], case.program.span_of(method.body[-1])
    bare = [one for one in ast.walk(method) if isinstance(one, ast.Return) and one.value is None]
    edits = [edit for one in bare for edit in case.replace(one, text)]
    if isinstance(last, ast.Return) or span is None:
        return edits
    head = case.line(span.line)[: span.column]
    if not head.strip():
        return [*edits, insertion(span.end_line, len(case.line(span.end_line)), f"\n{head}{text}")]
    match last:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super"))))):
            return [*edits, *case.before(last, "return ")]
        case ast.Expr() | ast.Assign() | ast.AugAssign():
            return [*edits, *case.after(last, f"; {text}")]
    return []
