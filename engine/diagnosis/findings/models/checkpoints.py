"""What was saved whole and is loaded as weights: objects that ``torch.load`` refuses unless it is told to trust them."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine.diagnosis.case import UNKNOWN, Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of

_REFUSED: Final = re.compile(r"Weights only load failed.*Unsupported global: GLOBAL (\S+) was", re.DOTALL)


@finds(python.UNCLASSIFIED)
def _saved_whole(case: Case) -> Finding | None:
    """``torch.save(model, path)`` and ``torch.load(path)``."""
    refused = _REFUSED.search(str(case.details.get("message", "")))
    call = case.find(ast.Call)
    if refused is None or call is None or called(call) != "load" or not call.args:
        return None
    name = refused[1].rpartition(".")[2]
    saved = _save_of(case, call.args[0])
    subject, subject_zh = _what(case, saved, name)
    given = next((one for one in call.keywords if one.arg == "weights_only"), None)
    edits = case.argument(call, "weights_only=False") if given is None else case.replace(given.value, "False")
    default, default_zh = (" by default", "默认") if given is None else ("", "")
    return finding(
        case,
        f"{code(case, call)} on line {line(call)} reads only tensors and plain data{default} (`weights_only=True`), and {subject}. The file is your own, so"
        f" let it load whole objects: `weights_only=False`.",
        f"第 {line(call)} 行的 {code(case, call)} {default_zh}只读取张量和普通数据（`weights_only=True`），而{subject_zh}。文件是自己写的，可以信任，请允许读取整个对象：`weights_only=False`。",
        case.fix(edits, call),
        call,
    )


def _save_of(case: Case, file: ast.expr) -> ast.Call | None:
    """The one call that saved what is loaded."""
    wanted = case.value(file)
    saves = [
        one
        for one in case.nodes(ast.Call)
        if called(one) == "save" and _is_file(case, argument_of(one, 1, "f"), file, wanted)
    ]
    return saves[0] if len(saves) == 1 else None


def _is_file(case: Case, given: ast.expr | None, file: ast.expr, wanted: object) -> bool:
    if given is None:
        return False
    value = case.value(definition(case, given))
    return case.text(given) == case.text(file) or (value is not UNKNOWN and isinstance(wanted, str) and value == wanted)


def _what(case: Case, saved: ast.Call | None, name: str) -> tuple[str, str]:
    """What stands in the file that is more than data, in both languages."""
    held = argument_of(saved, 0, "obj") if saved is not None else None
    if saved is None or held is None:
        return f"the file holds an object of the class `{name}`", f"文件里有类 `{name}` 的对象"
    if isinstance(case.value(held), Layer):
        return (
            f"{code(case, saved)} on line {line(saved)} saved the whole model, an object of the class `{name}`",
            f"第 {line(saved)} 行的 {code(case, saved)} 保存了整个模型，即类 `{name}` 的对象",
        )
    return (
        f"{code(case, saved)} on line {line(saved)} saved an object of `{name}` in the file",
        f"第 {line(saved)} 行的 {code(case, saved)} 在文件里保存了 `{name}` 的对象",
    )
