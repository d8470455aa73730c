"""Numbers of another dtype than is needed, whose tensor was made in another function: they are converted there, for all that use it."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.causes.casts import as_floats
from gradflow.engine.diagnosis.findings.general.sources import kind_source
from gradflow.engine.diagnosis.findings.inputs.dtypes import odd_operand
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer

_OF_NUMPY: Final = frozenset({"from_numpy", "as_tensor", "tensor"})
_FRACTIONS: Final = frozenset({"mean", "std", "var", "norm", "std_mean", "var_mean", "median", "softmax", "normalize"})


@finds(errors.MM_DTYPE, errors.MV_DTYPE, errors.AFFINE_DTYPE, errors.CONV_BIAS_DTYPE, errors.MODULE_ARGUMENT)
def _doubles(case: Case) -> Finding | None:
    """``torch.from_numpy(...)`` in a function of its own, whose float64 reaches a layer by way of data set and loader."""
    found = odd_operand(case)
    if found is None or str(found[2].dtype) != "torch.float64":
        return None
    node, part, _ = found
    made = kind_source(case, part)
    if not isinstance(made, ast.Call) or called(made) not in _OF_NUMPY or not _elsewhere(case, made, part):
        return None
    if any(one.arg == "dtype" for one in made.keywords) or len(made.args) != 1:
        return None
    if any(one is made for one in Flow(case).behind(part)):
        return None  # told with the place where it is used
    layer = isinstance(node, ast.Call) and isinstance(case.value(node.func), Layer)
    owner = (
        f"the weights of {code(case, node.func)} are" if layer and isinstance(node, ast.Call) else "the other side is"
    )
    owner_zh = f"{code(case, node.func)} 的权重是" if layer and isinstance(node, ast.Call) else "另一边是"
    text = f"{case.text(made)}.float()"
    return finding(
        case,
        f"{code(case, part)} is `torch.float64`, and {owner} `torch.float32`; a product does not convert. The numbers are NumPy's, which counts in float64,"
        f" and {code(case, made)} on line {line(made)} hands them on as they are, to all that use it. Convert once, there: `{text}`.",
        f"{code(case, part)} 是 `torch.float64`，而 {owner_zh} `torch.float32`；乘积不会自动转换类型。这些数来自 NumPy（默认 float64），第 {line(made)} 行的"
        f" {code(case, made)} 原样交给了所有用到它的地方。请在那里转换一次：`{text}`。",
        case.fix(case.followed(made, ".float()"), made),
        made,
    )


@finds(errors.DTYPE_NOT_FLOATING)
def _whole_numbers(case: Case) -> Finding | None:
    """``(t - t.mean()) / t.std()`` of a tensor that was made of whole numbers elsewhere, or that line after line takes for floats."""
    call = case.find(ast.Call)
    if call is None or called(call) not in _FRACTIONS or not isinstance(call.func, ast.Attribute):
        return None
    given = call.func.value if Flow(case).tensor(call.func.value) is not None else next(iter(call.args), None)
    held = Flow(case).tensor(given) if given is not None else None
    made = kind_source(case, given) if given is not None else None
    if given is None or held is None or held.dtype.is_floating_point or not isinstance(made, ast.Call) or not made.args:
        return None
    if called(made) not in ("tensor", "as_tensor", "arange", "full") or str(held.dtype) == "torch.bool":
        return None
    if not _elsewhere(case, made, given) and not _is_used_as_floats(case, call, given):
        return None
    edits, _ = as_floats(case, made, "Float")
    fix = case.fix(edits, made)
    if fix is None:
        return None
    where = "" if line(made) == line(call) else f" on line {line(made)}"
    where_zh = "" if line(made) == line(call) else f"第 {line(made)} 行的 "
    return finding(
        case,
        f"{code(case, made)}{where} makes {code(case, given)} a tensor of whole numbers (`{held.dtype}`), and the `{called(call)}` of whole numbers is a"
        f" fraction, for which PyTorch chooses no dtype. Make floats of them where they are made: {fix.title.en}.",
        f"{where_zh}{code(case, made)} 使 {code(case, given)} 成为整数张量（`{held.dtype}`），而整数的 `{called(call)}` 一般是小数，PyTorch 不会替你选类型。请在创建它的地方就用"
        f"浮点数：{fix.title.zh}。",
        [fix],
        made,
    )


def _elsewhere(case: Case, made: ast.AST, used: ast.AST) -> bool:
    """Whether something was made in another function than the one that uses it."""
    return Flow(case).scope(made) is not Flow(case).scope(used)


def _is_used_as_floats(case: Case, call: ast.Call, given: ast.expr) -> bool:
    """Whether another function of the same value gives fractions, too."""
    text = case.text(given)
    return any(
        one is not call
        and called(one) in _FRACTIONS
        and isinstance(one.func, ast.Attribute)
        and (case.text(one.func.value) == text or text in map(case.text, one.args))
        and Flow(case).scope(one) is Flow(case).scope(call)
        for one in case.nodes(ast.Call)
    )
