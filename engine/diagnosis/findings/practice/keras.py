"""Words of Keras in the layers of PyTorch."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, finding
from gradflow.engine.diagnosis.fixers import finds

_RECURRENT: Final = ("RNN", "GRU", "LSTM")
_LAYERS: Final = (
    *_RECURRENT,
    "Linear",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "Embedding",
    "Dropout",
    "BatchNorm1d",
    "BatchNorm2d",
)
_OF_STEPS: Final = ("return_sequences", "return_state")
_IDLE: Final = (*_OF_STEPS, "input_shape", "name")
"""Words that say what PyTorch does anyway, or has no need of."""


@finds(errors.UNEXPECTED_KEYWORD)
def _word_of_keras(case: Case) -> Finding | None:
    """``nn.LSTM(3, 10, return_sequences=True)``."""
    call = case.find(ast.Call)
    kind = called(call) if call is not None else ""
    if call is None or kind not in _LAYERS:
        return None
    foreign = [one for one in call.keywords if one.arg in _IDLE and (kind in _RECURRENT or one.arg not in _OF_STEPS)]
    if not foreign or str(case.details.get("keyword")) not in [one.arg for one in foreign]:
        return None
    first = foreign[0]
    if first.arg in _OF_STEPS:
        last = isinstance(first.value, ast.Constant) and first.value.value is False and first.arg == "return_sequences"
        why = f"`{kind}` of PyTorch always gives both, the outputs of all steps and the last state"
        why_zh = f"PyTorch 的 `{kind}` 总是两样都给：所有步的输出和最后的状态"
        more, more_zh = (", and take the last step of the outputs", "，并取输出的最后一步") if last else ("", "")
    else:
        why, why_zh = "a layer of PyTorch is not told that", "PyTorch 的层不需要它"
        more, more_zh = "", ""
    edits = [edit for one in foreign for edit in case.without_argument(call, one)]
    told = [f"`{one.arg}`" for one in foreign]
    return finding(
        case,
        f"`{first.arg}` is a word of Keras: {why}. Leave {' and '.join(told)} out{more}.",
        f"`{first.arg}` 是 Keras 的写法：{why_zh}。请去掉 {'、'.join(told)}{more_zh}。",
        apply(case, edits, f"Without {' and '.join(told)}", f"去掉 {'、'.join(told)}") or (),
        first.value,
    )
