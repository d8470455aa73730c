"""A layer that was put in the place of another before the state of the whole was loaded."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.traps.edits import moved_behind
from gradflow.engine.namespace.nn.module import Module as Layer

_SIZES: Final = re.compile(
    r"size mismatch for (\S+): .*?torch\.Size\((\[.*?\])\) from .*? is torch\.Size\((\[.*?\])\)", re.DOTALL
)


@finds(errors.STATE_LOADING)
def _before_loading(case: Case) -> Finding | None:
    """``net.fc = nn.Linear(16, 5)``, and then ``net.load_state_dict(pretrained)`` of 1000 classes."""
    call = case.find(ast.Call)
    told = str(case.details.get("complaints", ""))
    sizes = _SIZES.findall(told)
    parts = {name.rpartition(".")[0] for name, *_ in sizes}
    if call is None or len(parts) != 1 or "key(s)" in told or not isinstance(call.func, ast.Attribute) or not call.args:
        return None
    owner, part = case.text(call.func.value), parts.pop()
    steps = part.split(".")
    ways = [".".join(steps[: at + 1]) for at in range(len(steps))]
    part, put = next(((way, found) for way in ways if (found := _put(case, call, f"{owner}.{way}"))), (part, None))
    name, saved, own = sizes[0]
    loading = case.statement(call)
    if put is None or loading is None or not isinstance(case.value(call.func.value), Layer):
        return None
    given = case.text(call.args[0])
    rest = f"{{name: value for name, value in {given}.items() if not name.startswith('{part}.')}}"
    strict = "" if any(one.arg == "strict" for one in call.keywords) else ", strict=False"
    first = apply(
        case,
        moved_behind(case, put, loading, before=True),
        f"Load in front of line {line(put)}",
        f"在第 {line(put)} 行之前加载",
    )
    without = apply(case, case.replace(call.args[0], f"{rest}{strict}"), f"Leave `{part}` out", f"不加载 `{part}`")
    return finding(
        case,
        f"Line {line(put)} puts {code(case, put.value)} in the place of `{part}` before line {line(call)} loads the state, so `{name}` is {own} there already, and {saved} in"
        f" the state. Load first, and put the other layer in behind it; or load the rest alone: `{rest}` with `strict=False`.",
        f"第 {line(put)} 行先用 {code(case, put.value)} 换掉了 `{part}`，第 {line(call)} 行才加载状态，所以这里的 `{name}` 已经是 {own}，而状态里是 {saved}。请先加载，再换上另一层；"
        f"或者只加载其余部分：`{rest}`，并写上 `strict=False`。",
        [first, without],
        put,
    )


def _put(case: Case, call: ast.Call, target: str) -> ast.Assign | None:
    """The assignment that put the layer there, before the call and in the same function."""
    flow = Flow(case)
    found = [
        one
        for one in case.nodes(ast.Assign)
        if target in [case.text(part) for part in one.targets] and flow.scope(one) is flow.scope(call)
    ]
    before = [one for one in found if one.lineno < call.lineno and isinstance(one.value, ast.Call)]
    return before[0] if len(before) == len(found) == 1 else None
