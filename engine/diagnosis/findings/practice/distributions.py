"""Parameters of distributions that are out of their range: scores for probabilities, matrices that are no covariances, samples without a gradient."""

from __future__ import annotations

import ast
import re
from typing import Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.kindred.raw_scales import is_cut_from_layer, parameter_given
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import python
from gradflow.engine.tensor import Tensor

_WITH_LOGITS: Final = (
    "Categorical",
    "Bernoulli",
    "OneHotCategorical",
    "Multinomial",
    "Binomial",
    "Geometric",
    "RelaxedOneHotCategorical",
)
_TOLD: Final = re.compile(r"Expected parameter (\w+) .*constraint (\w+)", re.DOTALL)


def _name(call: ast.Call) -> str:
    return called(call)


@finds(errors.MODULE_ARGUMENT)
def _out_of_range(case: Case) -> Finding | None:
    """``Categorical(logits)``, whose first parameter are probabilities; a covariance that is none."""
    call = case.find(ast.Call)
    told = _TOLD.search(str(case.details.get("message", "")))
    if call is None or told is None:
        return None
    parameter, constraint = told[1], told[2]
    node = parameter_given(call, parameter)
    held = Flow(case).tensor(node) if node is not None else None
    if node is None or held is None:
        return None
    array = held._a
    if np.isnan(array).any():
        return None  # what is no number says nothing of what was meant
    if parameter == "probs" and _name(call) in _WITH_LOGITS:
        return _scores(case, call, node, array)
    if constraint == "PositiveDefinite":
        return _covariance(case, call, node, array)
    if constraint.startswith("GreaterThan") and not held.requires_grad and not is_cut_from_layer(case, node):
        return _negative(case, call, node, (parameter, array))
    return None


def _scores(case: Case, call: ast.Call, node: ast.expr, array: np.ndarray) -> Finding:
    keyword = next((one for one in call.keywords if one.value is node), None)
    edits = case.replace(keyword, f"logits={case.text(node)}") if keyword is not None else case.before(node, "logits=")
    text = f"{case.text(call.func)}(logits={case.text(node)})"
    return finding(
        case,
        f"{code(case, node)} goes from {float(array.min()):.3g} to {float(array.max()):.3g}: these are scores, and the first parameter of"
        f" `{_name(call)}` are probabilities, which are not negative and add up to 1. Say that they are scores: `{text}`.",
        f"{code(case, node)} 从 {float(array.min()):.3g} 到 {float(array.max()):.3g}：这是得分，而 `{_name(call)}` 的第一个参数是概率，不能为负，且相加为 1。请说明给的是"
        f"得分：`{text}`。",
        case.fix(edits, call),
        node,
    )


def _covariance(case: Case, call: ast.Call, node: ast.expr, array: np.ndarray) -> Finding | None:
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        return None
    made = definition(case, node)
    symmetric = bool(np.allclose(array, array.T))
    values = np.linalg.eigvalsh((array + array.T).astype(float) / 2)
    why = (
        f"its smallest eigenvalue is {float(values[0]):.3g}, so in one direction the variance would be negative"
        if symmetric
        else "it is not symmetric"
    )
    why_zh = f"它最小的特征值是 {float(values[0]):.3g}，也就是某个方向上的方差为负" if symmetric else "它不对称"
    return finding(
        case,
        f"{code(case, node)} (line {line(made)}) is no covariance: {why}. Entries off the diagonal must be smaller than the product of the two"
        f" standard deviations; for a matrix that is nearly right add a small multiple of the identity.",
        f"{code(case, node)}（第 {line(made)} 行）不是协方差矩阵：{why_zh}。非对角元素的绝对值必须小于两个标准差的乘积；如果只差一点，请加上单位矩阵的一个小倍数。",
        (),
        made,
    )


