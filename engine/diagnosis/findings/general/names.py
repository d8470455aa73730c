"""Names that nothing has: a parameter waits to be used, or a method that PyTorch calls has another name."""

from __future__ import annotations

import ast
import re
from difflib import get_close_matches

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import finding, line
from gradflow.engine.diagnosis.fixers import finally_finds, finds
from gradflow.engine.diagnosis.fixes.modules import renamed_method
from gradflow.engine.diagnosis.fixes.names import IMPORTS
from gradflow.engine.diagnosis.traps.edits import line_after
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.trace import Text


def _alike(one: str, other: str) -> bool:
    """Whether two names share a word, or the beginning of one."""
    words, others = set(one.lower().split("_")), set(other.lower().split("_"))
    short, long = sorted((one.lower(), other.lower()), key=len)
    return (
        bool(words & others - {""}) or (len(short) > 1 and long.startswith(short)) or (len(short) > 2 and short in long)
    )


@finds(python.NAME)
def _of_constructor(case: Case) -> Finding | None:
    """A parameter of ``__init__`` that another method uses without ``self.``."""
    node = case.find(ast.Name)
    function = case.enclosing(node, ast.FunctionDef) if node is not None else None
    owner = case.enclosing(function, ast.ClassDef) if function is not None else None
    makers = (
        [one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
        if owner is not None
        else []
    )
    if (
        node is None
        or function is None
        or not makers
        or function is makers[0]
        or not any(one.arg == node.id for one in makers[0].args.args)
    ):
        return None
    if not function.args.args or function.args.args[0].arg != "self":
        return None
    kept = f"self.{node.id} = {node.id}"
    uses = [one for one in ast.walk(function) if isinstance(one, ast.Name) and one.id == node.id]
    if any(
        isinstance(one, ast.Attribute) and one.attr == node.id and isinstance(one.ctx, ast.Store)
        for one in ast.walk(makers[0])
    ):
        return None
    edits = [
        *line_after(case, _begun(makers[0]), kept),
        *(edit for one in uses for edit in case.before(one, "self.")),
    ]
    return finding(
        case,
        f"`{node.id}` is a parameter of `__init__` (line {line(makers[0])}) and is known only there; `{function.name}` runs later. Keep it in the object,"
        f" `{kept}`, and write `self.{node.id}` here.",
        f"`{node.id}` 是 `__init__`（第 {line(makers[0])} 行）的参数，只在那里有效，而 `{function.name}` 是之后才运行的。请存进对象 `{kept}`，并在这里写"
        f" `self.{node.id}`。",
        case.fix(edits, words=Text(f"`{kept}`", f"`{kept}`")),
        makers[0],
    )


def _begun(function: ast.FunctionDef) -> ast.stmt:
    """The statement behind which a constructor can keep something: the call of the parent's."""
    return next((one for one in function.body if "super()" in ast.unparse(one)), function.body[0])


@finds(python.NAME)
def _unused_parameter(case: Case) -> Finding | None:
    """``def __init__(self, hidden)``, and ``hidden_size`` in its body."""
    node = case.find(ast.Name)
    function = case.enclosing(node, ast.FunctionDef) if node is not None else None
    if node is None or function is None or node.id in IMPORTS:
        return None
    used = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)}
    waiting = [one for one in function.args.args if one.arg not in used and one.arg not in ("self", "cls", "ctx")]
    meant = [one for one in waiting if _alike(one.arg, node.id)]
    if len(meant) != 1:
        return None
    other = meant[0].arg
    uses = [one for one in ast.walk(function) if isinstance(one, ast.Name) and one.id == node.id]
    return finding(
        case,
        f"Nothing is called `{node.id}` here; `{function.name}` on line {line(function)} takes `{other}`, and its body does not use that."
        f" Write `{other}`.",
        f"这里没有叫 `{node.id}` 的东西；第 {line(function)} 行的 `{function.name}` 有参数 `{other}`，函数体却没有用到它。请写成 `{other}`。",
        case.fix([edit for one in uses for edit in case.replace(one, other)], case.statement(node)),
        node,
    )


_WANTED = re.compile(
    r"implement (\w+)|has no (len)\(\)|missing the required \"(\w+)\"|object is not (subscriptable|iterable|callable)"
)
_SPECIAL = {"len": "__len__", "subscriptable": "__getitem__", "iterable": "__iter__", "callable": "__call__"}


@finally_finds(
    python.UNCLASSIFIED,
    mistakes.NO_LENGTH,
    mistakes.NOT_SUBSCRIPTABLE,
    mistakes.NOT_ITERABLE,
    mistakes.NOT_CALLABLE,
    python.TYPE,
)
def _other_name(case: Case) -> Finding | None:
    """``get_item`` for ``__getitem__``."""
    told = _WANTED.search(str(case.details.get("message", "")))
    if told is None:
        return None
    word = next(one for one in told.groups() if one)
    wanted = _SPECIAL.get(word, word)
    for owner in case.nodes(ast.ClassDef):
        methods = {one.name: one for one in owner.body if isinstance(one, ast.FunctionDef)}
        plain = {name.replace("_", "").lower(): name for name in methods if name not in ("__init__", wanted)}
        near = get_close_matches(wanted.replace("_", ""), plain, 1, 0.7)
        if wanted in methods or not near:
            continue
        method = methods[plain[near[0]]]
        return finding(
            case,
            f"`{owner.name}` has no `{wanted}`, which is called here; the method on line {line(method)} is called `{method.name}`. Name it"
            f" `{wanted}`.",
            f"`{owner.name}` 没有这里要调用的 `{wanted}`；第 {line(method)} 行的方法叫作 `{method.name}`。请改名为 `{wanted}`。",
            renamed_method(case, method, wanted),
            method,
        )
    return None
