"""Devices that PyTorch does not know by this name."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.names import closest
from gradflow.engine.diagnosis.flow import Flow

_CARDS = ("gpu", "cuda", "nvidia", "gpus")


@finds(errors.INVALID_DEVICE)
def _other_name(case: Case) -> Finding | None:
    """``"gpu"`` for ``"cuda"``; ``"CPU"`` for ``"cpu"``."""
    node = case.find(ast.expr)
    wrong = str(case.details.get("device", ""))
    kind = wrong.lower().partition(":")[0]
    card = kind in _CARDS or closest(kind, ("cuda",)) is not None
    if node is None or not (card or closest(kind, ("cpu",), 0.6) or kind == "cpu"):
        return None
    named = [one for one in Flow(case).behind(node) if isinstance(one, ast.Constant) and one.value == wrong]
    named = named or [one for one in case.nodes(ast.Constant) if one.value == wrong]
    if not named:
        return None
    quote = case.text(named[0])[:1]
    text = f"{quote}cpu{quote}"
    why = (
        "PyTorch calls a graphics card `cuda`, and there is none here"
        if card
        else "the name is `cpu`, in small letters"
    )
    why_zh = "PyTorch 把显卡叫作 `cuda`，而这里没有显卡" if card else "名字是小写的 `cpu`"
    return finding(
        case,
        f"`{case.text(named[0])}` on line {line(named[0])} is no name of a device: {why}. Write `{text}`.",
        f"第 {line(named[0])} 行的 `{case.text(named[0])}` 不是设备的名字：{why_zh}。请写 `{text}`。",
        case.fix(case.replace(named[0], text), case.statement(named[0])),
        named[0],
    )
