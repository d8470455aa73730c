"""A graphics card that the program asks for on another line than the one that fails: a setting, a default, an argument."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.trace import Edit

_SWITCHES = frozenset({"autocast", "GradScaler", "print", "manual_seed_all"})
"""Calls that take the name of a card and work without one."""


@finds(errors.NO_CUDA)
def _chosen_elsewhere(case: Case) -> Finding | None:
    """``device: str = 'cuda'`` in a class of settings, and ``net.to(cfg.device)`` further down."""
    call = case.find(ast.Call)
    asked = _device_of(call) if call is not None else None
    if asked is None or any(_moves(one) for one in case.nodes(ast.Call)):
        return None
    texts = list(_card_texts(case))
    behind = set(Flow(case).behind(asked))
    known = [one for one in texts if one in behind] or [one for one in texts if _kept_as(case, one) == _last(asked)]
    known = known or (texts if len(texts) == 1 else [])
    if not known or known[0] is asked or line(known[0]) == case.span.line:
        return None
    text = known[0]
    if (switched := _switched(case, text, asked)) is not None:
        return switched
    torch, imports = case.with_torch()
    quote = case.text(text)[-1:]
    chosen = f"{case.text(text)} if {torch}.cuda.is_available() else {quote}cpu{quote}"
    edits = list(imports)
    for one in texts:
        edits += case.after(one, f" if {torch}.cuda.is_available() else {quote}cpu{quote}")
    others = [one for one in texts if line(one) != line(text)]
    more = f" (lines {', '.join(str(line(one)) for one in others)} do the same)" if others else ""
    more_zh = f"（第 {'、'.join(str(line(one)) for one in others)} 行也是如此）" if others else ""
    return finding(
        case,
        f"Line {line(text)} fixes the device to {code(case, text)}{more}, line {line(asked)} takes it as {code(case, asked)}, and there is no CUDA here."
        f" Choose it on line {line(text)} by what there is: `{chosen}`.",
        f"第 {line(text)} 行把设备写死为 {code(case, text)}{more_zh}，第 {line(asked)} 行通过 {code(case, asked)} 用到它，而这里没有 CUDA。请在第 {line(text)} 行按实际情况"
        f"选择：`{chosen}`。",
        apply(case, edits, f"`{chosen}`", f"`{chosen}`"),
        text,
    )


def _device_of(call: ast.Call) -> ast.expr | None:
    """What a call is given as the device."""
    given = next((one.value for one in call.keywords if one.arg == "device"), None)
    if given is None and called(call) in ("to", "set_default_device", "device"):
        return argument_of(call, 0, "device")
    return given


def _moves(call: ast.Call) -> bool:
    """``x.cuda()``, which asks for a card by itself."""
    match call.func:
        case ast.Attribute(value=owner, attr="cuda"):
            return getattr(owner, "attr", "") != "cuda"
    return False


def _card_texts(case: Case) -> Iterator[ast.expr]:
    """The texts of the program that name a card and are used as a device, as they stand."""
    for node in case.nodes(ast.expr):
        match node:
            case ast.Constant(value=str(name)) if name.partition(":")[0] == "cuda" and not _is_formatted(case, node):
                pass
            case ast.JoinedStr(values=[ast.Constant(value="cuda:"), *_]):
                pass
            case _:
                continue
        if _is_given(case, node) and not _is_asked_for(case, node):
            yield node


def _is_formatted(case: Case, node: ast.expr) -> bool:
    return isinstance(case.parents.get(node), ast.JoinedStr)


def _is_given(case: Case, node: ast.expr) -> bool:
    """Whether a text has a name or is given to a call."""
    match case.parents.get(node):
        case ast.Call() as call:
            return called(call) not in _SWITCHES and node in call.args
        case ast.keyword() as keyword:
            outer = case.parents.get(keyword)
            return isinstance(outer, ast.Call) and called(outer) not in _SWITCHES and keyword.arg != "help"
        case ast.Assign() | ast.AnnAssign() | ast.arguments() | ast.IfExp():
            return True
        case ast.Dict(values=values):
            return node in values
    return False


def _is_asked_for(case: Case, node: ast.expr) -> bool:
    """Whether it is taken only where there is a card."""
    current = case.parents.get(node)
    while isinstance(current, ast.expr | ast.keyword | ast.If):
        test = current.test if isinstance(current, ast.IfExp | ast.If) else None
        if test is not None and "is_available" in ast.unparse(test):
            return True
        current = case.parents.get(current)
    return isinstance(current, ast.If) and "is_available" in ast.unparse(current.test)


def _kept_as(case: Case, node: ast.expr) -> str:
    """The name, the attribute, or the key under which a text is kept."""
    outer = case.parents.get(node)
    if isinstance(outer, ast.Call) and called(outer) == "device":
        node, outer = outer, case.parents.get(outer)
    match outer:
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
            return _last(target)
        case ast.keyword(arg=str(name)):
            asked = case.parents.get(outer)
            first = asked.args[0] if isinstance(asked, ast.Call) and asked.args and name == "default" else None
            option = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else name
            return option.lstrip("-").replace("-", "_")
        case ast.Dict(keys=keys, values=values):
            key = keys[values.index(node)]
            return str(key.value) if isinstance(key, ast.Constant) else ""
    return ""


def _last(node: ast.expr) -> str:
    """The last name of an expression: ``device`` of ``cfg.device`` and of ``cfg["device"]``."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
            return name
    return "?"


def _switched(case: Case, text: ast.expr, asked: ast.expr) -> Finding | None:
    """``use_cuda = True``, and ``'cuda' if use_cuda else 'cpu'``."""
    outer = case.parents.get(text)
    if not isinstance(outer, ast.IfExp):
        return None
    torch, imports = case.with_torch()
    wanted = f"{torch}.cuda.is_available()"
    made = (
        next(iter(Flow(case).assigned(outer.test, outer.test.id)), None) if isinstance(outer.test, ast.Name) else None
    )
    if not isinstance(made, ast.Constant) or made.value not in (True, 1) or outer.body is not text:
        return None
    name = case.text(outer.test)
    edits: list[Edit] = [*imports, *case.replace(made, wanted)]
    return finding(
        case,
        f"`{name}` is set to {code(case, made)} on line {line(made)}, so line {line(text)} takes {code(case, text)} for {code(case, asked)}, and there is no CUDA"
        f" here. Ask whether there is a card: `{name} = {wanted}`.",
        f"第 {line(made)} 行把 `{name}` 设成了 {code(case, made)}，所以第 {line(text)} 行给 {code(case, asked)} 选了 {code(case, text)}，而这里没有 CUDA。请询问有没有显卡："
        f"`{name} = {wanted}`。",
        apply(case, edits, f"`{name} = {wanted}`", f"`{name} = {wanted}`"),
        made,
    )
