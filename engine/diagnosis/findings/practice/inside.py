"""What goes wrong inside of modules: a `forward` that gives the next layer nothing, a beginning that is named and not called."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.language.returns import falls_through, with_return
from gradflow.engine.diagnosis.findings.layers import running
from gradflow.engine.diagnosis.findings.nothing import NONE_MET
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.modules import begun
from gradflow.engine.diagnosis.flow import Flow

_TOLD: Final = ("message", "type", "actual", "left", "right", "given")


@finds(*NONE_MET)
def _nothing_for_next_layer(case: Case) -> Finding | None:
    """``nn.Sequential(Block(), nn.Linear(4, 1))``, where ``forward`` of ``Block`` ends without ``return``."""
    told = " ".join(str(case.details.get(one, "")) for one in _TOLD)
    if "NoneType" not in told and case.details.get("value", UNKNOWN) is not None:
        return None
    outer, call = running(case)
    if outer is None or call is None or type(outer).__name__ != "Sequential":
        return None
    for kind in dict.fromkeys(type(one).__name__ for one in outer.modules()):
        function = Flow(case).methods(kind).get("forward")
        last = falls_through(function) if function is not None else None
        if function is None or last is None:
            continue
        fix = with_return(case, function, last, None)
        result = fix.title.en if fix is not None and fix.title.en.startswith("`return ") else "`return`"
        end = last.end_lineno or line(last)
        return finding(
            case,
            f"`forward` of `{kind}` ends on line {end} without a `return`, so inside of `{case.text(call.func)}` the next layer is given `None`."
            f" Give the result back at its end: {result}.",
            f"`{kind}` 的 `forward` 在第 {end} 行结束时没有 `return`，所以在 `{case.text(call.func)}` 里，下一层得到的是 `None`。请在末尾返回结果：{result}。",
            fix or (),
            last,
        )
    return None


@finds(errors.MODULE_NOT_BEGUN, errors.NO_ATTRIBUTE)
def _beginning_not_called(case: Case) -> Finding | None:
    """``super().__init__`` without brackets, or not at all."""
    node = case.find(ast.AST)
    owner = case.enclosing(node, ast.ClassDef) if node is not None else None
    kind = type(case.details.get("value")).__name__
    for one in [owner] if owner is not None else [each for each in case.nodes(ast.ClassDef) if each.name == kind]:
        for part in ast.walk(one):
            match part:
                case ast.Expr(value=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__") as named):
                    pass
                case _:
                    continue
            text = f"{case.text(named)}()"
            return finding(
                case,
                f"Line {line(named)} only names {code(case, named)}: without round brackets behind it nothing is called, and the module is not set up"
                f" when it is given its parts. Call it: `{text}`.",
                f"第 {line(named)} 行只写出了 {code(case, named)} 的名字：后面没有圆括号就没有调用，给模块放入各部分时它还没有准备好。请调用它：`{text}`。",
                case.fix(case.after(named, "()"), named),
                named,
            )
    maker = (
        next((part for part in owner.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"), None)
        if owner
        else None
    )
    if owner is None or maker is None:
        return None
    late = next((one for one in maker.body if "super().__init__(" in case.text(one)), None)
    if late is not None and isinstance(late, ast.Expr) and node is not None and late.lineno > line(node):
        return finding(
            case,
            f"Line {line(node)} gives the module a part before line {line(late)} calls `{case.text(late)}`, which makes room for parts. Move that call to the front of"
            f" `__init__`, above line {line(node)}.",
            f"第 {line(node)} 行在第 {line(late)} 行调用 `{case.text(late)}` 之前就给模块放入了部分，而正是它为各部分准备位置。请把这个调用移到 `__init__` 的最前面，"
            f"即第 {line(node)} 行之前。",
            begun(case, owner),
            late,
        )
    if "super(" in case.text(maker) or ".__init__(self" in case.text(maker):
        return None
    return finding(
        case,
        f"`{owner.name}.__init__` on line {line(maker)} never calls `super().__init__()`, which makes room for parameters and modules. Call it first there.",
        f"第 {line(maker)} 行的 `{owner.name}.__init__` 没有调用 `super().__init__()`，而它为参数和子模块准备位置。请在那里先调用它。",
        begun(case, owner),
        maker,
    )
