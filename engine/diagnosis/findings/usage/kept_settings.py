"""Settings that a module keeps where the layer itself is meant: ``self.dropout = dropout`` and ``self.dropout(x)``."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import mistakes

_ACTIVATIONS: Final = {
    "relu": "ReLU()",
    "gelu": "GELU()",
    "tanh": "Tanh()",
    "sigmoid": "Sigmoid()",
    "elu": "ELU()",
    "silu": "SiLU()",
    "leaky_relu": "LeakyReLU()",
    "softplus": "Softplus()",
}


@finds(mistakes.NOT_CALLABLE)
def _setting_called(case: Case) -> Finding | None:
    """A number or a text that ``__init__`` keeps, called like a layer in ``forward``."""
    call = case.find(ast.Call)
    function = call.func if call is not None else None
    if call is None or not call.args or not isinstance(function, ast.Attribute) or case.text(function.value) != "self":
        return None
    held, owner = case.value(function), case.enclosing(function, ast.ClassDef)
    kept = [
        one
        for one in case.nodes(ast.Assign)
        if owner is case.enclosing(one, ast.ClassDef) and case.text(one.targets[0]) == case.text(function)
    ]
    if len(kept) != 1 or type(held) not in (int, float, str) or isinstance(kept[0].value, ast.Call):
        return None
    nn = next((name for name in ("nn", "torch.nn") if name.partition(".")[0] in case.values), "torch.nn")
    given, layer = case.text(kept[0].value), ""
    if type(held) is float and 0 <= held < 1 and re.search(r"drop", function.attr, re.IGNORECASE):
        layer = f"{nn}.Dropout({given})"
    elif isinstance(held, str) and held.lower() in _ACTIVATIONS:
        layer = f"{nn}.{_ACTIVATIONS[held.lower()]}"
    what, what_zh = ("a text", "字符串") if isinstance(held, str) else ("a number", "数")
    meant = f"{case.text(function)} = {layer}"
    do, do_zh = (f"Keep the layer there: `{meant}`", f"请在那里保存层：`{meant}`") if layer else _TO_KEEP
    return finding(
        case,
        f"Line {line(kept[0])} keeps {what}, {held!r}, under {code(case, function)}, and line {line(function)} calls it like a layer. {do}.",
        f"第 {line(kept[0])} 行在 {code(case, function)} 里保存的是{what_zh} {held!r}，而第 {line(function)} 行像调用层那样调用它。{do_zh}。",
        apply(case, case.replace(kept[0].value, layer), f"`{meant}`", f"`{meant}`") if layer else (),
        kept[0],
    )


_TO_KEEP: Final = (
    "Keep what is to be called under that name, and the setting under another one",
    "请用这个名字保存要调用的对象，用另一个名字保存设置",
)
