"""The transform of a real signal, which gives half of the frequencies and one more, and a layer that was made for the length of the signal."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import failing_linear, first_size, maker_of, running
from gradflow.engine.diagnosis.findings.words import code, finding, line, text_with, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow

_REAL: Final = frozenset({"rfft", "rfft2", "rfftn"})


@finds(errors.MM_SHAPE)
def _for_whole_signal(case: Case) -> Finding | None:
    """``nn.Linear(n, h)`` for the magnitudes of ``torch.fft.rfft(x)``, of which there are ``n // 2 + 1``."""
    outer, call = running(case)
    layer = failing_linear(case, outer)
    made = maker_of(case, layer) if layer is not None else None
    size = first_size(made) if made is not None else None
    if layer is None or call is None or not call.args or made is None or size is None:
        return None
    length = int(layer.in_features)
    flow = Flow(case)
    for one in flow.behind(call.args[0]):
        if not isinstance(one, ast.Call) or called(one) not in _REAL:
            continue
        held = flow.tensor(one)
        count = int(held.shape[-1]) if held is not None and held.dim() else 0
        if count != length // 2 + 1:
            continue
        short = f"{case.operand(size)} // 2 + 1"
        text = str(count) if isinstance(size, ast.Constant) else short
        whole = text_with(case, made, size, text)
        return finding(
            case,
            f"{code(case, one)} on line {line(one)} gives {count} frequencies of the {length} values of a real signal, {length} // 2 + 1, for the others are"
            f" their mirror images; {code(case, made)} on line {line(made)} was made for {length}. Make the layer for what comes: `{whole}`.",
            f"第 {line(one)} 行的 {code(case, one)} 对实信号的 {length} 个值只给出 {count} 个频率，即 {length} // 2 + 1，因为其余的是它们的镜像；而第 {line(made)} 行的"
            f" {code(case, made)} 是按 {length} 个创建的。请按实际的个数创建这一层：`{whole}`。",
            write(case, size, text, made),
            made,
        )
    return None
