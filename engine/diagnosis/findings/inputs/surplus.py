"""More arguments than a function or a layer of PyTorch's takes."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import Final

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.calls import definition_of
from gradflow.engine.diagnosis.findings.general.sources import names_of
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import FIXERS, finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes
from gradflow.engine.trace import Text

_COUNTS: Final = re.compile(r"takes (?:from \d+ to )?(\d+) positional arguments? but (\d+) (?:was|were) given")


@finds(mistakes.NEEDS_SELF, mistakes.TAKES_NO_ARGUMENTS)
def _of_pytorch(case: Case) -> Finding | None:
    """``nn.Linear(4, 2)(x, y)``."""
    call, told = case.find(ast.Call), _COUNTS.search(str(case.details.get("message", "")))
    if call is None or told is None or definition_of(case) is not None or Flow(case).called(call):
        return None
    more = int(told[2]) - int(told[1])
    takes = max(len(call.args) - more, 0)
    if more < 1 or more > len(call.args) or call.keywords or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    extra = call.args[takes:]
    listed, listed_zh = names_of([case.text(one) for one in extra])
    inside = ", ".join(case.text(one) for one in call.args[:takes])
    text = f"{case.text(call.func)}({inside})"
    return finding(
        case,
        f"{code(case, call.func)} takes {takes} argument{'s' * (takes != 1)} there, and this call gives {len(call.args)}; {listed} {'is' if more == 1 else 'are'} too"
        f" much. Leave {'it' if more == 1 else 'them'} out: `{text}`.",
        f"{code(case, call.func)} 在这里只接受 {takes} 个参数，而这次调用给了 {len(call.args)} 个，{listed_zh} 是多余的。请去掉：`{text}`。",
        case.fix(case.replace(call, text), call) or (),
    )


@finds(mistakes.NEEDS_SELF)
def _without_self(case: Case) -> Finding | None:
    """``def forward(x)`` in a class."""
    owner_name, _, name = str(case.details.get("function")).rpartition(".")
    for function in case.nodes(ast.FunctionDef):
        owner = case.parents.get(function)
        if not isinstance(owner, ast.ClassDef) or function.name != name or owner.name != owner_name.rpartition(".")[2]:
            continue
        parameters = [one.arg for one in function.args.args]
        if (
            function.decorator_list
            or parameters[:1] in (["self"], ["cls"])
            or function.args.kwonlyargs
            or function.args.vararg
        ):
            return None
        uses = any(isinstance(one, ast.Name) and one.id == "self" for one in ast.walk(function))
        if parameters and not uses and len(parameters) > 1:
            return None
        fixer = FIXERS.get(mistakes.NEEDS_SELF.code)
        text = f"def {name}({', '.join(['self', *parameters])})"
        fix = fixer(case) if fixer is not None else None
        shown = replace(fix, title=Text(f"`{text}`", f"`{text}`")) if fix is not None else None
        return finding(
            case,
            f"`{name}` of `{owner.name}` on line {line(function)} has no parameter for the object itself, which every method is given first, so one"
            f" argument more arrives than it takes. Write `{text}`.",
            f"第 {line(function)} 行 `{owner.name}` 的 `{name}` 没有为对象本身留参数，而每个方法的第一个参数都是对象，所以收到的参数比它接受的多一个。请写"
            f" `{text}`。",
            shown,
            function,
        )
    return None
