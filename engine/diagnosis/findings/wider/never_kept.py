"""A best value that begins where nothing is better, so that what is kept of the best turn is still `None` at the end."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.nothing import NONE_MET
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import mistakes
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.trace import Edit

_SMALL: Final = frozenset(
    ["loss", "losses", "err", "error", "errors", "mse", "mae", "rmse", "ppl", "perplexity", "cost", "distance", "nll"]
)
_LARGE: Final = frozenset(
    [
        "acc",
        "accuracy",
        "score",
        "f1",
        "auc",
        "iou",
        "dice",
        "reward",
        "return",
        "precision",
        "recall",
        "bleu",
        "r2",
        "psnr",
        "hits",
        "correct",
    ]
)
_KEEPING: Final = frozenset(["state_dict", "deepcopy", "copy", "clone", "dict"])


@dataclass(frozen=True)
class _Kept:
    """``if new < best: best = new; state = ...``, and the constants that ``best`` and ``state`` begin with."""

    given: ast.expr
    nothing: ast.expr
    test: ast.Compare
    new: ast.expr
    best: ast.expr
    begins: ast.expr

    @property
    def less(self) -> bool:
        """Whether a smaller value is taken for the better one."""
        below = isinstance(self.test.ops[0], ast.Lt | ast.LtE)
        return below if self.test.left is self.new else not below


@finds(errors.STATE_TYPE, *NONE_MET, mistakes.NOT_CALLABLE)
def _never_better(case: Case) -> Finding | None:
    """``best = 0.0`` with ``if val_loss < best: best_state = ...``, and ``load_state_dict(best_state)``."""
    kept = next((one for given in _given(case) for one in _kept(case, given)), None)
    if kept is None:
        return None
    value = case.value(kept.new)
    if isinstance(value, float) and math.isnan(value):
        return _not_a_number(case, kept)
    wanted = _wanted_less(case, kept)
    number = _number(kept.begins)
    if wanted is None or number is None or not _explains(value, number, kept.less):
        return None
    begin = "float('inf')" if wanted else "-float('inf')"
    turned = wanted is not kept.less
    starts = number != (math.inf if wanted else -math.inf) and not (turned and number == 0 and not wanted)
    if not turned and not starts:
        return None
    return _told(case, kept, begin if starts else "", turned)


def _explains(value: object, begin: float, less: bool) -> bool:
    """Whether no value can be better than that of the beginning: the last one is known, or losses and shares have none on that side."""
    if isinstance(value, int | float):
        return value >= begin if less else value <= begin
    return begin <= 0 if less else begin >= 1


def _told(case: Case, kept: _Kept, begin: str, turned: bool) -> Finding:
    """The beginning on the other side, the comparison the other way round, or both."""
    test, edits, actions, actions_zh = code(case, kept.test), list[Edit](), list[str](), list[str]()
    if turned:
        operator = {ast.Lt: ">", ast.LtE: ">=", ast.Gt: "<", ast.GtE: "<="}[type(kept.test.ops[0])]
        right = kept.test.comparators[0]
        text = f"{case.text(kept.test.left)} {operator} {case.text(right)}"
        edits += case.replace(kept.test, text)
        actions.append(f"compare the other way round on line {line(kept.test)}: `{text}`")
        actions_zh.append(f"在第 {line(kept.test)} 行反过来比较：`{text}`")
    if begin:
        edits += case.replace(kept.begins, begin)
        actions.append(f"begin with `{begin}` on line {line(kept.begins)}")
        actions_zh.append(f"在第 {line(kept.begins)} 行以 `{begin}` 开始")
    action = " and ".join(actions)
    return finding(
        case,
        f"{code(case, kept.given)} is still the `None` of line {line(kept.nothing)}: it is set where {test} holds (line {line(kept.test)}), and that never held, for"
        f" {code(case, kept.best)} begins with {code(case, kept.begins)} (line {line(kept.begins)}). {action[0].upper()}{action[1:]}.",
        f"{code(case, kept.given)} 仍是第 {line(kept.nothing)} 行的 `None`：它只在 {test} 成立时（第 {line(kept.test)} 行）才会赋值，而这从未成立，因为"
        f" {code(case, kept.best)} 的初值是 {code(case, kept.begins)}（第 {line(kept.begins)} 行）。请{'，并'.join(actions_zh)}。",
        case.fix(edits, kept.test if turned and not begin else case.statement(kept.begins)),
        kept.test if turned else kept.begins,
    )


def _not_a_number(case: Case, kept: _Kept) -> Finding:
    return finding(
        case,
        f"{code(case, kept.given)} is still the `None` of line {line(kept.nothing)}: it is set where {code(case, kept.test)} holds (line {line(kept.test)}), and"
        f" {code(case, kept.new)} is `nan`, with which no comparison holds. Look for where it becomes `nan`.",
        f"{code(case, kept.given)} 仍是第 {line(kept.nothing)} 行的 `None`：它只在 {code(case, kept.test)} 成立时（第 {line(kept.test)} 行）才会赋值，而"
        f" {code(case, kept.new)} 是 `nan`，与它的任何比较都不成立。请查找它在哪里变成 `nan`。",
        [],
        kept.test,
    )


def _given(case: Case) -> Iterator[ast.expr]:
    """The names and attributes at the error that are None."""
    node = case.find(ast.expr)
    for one in ast.walk(node) if node is not None else ():
        if isinstance(one, ast.Name | ast.Attribute) and case.value(one) is None:
            yield one


def _pairs(case: Case) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What the program assigns, each target with its value."""
    for one in case.nodes(ast.Assign):
        target = one.targets[0]
        if len(one.targets) > 1:
            continue
        if isinstance(target, ast.Tuple) and isinstance(one.value, ast.Tuple):
            yield from zip(target.elts, one.value.elts, strict=False)
        else:
            yield target, one.value


