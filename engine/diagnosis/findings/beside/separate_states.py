"""The two states of an LSTM given one by one: ``lstm(x, h0, c0)`` in the place of ``lstm(x, (h0, c0))``."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import code, finding, line, on_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.layers.recurrent import LSTM, RNNBase
from gradflow.engine.namespace.layers.recurrent_cells import LSTMCell, RNNCellBase
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.trace import Edit


@finds(errors.TOO_MANY_ARGUMENTS, errors.UNEXPECTED_KEYWORD)
def _one_by_one(case: Case) -> Finding | None:
    """``lstm(x, h0, c0)`` and ``lstm(x, h0=h0, c0=c0)``; of a GRU, which has one state, the second is too much."""
    call = case.find(ast.Call)
    layer = case.value(call.func) if call is not None else None
    if call is None or not isinstance(layer, RNNBase | RNNCellBase) or type(layer).forward is not _own_forward(layer):
        return None
    given: list[ast.expr | ast.keyword] = [*call.args[1:], *call.keywords]
    if not call.args or len(given) != 2 or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    if any(one.arg is None or one.arg == "input" for one in call.keywords):
        return None
    states = [one.value if isinstance(one, ast.keyword) else one for one in given]
    held = [Flow(case).tensor(one) for one in states]
    if any(one is None or not one.dtype.is_floating_point for one in held):
        return None
    if not isinstance(layer, LSTM | LSTMCell):
        return _one_state(case, call, layer, states)
    first, second = _in_order(case, given, states)
    text = f"({case.text(first)}, {case.text(second)})"
    where, where_zh = on_line(maker_of(case, layer))
    kind = "LSTM" if isinstance(layer, LSTM) else "LSTMCell"
    return finding(
        case,
        f"{code(case, call.func)}{where} is an `{kind}`, which takes its two states together, as one argument behind the input, and here {code(case, first)} and"
        f" {code(case, second)} are given one by one. Put brackets around them: `{text}`.",
        f"{code(case, call.func)}{where_zh} 是 `{kind}`，它的两个状态要合成一个元组，作为输入后面的一个参数，而这里 {code(case, first)} 和 {code(case, second)} 是分开给的。"
        f"请用括号把它们括起来：`{text}`。",
        case.fix(_together(case, given, text), call),
        call,
    )


def _own_forward(layer: Layer) -> object:
    """The ``forward`` of the recurrent layer itself: a class of the program may have one with other arguments."""
    return next(
        (vars(kind)["forward"] for kind in type(layer).__mro__ if "forward" in vars(kind) and _is_of_torch(kind)), None
    )


def _is_of_torch(kind: type) -> bool:
    return kind.__module__ in (LSTM.__module__, LSTMCell.__module__)


def _in_order(case: Case, given: list[ast.expr | ast.keyword], states: list[ast.expr]) -> tuple[ast.expr, ast.expr]:
    """The hidden state and that of the cell, by their names where these say it, else as they stand."""
    names = [str(one.arg) if isinstance(one, ast.keyword) else case.text(one) for one in given]
    words = [name.rpartition(".")[2].lower() for name in names]
    turned = words[0].startswith("c") and words[1].startswith("h")
    return (states[1], states[0]) if turned else (states[0], states[1])


def _together(case: Case, given: list[ast.expr | ast.keyword], text: str) -> list[Edit]:
    """The edits that put one text in the place of two arguments."""
    first, last = case.program.span_of(given[0]), case.program.span_of(given[1])
    if first is None or last is None:
        return []
    whole = type(first)(first.line, first.column, last.end_line, last.end_column)
    return [Edit(whole, text)] if "#" not in case.program.text_at(whole) else []


def _one_state(case: Case, call: ast.Call, layer: Layer, states: list[ast.expr]) -> Finding | None:
    """A GRU or a plain RNN, given the states of an LSTM."""
    if argument_of(call, 1, "hx") is not states[0]:
        return None
    made = maker_of(case, layer)
    where, where_zh = (f" on line {line(made)}", f"第 {line(made)} 行的 ") if made is not None else ("", "")
    kind = type(layer).__name__
    text = f"{case.text(call.func)}({case.text(call.args[0])}, {case.text(states[0])})"
    return finding(
        case,
        f"{code(case, call.func)}{where} is a `{kind}`, which has one state only; a second one, that of the cell, belongs to an LSTM. Leave {code(case, states[1])}"
        f" out: `{text}`.",
        f"{where_zh}{code(case, call.func)} 是 `{kind}`，只有一个状态；第二个（细胞状态）是 LSTM 才有的。请去掉 {code(case, states[1])}：`{text}`。",
        case.fix(case.replace(call, text), call),
        call,
    )
