"""Pictures with their channels last in a program that reads what its layers make by ``view``."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.causes.births import born
from gradflow.engine.diagnosis.findings.general.sources import shape_at
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.namespace.nn.module import Module as Layer


@finds(errors.CONV_CHANNELS)
def _viewed_afterwards(case: Case) -> Finding | None:
    """``self.features(x)`` of pictures with their channels last, and ``x.view(x.size(0), -1)`` behind it: layers keep the order in memory."""
    call = case.find(ast.Call)
    given = call.args[0] if call is not None and call.args else None
    weight = case.details.get("weight")
    if call is None or given is None or not isinstance(weight, list | tuple) or not _views(case):
        return None
    shape, wanted, spatial = shape_at(case, given) or (), int(weight[1]), len(weight) - 2
    if len(shape) != spatial + 2 or shape[-1] != wanted or shape[1] == wanted or case.details.get("given") != shape[1]:
        return None
    if not isinstance(case.value(call.func), Layer):
        return None
    way = f".permute({', '.join(map(str, (0, spatial + 1, *range(1, spatial + 1))))}).contiguous()"
    made = born(case, given)
    known = made is not None and line(made) != line(given)
    place = f", made of {code(case, made)} on line {line(made)}," if made is not None and known else ""
    place_zh = f"（来自第 {line(made)} 行的 {code(case, made)}）" if made is not None and known else ""
    return finding(
        case,
        f"{code(case, given)}{place} has the shape {list(shape)}: its {wanted} channels stand last, and a convolution of PyTorch has them right behind the"
        f" batch. Move them there, in memory too, for the `view` behind the layers needs that: `{way}`.",
        f"{code(case, given)}{place_zh} 的形状是 {list(shape)}：{wanted} 个通道排在最后，而 PyTorch 的卷积要求通道紧跟在批量之后。请移动它们，内存中的次序也要一起变，因为"
        f"这些层之后的 `view` 需要这样：`{way}`。",
        case.fix(case.followed(given, way), call),
        call,
    )


def _views(case: Case) -> bool:
    """Whether the program reads a tensor by ``view``."""
    return any(isinstance(one.func, ast.Attribute) and one.func.attr == "view" for one in case.nodes(ast.Call))
