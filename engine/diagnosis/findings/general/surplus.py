"""More arguments than a function or a layer of PyTorch's takes."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.calls import definition_of
from gradflow.engine.diagnosis.findings.general.sources import names_of
from gradflow.engine.diagnosis.findings.words import code, finding
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes

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
