"""What stands in rows, lists and dictionaries of layers and is none."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, place
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import mistakes


@finds(errors.NO_MODULE_SUBCLASS)
def _given_as_list(case: Case) -> Finding | None:
    """``nn.Sequential(layers[:-1])``, ``nn.Sequential(make_layers())``: what is given holds the layers."""
    call = case.find(ast.Call)
    kind = str(case.details.get("given", ""))
    if (
        call is None
        or called(call) != "Sequential"
        or len(call.args) != 1
        or kind not in ("list", "tuple", "generator")
    ):
        return None
    given = call.args[0]
    if isinstance(given, ast.Starred | ast.Name | ast.List | ast.ListComp | ast.Tuple):
        return None  # told of elsewhere
    if isinstance(given, ast.GeneratorExp):
        return None
    text = f"*{case.text(given)}"
    where, where_zh = place(case, given)
    return finding(
        case,
        f"{code(case, given)}{where} is a `{kind}` of layers, and {code(case, call.func)} takes the layers one by one. Unpack it"
        " with a star:"
        f" `{case.text(call.func)}({text})`.",
        f"{code(case, given)}{where_zh} 是装着各层的 `{kind}`，而 {code(case, call.func)} 要逐个给出各层。请用星号展开："
        f"`{case.text(call.func)}({text})`。",
        case.fix(case.before(given, "*"), call),
        given,
    )


@finds(mistakes.NOT_CALLABLE)
def _nothing_in_row(case: Case) -> Finding | None:
    """``nn.Sequential(..., nn.Dropout(p) if p else None)``."""
    if "NoneType" not in str(case.details.get("type", case.details.get("message", ""))):
        return None
    for call in case.nodes(ast.Call):
        if called(call) != "Sequential":
            continue
        for given in call.args:
            choice = isinstance(given, ast.IfExp) and any(
                isinstance(one, ast.Constant) and one.value is None for one in (given.body, given.orelse)
            )
            if not choice and not (isinstance(given, ast.Constant) and given.value is None):
                continue
            prefix = case.text(call.func).rpartition(".")[0]
            text = f"{prefix}.Identity()" if prefix else "Identity()"
            nothing = (
                next(one for one in (given.body, given.orelse) if isinstance(one, ast.Constant) and one.value is None)
                if isinstance(given, ast.IfExp)
                else given
            )
            when = (
                f", where {code(case, given.test)} does not hold"
                if isinstance(given, ast.IfExp) and nothing is given.orelse
                else ""
            )
            when_zh = f"（当 {code(case, given.test)} 不成立时）" if when and isinstance(given, ast.IfExp) else ""
            return finding(
                case,
                f"{code(case, given)} on line {line(given)} puts `None` among the layers{when}, and {code(case, call.func)} calls every"
                " one of them. Put a layer there that"
                f" hands its input on: `{text}`.",
                f"第 {line(given)} 行的 {code(case, given)} 把 `None` 放进了各层之中{when_zh}，而 {code(case, call.func)} 会逐个调用它们。"
                f"请放一个原样传递输入的层：`{text}`。",
                write(case, nothing, text),
                given,
            )
    return None


@finds(errors.MODULE_NAME_TYPE)
def _number_as_name(case: Case) -> Finding | None:
    """``nn.ModuleDict({i: ...})``."""
    call = case.find(ast.Call)
    table = next(
        (one for one in (call.args if call is not None else ()) if isinstance(one, ast.Dict | ast.DictComp)), None
    )
    if call is None:
        return None
    key = (
        table.key
        if isinstance(table, ast.DictComp)
        else next((one for one in table.keys if one is not None), None)
        if table is not None
        else None
    )
    name = key if key is not None else (call.args[0] if call.args else None)
    if name is None:
        return None
    text = f'"{name.value!s}"' if isinstance(name, ast.Constant) else f"str({case.text(name)})"
    keys = [one for one in table.keys if isinstance(one, ast.Constant)] if isinstance(table, ast.Dict) else []
    edits = [edit for one in keys for edit in case.replace(one, f'"{one.value!s}"')] or case.replace(name, text)
    return finding(
        case,
        f"{code(case, call.func)} keeps each layer under a name, a text, and {code(case, name)} is none. Write `{text}`, here and"
        " where it is looked up.",
        f"{code(case, call.func)} 用名字（字符串）保存每一层，而 {code(case, name)} 不是字符串。请在这里和查找的地方都写 `{text}`。",
        case.fix(edits, call),
        name,
    )


@finds(errors.NO_METHOD)
def _without_bias(case: Case) -> Finding | None:
    """``nn.init.zeros_(layer.bias)`` of a layer that was made with ``bias=False``."""
    call = case.find(ast.Call)
    given = call.args[0] if call is not None and call.args else None
    if call is None or not isinstance(given, ast.Attribute) or "NoneType" not in str(case.details.get("type", "")):
        return None
    made = definition(case, given.value)
    flags = [
        (one, word)
        for one in case.nodes(ast.Call)
        for word in one.keywords
        if word.arg in ("bias", "affine", "elementwise_affine")
        and isinstance(word.value, ast.Constant)
        and word.value.value is False
    ]
    own = [pair for pair in flags if pair[0] is made] or flags
    if not own:
        return None
    maker, word = own[0]
    text = f"if {case.text(given)} is not None: {case.text(call)}"
    statement = case.statement(call)
    alone = (
        isinstance(statement, ast.Expr)
        and statement.value is call
        and case.line(line(statement)).strip() == case.text(statement)
    )
    return finding(
        case,
        f"{code(case, given)} is `None`: {code(case, maker)} on line {line(maker)} is made with `{case.text(word)}`. Leave this"
        " line out, or run it only where there is"
        f" one: `if {case.text(given)} is not None:`.",
        f"{code(case, given)} 是 `None`：第 {line(maker)} 行的 {code(case, maker)} 用了 `{case.text(word)}`。请去掉这一行，"
        f"或只在有值时运行：`if {case.text(given)} is not None:`。",
        apply(
            case,
            case.replace(call, text),
            f"`if {case.text(given)} is not None:`",
            f"`if {case.text(given)} is not None:`",
        )
        or ()
        if alone
        else (),
        word.value,
    )
