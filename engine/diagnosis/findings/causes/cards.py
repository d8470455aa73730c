"""A graphics card that the program asks for on another line than the one that fails: a setting, a default, an argument."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, apply_edits, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, text_with
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.devices import is_available
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.trace import Edit

_SWITCHES = frozenset({"autocast", "GradScaler", "print", "manual_seed_all"})
"""Calls that take the name of a card and work without one."""


@finds(errors.NO_CUDA)
def _chosen_elsewhere(case: Case) -> Finding | None:
    """``device: str = 'cuda'`` in a class of settings, and ``net.to(cfg.device)`` further down."""
    call = case.find(ast.Call)
    if call is not None and moves(call):
        return _within_condition(case, call) or _chosen_already(case, call)
    asked = _device_of(call) if call is not None else None
    if asked is None or any(moves(one) and case.enclosing(one, ast.If) is None for one in case.nodes(ast.Call)):
        return None
    texts = list(card_texts(case))
    behind = set(Flow(case).behind(asked))
    known = [one for one in texts if one in behind] or [one for one in texts if _kept_as(case, one) == _last(asked)]
    known = known or (texts if len(texts) == 1 else [])
    if not known or known[0] is asked or line(known[0]) == case.span.line:
        return None
    text = known[0]
    if (switched := _switched(case, text, asked)) is not None:
        return switched
    torch, imports = case.with_torch()
    quote = next((one for one in reversed(case.text(text)) if one in "\"'"), '"')
    chosen = f"{case.text(text)} if {torch}.cuda.is_available() else {quote}cpu{quote}"
    edits = list(imports)
    for one in texts:
        outer = case.parents.get(one)
        if isinstance(outer, ast.IfExp) and outer.body is one:
            either = isinstance(outer.test, ast.BoolOp | ast.IfExp | ast.Lambda)
            edits += case.wrapped(outer.test, "(", ")") if either else []
            edits += case.after(outer.test, f" and {torch}.cuda.is_available()")
        else:
            edits += case.after(one, f" if {torch}.cuda.is_available() else {quote}cpu{quote}")
    around = case.parents.get(text)
    if isinstance(around, ast.IfExp) and around.body is text:
        chosen = apply_edits(case.program.source, edits, case.program.span_of(around))
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
    if given is None:
        given = next((one.value for one in call.keywords if one.arg is None), None)
    if given is None and called(call) in ("to", "set_default_device", "device"):
        return argument_of(call, 0, "device")
    return given


def moves(call: ast.Call) -> bool:
    """``x.cuda()``, which asks for a card by itself."""
    match call.func:
        case ast.Attribute(value=owner, attr="cuda"):
            return getattr(owner, "attr", "") != "cuda"
    return False


def card_texts(case: Case) -> Iterator[ast.expr]:
    """The texts of the program that name a card and are used as a device, as they stand."""
    for node in case.nodes(ast.expr):
        match node:
            case ast.Constant(value=str(name)) if name.partition(":")[0] == "cuda" and not _is_formatted(case, node):
                pass
            case ast.JoinedStr(values=[ast.Constant(value="cuda:"), *_]):
                pass
            case ast.BinOp(left=ast.Constant(value=str(name)), op=ast.Mod()) if name.startswith("cuda:"):
                pass
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(name)), attr="format")) if name.startswith(
                "cuda:"
            ):
                pass
            case _:
                continue
        if _is_given(case, node) and not _is_asked_for(case, node):
            yield node


def _is_formatted(case: Case, node: ast.expr) -> bool:
    return isinstance(case.parents.get(node), ast.JoinedStr | ast.BinOp | ast.Attribute)


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
        if isinstance(current, ast.IfExp | ast.If) and "is_available" in ast.unparse(current.test):
            return is_available(current.test)
        current = case.parents.get(current)
    return False


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
    match outer.test:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Call() as inside) if "is_available" in case.text(inside):
            return _wrong_way_round(case, text, asked, outer, inside)
    made = (
        next(iter(Flow(case).assigned(outer.test, outer.test.id)), None)
        if isinstance(outer.test, ast.Name)
        else outer.test
    )
    if not isinstance(made, ast.Constant) or made.value not in (True, 1) or outer.body is not text:
        return None
    name = case.text(outer.test)
    if made is outer.test:
        right = text_with(case, outer, made, wanted)
        return finding(
            case,
            f"The condition on line {line(made)} is always {code(case, made)}, so {code(case, asked)} is {code(case, text)}, and there is no CUDA here. Ask whether"
            f" there is a card: `{right}`.",
            f"第 {line(made)} 行的条件始终是 {code(case, made)}，所以 {code(case, asked)} 是 {code(case, text)}，而这里没有 CUDA。请询问有没有显卡：`{right}`。",
            apply(case, [*imports, *case.replace(made, wanted)], f"`{right}`", f"`{right}`"),
            made,
        )
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


def _wrong_way_round(case: Case, text: ast.expr, asked: ast.expr, outer: ast.IfExp, inside: ast.expr) -> Finding:
    """``'cuda' if not torch.cuda.is_available() else 'cpu'``."""
    right = text_with(case, outer, outer.test, case.text(inside))
    return finding(
        case,
        f"Line {line(text)} takes {code(case, text)} for {code(case, asked)} where there is no CUDA, as here, and {code(case, outer.orelse)} where there is: the"
        f" condition is the wrong way round. Leave `not` out: `{right}`.",
        f"第 {line(text)} 行在没有 CUDA 时（这里正是如此）给 {code(case, asked)} 选了 {code(case, text)}，有 CUDA 时反而选 {code(case, outer.orelse)}：条件写反了。请去掉"
        f" `not`：`{right}`。",
        case.fix(case.replace(outer.test, case.text(inside)), outer),
        outer,
    )


def _within_condition(case: Case, call: ast.Call) -> Finding | None:
    """``if use_cuda: net.cuda()`` of a switch that is set to True, or of a device that is written down."""
    branch = case.enclosing(call, ast.If)
    if branch is None:
        return None
    match branch.test:
        case ast.Name() as switch:
            pass
        case ast.Compare(left=ast.Name() as switch, ops=[ast.Eq()], comparators=[ast.Constant(value="cuda")]):
            pass
        case _:
            return None
    made = next(iter(Flow(case).assigned(switch, switch.id)), None)
    if not isinstance(made, ast.Constant) or made.value not in (True, "cuda"):
        return None
    torch, imports = case.with_torch()
    available, quote = f"{torch}.cuda.is_available()", case.text(made)[-1:]
    chosen = available if made.value is True else f"{case.text(made)} if {available} else {quote}cpu{quote}"
    return finding(
        case,
        f"Line {line(made)} sets `{switch.id}` to {code(case, made)}, so line {line(call)} asks for a card, and there is no CUDA here. Ask whether there is one,"
        f" on line {line(made)}: `{switch.id} = {chosen}`.",
        f"第 {line(made)} 行把 `{switch.id}` 设成了 {code(case, made)}，所以第 {line(call)} 行要用显卡，而这里没有 CUDA。请在第 {line(made)} 行询问有没有显卡："
        f"`{switch.id} = {chosen}`。",
        apply(case, [*case.replace(made, chosen), *imports], f"`{switch.id} = {chosen}`", f"`{switch.id} = {chosen}`"),
        made,
    )


def _chosen_already(case: Case, call: ast.Call) -> Finding | None:
    """``noise.cuda()`` in a program that has chosen its ``device`` by what there is."""
    chosen = [
        statement
        for statement in case.program.tree.body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
        and any(isinstance(one, ast.IfExp) and is_available(one.test) for one in ast.walk(statement.value))
    ]
    if len(chosen) != 1 or not isinstance(call.func, ast.Attribute) or line(chosen[0]) > line(call):
        return None
    name = case.text(chosen[0].targets[0])
    calls = [one for one in case.nodes(ast.Call) if moves(one) and case.enclosing(one, ast.If) is None]
    edits = [Edit(edit.span, f".to({name})") for one in calls for edit in case.without_tail(one)]
    text = f"{case.text(call.func).rpartition('.')[0]}.to({name})"
    return finding(
        case,
        f"`.cuda()` on line {line(call)} asks for a graphics card whether there is one or not, and there is none here. Line {line(chosen[0])} has chosen"
        f" `{name}` by what there is; write `{text}`.",
        f"第 {line(call)} 行的 `.cuda()` 不管有没有显卡都要用显卡，而这里没有。第 {line(chosen[0])} 行已经按实际情况选好了 `{name}`；请写成 `{text}`。",
        apply(case, edits, f"`{text}`", f"`{text}`"),
        call,
    )
