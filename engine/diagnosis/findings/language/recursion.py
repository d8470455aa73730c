"""What calls itself without an end: which function, from which line, and what it was meant to do there."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.trace import Frame

_MANY = 100
"""A number that is further from 0 at the end of a recursion may be a count of its calls."""


@finds(python.RECURSION)
def _endless(case: Case) -> Finding | None:
    """The turn that the calls go round in, told by what stands in it."""
    turn = turn_of(case.frames)
    functions = [one for frame in turn if (one := _function(case, frame)) is not None]
    nodes = [case.find(ast.expr, frame.span) for frame in turn if frame.span is not None]
    if not turn or len(functions) != len(turn) or None in nodes:
        return None
    function, node = functions[0], nodes[0]
    if node is None:
        return None
    if len(turn) > 1:
        return _in_turns(case, turn, functions, [one for one in nodes if one is not None])
    if function.name == "__getattr__":
        return _attribute(case, function, node)
    if any(case.text(one) in ("property", "cached_property") for one in function.decorator_list):
        return _property(case, function, node)
    owner = case.parents.get(function)
    if isinstance(owner, ast.ClassDef) and function.name == "__init__":
        return _made_again(case, owner, node)
    if isinstance(owner, ast.ClassDef) and function.name == "forward" and _calls_itself(node):
        return _forward(case, owner, node)
    return _function_again(case, function, node)


def turn_of(frames: Sequence[Frame]) -> Sequence[Frame]:
    """The frames that come again and again, the first of them once."""
    end = len(frames)
    for last in range(end - 1, max(end - 12, 0), -1):
        before = next((at for at in range(last - 1, max(last - 6, 0), -1) if frames[at] == frames[last]), None)
        if before is not None and frames[before - 1] == frames[last - 1]:
            return frames[before:last]
    return ()


def _function(case: Case, frame: Frame) -> ast.FunctionDef | None:
    node = case.find(ast.AST, frame.span) if frame.span is not None else None
    return case.enclosing(node, ast.FunctionDef) if node is not None else None


def _calls_itself(node: ast.expr) -> bool:
    match node:
        case (
            ast.Call(func=ast.Name(id="self")) | ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr="forward"))
        ):
            return True
    return False


def _attribute(case: Case, function: ast.FunctionDef, node: ast.expr) -> Finding | None:
    """``self.module`` in ``__getattr__``, which is asked for all that is not found otherwise."""
    read = next(
        (one for one in ast.walk(node) if isinstance(one, ast.Attribute) and case.text(one.value) == "self"), None
    )
    owner = case.parents.get(function)
    if read is None or not isinstance(owner, ast.ClassDef):
        return None
    layer = any(isinstance(case.value(base), type) and issubclass(case.value(base), Layer) for base in owner.bases)  # type: ignore[arg-type]
    name = function.args.args[-1].arg
    statement = case.statement(node)
    if not layer:
        return finding(
            case,
            f"`__getattr__` runs for every attribute that is not found, and `{case.text(read)}` on line {line(read)} is one of these"
            " here, so it runs again for that,"
            f" without an end. Set `{case.text(read)}` in `__init__` before anything reads it, or read it past `__getattr__`:"
            f" `self.__dict__[{read.attr!r}]`.",
            f"凡是找不到的属性都会运行 `__getattr__`，而第 {line(read)} 行的 `{case.text(read)}` 在这里也找不到，所以它又为此运行，"
            "没有尽头。请在 `__init__` 里、读取之前先设置"
            f" `{case.text(read)}`，或者绕过 `__getattr__` 读取：`self.__dict__[{read.attr!r}]`。",
            (),
            read,
        )
    edits = []
    if isinstance(statement, ast.Return) and (span := case.program.span_of(statement)) is not None:
        pad = " " * span.column
        text = f"try:\n{pad}    return super().__getattr__({name})\n{pad}except AttributeError:\n{pad}    {case.text(statement)}"
        edits = case.replace(statement, text)
    return finding(
        case,
        f"A module keeps its layers in a place of their own, so `{case.text(read)}` on line {line(read)} is looked up by"
        " `__getattr__`, too: the"
        f" class has its own one, which asks for `{case.text(read)}` again, without an end. Ask the module first,"
        f" `super().__getattr__({name})`, and go on to `{case.text(read)}` only when that raises `AttributeError`.",
        f"模块把层存放在专门的地方，所以第 {line(read)} 行的 `{case.text(read)}` 也要由 `__getattr__` 查找：这个类有自己的"
        f" `__getattr__`，它又去问 `{case.text(read)}`，没有"
        f"尽头。请先问模块本身 `super().__getattr__({name})`，只在它引发 `AttributeError` 时才去看 `{case.text(read)}`。",
        apply(case, edits, f"`super().__getattr__({name})` first", f"先用 `super().__getattr__({name})`") or (),
        read,
    )


def _property(case: Case, function: ast.FunctionDef, node: ast.expr) -> Finding | None:
    """``return self.device`` in the property ``device``."""
    own = f"self.{function.name}"
    if not any(case.text(one) == own for one in ast.walk(node) if isinstance(one, ast.Attribute)):
        return None
    meant = {"device": "next(self.parameters()).device", "dtype": "next(self.parameters()).dtype"}.get(function.name)
    text = meant or f"self._{function.name}"
    statement = case.statement(node)
    whole = case.text(node) == own
    kept = any(
        isinstance(one, ast.Attribute) and one.attr == f"_{function.name}" and isinstance(one.ctx, ast.Store)
        for one in case.nodes(ast.Attribute)
    )
    return finding(
        case,
        f"`{function.name}` is a property (line {line(function)}), and line {line(node)} reads `{own}` to compute it, which runs"
        " the property again, without"
        f" an end. {'Compute it from something else' if meant else 'Keep the value under another name'}: `{text}`.",
        f"`{function.name}` 是属性方法（第 {line(function)} 行），而第 {line(node)} 行为了计算它又读取 `{own}`，于是再次运行，"
        "没有尽头。请"
        f"{'用别的东西来计算' if meant else '把值保存在另一个名字里'}：`{text}`。",
        case.fix(case.replace(node, text), statement) if whole and (meant or kept) else (),
        node,
    )


def _so_far(value: object) -> tuple[str, str]:
    """A value at the depth where it ended: what counts the calls depends on how deep Python goes, and is told roughly."""
    if isinstance(value, int | float) and abs(value) >= _MANY:
        return ("far below 0", "远小于 0") if value < 0 else ("far above 100", "远大于 100")
    return f"{value!r}", f"是 {value!r}"


def _made_again(case: Case, owner: ast.ClassDef, node: ast.expr) -> Finding | None:
    """``self.left = Node(depth - 1)`` in every ``Node``."""
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call) and case.text(one.func) == owner.name]
    if not calls:
        return None
    used = [one.id for one in ast.walk(calls[0]) if isinstance(one, ast.Name) and one.id != owner.name]
    counter = next((one for one in used if type(case.values.get(one)) is int), None)
    bounded = case.enclosing(calls[0], ast.If) is not None or case.enclosing(calls[0], ast.IfExp) is not None
    far, far_zh = _so_far(case.values.get(counter or ""))
    held = f" (`{counter}` is {far} by now)" if counter else ""
    held_zh = f"（`{counter}` 现在{far_zh}）" if counter else ""
    until = f"`if {counter} > 0:`" if counter else "`if ...:`"
    what = "its condition is always met" if bounded else "nothing ends it"
    what_zh = "它的条件始终成立" if bounded else "没有任何东西让它停下"
    return finding(
        case,
        f"{code(case, calls[0])} on line {line(calls[0])} makes another `{owner.name}` inside of every `{owner.name}`, and"
        f" {what}{held}. Make one only while there is"
        f" something left to make: {until}.",
        f"第 {line(calls[0])} 行的 {code(case, calls[0])} 在每个 `{owner.name}` 里又创建一个 `{owner.name}`，而{what_zh}{held_zh}。"
        f"请只在还需要时才创建：{until}。",
        (),
        calls[0],
    )


def _forward(case: Case, owner: ast.ClassDef, node: ast.expr) -> Finding | None:
    """``return self(x)`` at the end of ``forward``."""
    statement = case.statement(node)
    args = node.args if isinstance(node, ast.Call) else []
    ends = isinstance(statement, ast.Return) and statement.value is node and len(args) == 1
    text = case.text(args[0]) if ends else ""
    return finding(
        case,
        f"{code(case, node)} on line {line(node)} calls the module itself, which runs `forward` of `{owner.name}` again, without"
        " an end. "
        + (
            f"Give the result back, `return {text}`, or call the layer that was meant: `self.layer(...)`."
            if ends
            else "Call the layer that was meant: `self.layer(...)`."
        ),
        f"第 {line(node)} 行的 {code(case, node)} 调用的是模块自己，会再次运行 `{owner.name}` 的 `forward`，没有尽头。"
        + (
            f"请直接返回结果 `return {text}`，或者调用真正想用的层：`self.layer(...)`。"
            if ends
            else "请调用真正想用的层：`self.layer(...)`。"
        ),
        case.fix(case.replace(node, text), statement) if ends else (),
        node,
    )


def _in_turns(
    case: Case, turn: Sequence[Frame], functions: Sequence[ast.FunctionDef], nodes: Sequence[ast.expr]
) -> Finding:
    """Two functions that call each other."""
    steps = [
        f"`{frame.function}` calls {code(case, node)} on line {line(node)}"
        for frame, node in zip(turn, nodes, strict=True)
    ]
    steps_zh = [
        f"`{frame.function}` 在第 {line(node)} 行调用 {code(case, node)}"
        for frame, node in zip(turn, nodes, strict=True)
    ]
    return finding(
        case,
        f"The calls go in a circle without an end: {', and '.join(steps)}. Take one of these calls away, or put a condition before"
        " it under which the"
        f" circle ends.",
        f"这些调用在绕圈，没有尽头：{'，而 '.join(steps_zh)}。请去掉其中一个调用，或在它前面加上结束的条件。",
        (),
        nodes[0],
    )


def _function_again(case: Case, function: ast.FunctionDef, node: ast.expr) -> Finding:
    """``def f(n): return n * f(n - 1)``."""
    tests = [one.test for one in ast.walk(function) if isinstance(one, ast.If | ast.IfExp | ast.While)]
    names = [one.arg for one in function.args.args if one.arg not in ("self", "cls")]
    shown = [(one, case.values[one]) for one in names if type(case.values.get(one)) in (int, float, str)]
    now = ", ".join(f"`{name}` is {_so_far(value)[0]}"[:60] for name, value in shown[:2])
    now_zh = "，".join(f"`{name}` {_so_far(value)[1]}"[:60] for name, value in shown[:2])
    before = [one for one in tests if line(one) <= line(node)]
    why = (
        f"its condition {code(case, before[0])} on line {line(before[0])} has never ended that"
        if before
        else "nothing before that call ends it"
    )
    why_zh = (
        f"第 {line(before[0])} 行的条件 {code(case, before[0])} 一直没有让它停下"
        if before
        else "这个调用之前没有任何结束条件"
    )
    action = (
        "Correct the condition, or what is handed on, so that it is met at last."
        if before
        else "Return a result without that call for the last case, before it: `if ...: return ...`."
    )
    action_zh = (
        "请改正条件或传下去的值，使它最终成立。"
        if before
        else "请在这个调用之前，为最后一种情况直接返回结果：`if ...: return ...`。"
    )
    return finding(
        case,
        f"`{function.name}` calls itself by {code(case, node)} on line {line(node)}, and {why}{f' ({now} by now)' if now else ''}."
        f" {action}",
        f"`{function.name}` 在第 {line(node)} 行通过 {code(case, node)} 调用自己，"
        f"而{why_zh}{f'（现在 {now_zh}）' if now_zh else ''}。{action_zh}",
        (),
        node,
    )
