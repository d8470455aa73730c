"""Old-style Functions of autograd: methods with ``self``, settings kept by ``__init__``, and an object that is called."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, apply_edits
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import default_of
from gradflow.engine.diagnosis.trial import difference
from gradflow.engine.errors.language import python
from gradflow.engine.trace import Edit, Fix, Span

_CONTEXT = "ctx"


@dataclass(frozen=True)
class _Old:
    """A class, its methods by their names, and the parameters of its ``__init__``."""

    owner: ast.ClassDef
    methods: dict[str, ast.FunctionDef]
    settings: Sequence[str]


@dataclass(frozen=True)
class _Use:
    """A place where an object is made: the call that makes it, and what is called with the inputs right there, if that is so."""

    made: ast.Call
    called: ast.Call | None


@finds(errors.FUNCTION_MISUSE, errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _old_style(case: Case) -> Finding | None:
    """``class Reverse(Function)`` with ``def forward(self, x)``, called as ``Reverse(0.5)(x)``."""
    legacy = "Legacy autograd function" in str(case.details.get("message"))
    for old in _old_classes(case):
        uses = list(_uses(case, old))
        failed = case.find(ast.expr)
        inside = failed is not None and case.enclosing(failed, ast.ClassDef) is old.owner
        if not uses or not (_is_called(case, old, uses) if legacy else inside and old.settings):
            continue
        return _told(case, old, uses)
    return None


def _old_classes(case: Case) -> Iterator[_Old]:
    for owner in case.nodes(ast.ClassDef):
        methods = {one.name: one for one in owner.body if isinstance(one, ast.FunctionDef)}
        if not any(ast.unparse(base).rpartition(".")[2] == "Function" for base in owner.bases):
            continue
        if "forward" not in methods or "backward" not in methods or methods["forward"].decorator_list:
            continue
        first = methods["__init__"].args.args[1:] if "__init__" in methods else []
        yield _Old(owner, methods, [one.arg for one in first])


def _uses(case: Case, old: _Old) -> Iterator[_Use]:
    for call in case.nodes(ast.Call):
        if not isinstance(call.func, ast.Name) or call.func.id != old.owner.name:
            continue
        outer = case.parents.get(call)
        if isinstance(outer, ast.Attribute) and outer.attr == "apply":
            outer = case.parents.get(outer)
            yield _Use(call, outer if isinstance(outer, ast.Call) else None)
        else:
            yield _Use(call, outer if isinstance(outer, ast.Call) and outer.func is call else None)


def _is_called(case: Case, old: _Old, uses: Sequence[_Use]) -> bool:
    """Whether it is this class whose object the call at the error is."""
    call = case.find(ast.Call)
    if call is None or any(one.called is call or one.made is call for one in uses):
        return True
    return type(case.value(call.func)).__name__ in (old.owner.name, "object") or len(list(_old_classes(case))) == 1


def _told(case: Case, old: _Old, uses: Sequence[_Use]) -> Finding:
    name = old.owner.name
    use = next((one for one in uses if one.called is not None), uses[0])
    given = _settings(case, old, use.made)
    own = old.methods["forward"].args.args[0].arg if old.methods["forward"].args.args else "self"
    failed = use.called or case.find(ast.Call)
    inputs = [case.text(one) for one in failed.args] if failed is not None and failed is not use.made else ["..."]
    if use.called is None and old.settings:
        inputs = ["*inputs"]
    shown = f"{name}.apply({', '.join([*inputs, *(given or old.settings)])})"
    here = use.called or use.made
    kept, kept_zh = ("", "")
    if old.settings:
        names = [f"`{one}`" for one in old.settings]
        kept = f", give {joined(names, 'en')} to `forward` in place of `__init__` (`backward` returns `None` for {'each' if len(names) > 1 else 'it'})"
        kept_zh = f"，把 {joined(names, 'zh')} 从 `__init__` 移到 `forward` 的参数里（`backward` 为{'每个' if len(names) > 1 else '它'}返回 `None`）"
    how, how_zh, instead, instead_zh = (
        ("are not static", "它的方法不是静态方法", "", "")
        if own == _CONTEXT
        else (
            f"take `{own}`",
            f"它的方法用 `{own}`",
            f" with `{_CONTEXT}` in place of `{own}`",
            f"，用 `{_CONTEXT}` 代替 `{own}`",
        )
    )
    return finding(
        case,
        f"`{name}` on line {line(old.owner)} is a Function of the old style: its methods {how}, and line {line(here)} makes an object of it, which PyTorch"
        f" does not run any more. Make `forward` and `backward` static methods{instead}{kept}, and call `{shown}`.",
        f"第 {line(old.owner)} 行的 `{name}` 是旧式的 Function：{how_zh}，而第 {line(here)} 行创建了它的对象，PyTorch 已不再运行这种写法。请把 `forward` 和"
        f" `backward` 改成静态方法{instead_zh}{kept_zh}，并这样调用：`{shown}`。",
        _fix(case, old, uses, shown) or (),
        old.owner,
    )


# ---- the new style


def _fix(case: Case, old: _Old, uses: Sequence[_Use], shown: str) -> Fix | None:
    if set(old.methods) - {"__init__", "forward", "backward"}:
        return None
    kept = _kept_lines(case, old)
    called = [_new_call(case, old, one) for one in uses]
    forward, backward = (_new_method(case, old, old.methods[name]) for name in ("forward", "backward"))
    if kept is None or forward is None or backward is None or any(one is None for one in called):
        return None
    edits = [*forward, *backward, *_gradients(case, old), *(edit for one in called for edit in one or ())]
    method = old.methods["forward"]
    last, first = method.args.args[-1], method.body[0]
    edits += case.after(last, "".join(f", {one}" for one in old.settings)) if old.settings else []
    for row in kept:
        edits += case.line_before(first, row)
    if "__init__" in old.methods:
        edits += _without(case, old.methods["__init__"])
    source = case.program.source
    whole = difference(source, apply_edits(source, edits))
    return apply(case, whole, f"Static methods, and `{shown}`", f"改为静态方法，并写 `{shown}`")


def _new_method(case: Case, old: _Old, method: ast.FunctionDef) -> list[Edit] | None:
    """A method with a context in the place of ``self``; None where it takes what cannot be added to."""
    arguments = method.args
    if arguments.vararg or arguments.kwarg or arguments.defaults or not arguments.args:
        return None
    if method.name == "forward" and {one.arg for one in arguments.args} & set(old.settings):
        return None
    own = arguments.args[0]
    names = [one for one in ast.walk(method) if isinstance(one, ast.Name | ast.arg)]
    if own.arg != _CONTEXT and any(getattr(one, "id", getattr(one, "arg", "")) == _CONTEXT for one in names):
        return None
    edits = case.replace(own, _CONTEXT)
    for node in ast.walk(method):
        if isinstance(node, ast.Name) and node.id == own.arg:
            edits += case.replace(node, _CONTEXT)
        elif isinstance(node, ast.Attribute) and node.attr == "saved_variables":
            edits += case.rename_end(node, "saved_variables", "saved_tensors")
    return edits if method.decorator_list else [*edits, *case.line_before(method, "@staticmethod")]


def _kept_lines(case: Case, old: _Old) -> list[str] | None:
    """What ``__init__`` keeps, as lines of ``forward``; None where it does more than that."""
    method = old.methods.get("__init__")
    if method is None:
        return []
    own, rows = method.args.args[0].arg, []
    for statement in method.body:
        match statement:
            case (
                ast.Expr(value=ast.Call(func=ast.Attribute(attr="__init__")))
                | ast.Pass()
                | ast.Expr(value=ast.Constant())
            ):
                continue
            case ast.Assign() if statement.lineno == statement.end_lineno:
                pass
            case _:
                return None
        edits = [
            edit
            for one in ast.walk(statement)
            if isinstance(one, ast.Name) and one.id == own
            for edit in case.replace(one, _CONTEXT)
        ]
        rows.append(apply_edits(case.program.source, edits, case.program.span_of(statement)))
    return rows


def _gradients(case: Case, old: _Old) -> list[Edit]:
    """A None behind what ``backward`` returns, for each setting."""
    more = ", None" * len(old.settings)
    edits: list[Edit] = []
    for node in ast.walk(old.methods["backward"]):
        if isinstance(node, ast.Return) and node.value is not None and more:
            edits += case.after(node.value.elts[-1] if isinstance(node.value, ast.Tuple) else node.value, more)
    return edits


def _settings(case: Case, old: _Old, made: ast.Call) -> list[str] | None:
    """What an object is made with, in the order of the parameters, with the defaults that are left out."""
    method = old.methods.get("__init__")
    given = dict(zip(old.settings, made.args, strict=False))
    if any(isinstance(one, ast.Starred) for one in made.args) or len(made.args) > len(old.settings):
        return None
    given.update({one.arg: one.value for one in made.keywords if one.arg is not None})
    texts = []
    for name in old.settings:
        value = given.get(name) or next(iter(default_of(method, name) if method is not None else []), None)
        if value is None:
            return None
        texts.append(case.text(value))
    return texts


def _new_call(case: Case, old: _Old, use: _Use) -> list[Edit] | None:
    """``apply`` with the inputs and the settings; of an object that is kept a function that adds them."""
    given = _settings(case, old, use.made)
    if given is None:
        return None
    if use.called is not None:
        inputs = [case.text(one) for one in (*use.called.args, *use.called.keywords)]
        return case.replace(use.called, f"{old.owner.name}.apply({', '.join([*inputs, *given])})")
    if not given:
        return case.replace(use.made, f"{old.owner.name}.apply")
    if not isinstance(case.parents.get(use.made), ast.Assign):
        return None
    return case.replace(use.made, f"lambda *inputs: {old.owner.name}.apply(*inputs, {', '.join(given)})")


def _without(case: Case, method: ast.FunctionDef) -> list[Edit]:
    """The lines of a method taken out, with the empty ones below it."""
    last = (method.end_lineno or line(method)) + 1
    while case.line(last) == "" or not case.line(last).strip():
        last += 1
        if last > len(case.program.source.split("\n")):
            return []
    return [Edit(Span(line(method), 0, last, 0), "")]