def _negative(case: Case, call: ast.Call, node: ast.expr, told: tuple[str, np.ndarray]) -> Finding:
    parameter, array = told
    made = definition(case, node)
    return finding(
        case,
        f"The `{parameter}` of `{_name(call)}` has to be greater than 0, and {code(case, node)} (line {line(made)}) has"
        f" {float(array.min()):.4g}. Give a positive number; of the logarithm of one take `exp`.",
        f"`{_name(call)}` 的 `{parameter}` 必须大于 0，而 {code(case, node)}（第 {line(made)} 行）里有 {float(array.min()):.4g}。请给出正数；如果存的是对数，请取"
        f" `exp`。",
        (),
        made,
    )


@finds(python.UNCLASSIFIED)
def _no_gradient_of_sample(case: Case) -> Finding | None:
    """``Categorical(...).rsample()``."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr != "rsample":
        return None
    value = case.value(call.func.value)
    if getattr(value, "has_rsample", True) is not False:
        return None
    name, made = type(value).__name__, definition(case, call.func.value)
    owner = case.text(call.func.value)
    scored = [one.value for one in case.nodes(ast.Attribute) if one.attr == "log_prob"]
    if any(case.text(one) == owner or case.value(one) is value for one in scored):
        return finding(
            case,
            f"`{owner}` is a `{name}` (line {line(made)}), whose samples jump from one value to another, so it has no `rsample`. The gradient goes through"
            f" `log_prob(...)`, as this program computes it, and not through the sample: draw with `{owner}.sample()`.",
            f"`{owner}` 是 `{name}`（第 {line(made)} 行），它的样本从一个值跳到另一个值，所以没有 `rsample`。梯度走的是这个程序里的 `log_prob(...)`，不经过样本："
            f"请用 `{owner}.sample()` 取样。",
            case.fix(case.rename_end(call.func, "rsample", "sample"), call),
            call,
        )
    return finding(
        case,
        f"`{owner}` is a `{name}` (line {line(made)}), whose samples jump from one value to another, so no gradient goes through them and there is no"
        f" `rsample`. Draw with `{owner}.sample()` and weigh `{owner}.log_prob(...)`, or use a relaxation: `RelaxedOneHotCategorical`,"
        f" `torch.nn.functional.gumbel_softmax`.",
        f"`{owner}` 是 `{name}`（第 {line(made)} 行），它的样本从一个值跳到另一个值，梯度无法通过，所以没有 `rsample`。请用 `{owner}.sample()` 取样并对"
        f" `{owner}.log_prob(...)` 加权，或者使用松弛的分布：`RelaxedOneHotCategorical`、`torch.nn.functional.gumbel_softmax`。",
        (),
        made,
    )


@finds(errors.NOT_POSITIVE)
def _without_jitter(case: Case) -> Finding | None:
    """A kernel matrix whose factor does not exist for the sake of rounding."""
    call = case.find(ast.Call)
    node = call.args[0] if call is not None and call.args else None
    held = Flow(case).tensor(node) if node is not None else None
    if call is None or node is None or not isinstance(held, Tensor) or held.dim() != 2:
        return None
    array = held._a.astype(float)
    made = definition(case, node)
    if array.shape[0] != array.shape[1] or not np.allclose(array, array.T, atol=1e-4):
        return None
    smallest = float(np.linalg.eigvalsh(array)[0])
    if smallest < -1e-2 * max(1.0, float(np.abs(array).max())):
        return None
    torch, imports = case.with_torch()
    text = f"{case.text(node)} + 1e-3 * {torch}.eye({case.operand(node)}.size(0))"
    same = len(np.unique(array, axis=0)) < len(array)
    why = "has equal rows" if same else "has eigenvalues that are 0 but for rounding"
    why_zh = "有相同的行" if same else "有些特征值在舍入误差内为 0"
    return finding(
        case,
        f"{code(case, node)} (line {line(made)}) {why}, so it is singular: its smallest eigenvalue is {smallest:.2g}, and a Cholesky factor needs all"
        f" of them above 0. Add a little noise to the diagonal: `{text}`.",
        f"{code(case, node)}（第 {line(made)} 行）{why_zh}，因此是奇异的：最小的特征值是 {smallest:.2g}，而 Cholesky 分解要求全部大于 0。请在对角线上加一点噪声：`{text}`。",
        case.fix([*case.replace(node, text), *imports], call),
        node,
    )