def _kept(case: Case, given: ast.expr) -> Iterator[_Kept]:
    """Where something is kept under a condition alone, and begins as None."""
    stores = [(target, value) for target, value in _pairs(case) if _same(target, given)]
    nothing = [value for _, value in stores if isinstance(value, ast.Constant) and value.value is None]
    others = [(target, value) for target, value in stores if value not in nothing]
    if len(nothing) != 1 or len(others) != 1 or not _keeps(case, others[0][1]):
        return
    match case.parents.get(case.statement(others[0][0]) or given):
        case ast.If(test=ast.Compare(ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()]) as test, body=body):
            if case.statement(others[0][0]) not in body:
                return
            for best, new in ((test.comparators[0], test.left), (test.left, test.comparators[0])):
                begins = _begins(case, best, new, body)
                if begins is not None:
                    yield _Kept(given, nothing[0], test, new, best, begins)


def _same(target: ast.expr, given: ast.expr) -> bool:
    """Whether a target is the name that is used, or an attribute of that name."""
    if isinstance(given, ast.Name):
        return isinstance(target, ast.Name) and target.id == given.id
    return isinstance(given, ast.Attribute) and isinstance(target, ast.Attribute) and target.attr == given.attr


def _keeps(case: Case, value: ast.expr) -> bool:
    """Whether an expression gives a state, a copy, or something else that is not None."""
    if isinstance(value, ast.Call):
        return called(value) in _KEEPING
    held = case.value(value)
    return isinstance(value, ast.Dict | ast.DictComp | ast.Tuple) or isinstance(held, Layer)


def _begins(case: Case, best: ast.expr, new: ast.expr, body: list[ast.stmt]) -> ast.expr | None:
    """The number that a best value begins with, where the branch gives it the new one and nobody else gives it any."""
    if not isinstance(best, ast.Name | ast.Attribute):
        return None
    stores = [(target, value) for target, value in _pairs(case) if _same(target, best)]
    inside = [value for target, value in stores if case.statement(target) in body]
    outside = [value for target, value in stores if case.statement(target) not in body]
    same = len(inside) == 1 and ast.unparse(inside[0]).removesuffix(".item()") in ast.unparse(new)
    return outside[0] if same and len(outside) == 1 and _number(outside[0]) is not None else None


def _number(node: ast.expr) -> float | None:
    """The number of ``0.0``, ``-1``, ``float("inf")``, ``math.inf``."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return float(value)
        case ast.UnaryOp(op=ast.USub(), operand=operand) if (inner := _number(operand)) is not None:
            return -inner
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str(text))]) if "inf" in text.lower():
            return -math.inf if text.strip().startswith("-") else math.inf
        case ast.Attribute(attr="inf" | "Inf" | "infty"):
            return math.inf
    return None


def _wanted_less(case: Case, kept: _Kept) -> bool | None:
    """Whether a smaller value is the better one, as the names tell; None where they do not."""
    words = set(
        re.findall(r"[a-z]+\d?", re.sub(r"([A-Z])", r"_\1", f"{case.text(kept.new)} {case.text(kept.best)}").lower())
    )
    small, large = bool(words & _SMALL), bool(words & _LARGE)
    if small is not large:
        return small
    return None
