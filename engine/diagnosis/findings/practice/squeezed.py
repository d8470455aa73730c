"""Dimensions of one element that `squeeze()` takes away along with the one that was meant."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, gone_through
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow

_MOST: Final = 4
"""Dimensions of an output, with its batch."""


@finds(
    errors.BCE_SIZE,
    errors.BCE_LOGITS_SIZE,
    errors.TARGET_BATCH,
    errors.ITERATE_SCALAR,
)
def _batch_squeezed(case: Case) -> Finding | None:
    """``net(x).squeeze()`` of a batch that has one sample."""
    failed = gone_through(case)
    for part in ast.walk(failed) if failed is not None else ():
        for node in Flow(case).behind(part) if isinstance(part, ast.Name | ast.Call) else ():
            match node:
                case ast.Call(func=ast.Attribute(value=source, attr="squeeze"), args=[], keywords=[]):
                    held, left = Flow(case).tensor(source), Flow(case).tensor(node)
                case _:
                    continue
            if (
                held is None
                or left is None
                or not 1 < held.dim() < _MOST
                or held.shape[0] != 1
                or left.dim() > held.dim() - 1
            ):
                continue
            column = held.shape[-1] == 1
            if not column and held.dim() > 2:
                continue
            text = f"{case.operand(source)}.squeeze(-1)" if column else case.text(source)
            shape, after = list(held.shape), list(left.shape)
            return finding(
                case,
                f"`squeeze()` on line {line(node)} takes away every dimension of size 1, and this batch has one sample: {code(case, source)} has the"
                f" shape {shape} here, and {after} is left, without the batch. {'Take the last dimension away alone' if column else 'Leave it out'}: `{text}`.",
                f"第 {line(node)} 行的 `squeeze()` 会去掉所有大小为 1 的维，而这一批只有一个样本：{code(case, source)} 这里的形状是 {shape}，只剩下 {after}，批量维也没有了。"
                f"{'请只去掉最后一维' if column else '请不要写它'}：`{text}`。",
                case.fix(case.replace(node, text), node),
                node,
            )
    return None
