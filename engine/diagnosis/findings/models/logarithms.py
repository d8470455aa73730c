"""Logarithms of variances and deviations that are given for what has to be positive: their exponential is meant."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.sandbox.positions import argument_of

_TOLD: Final = re.compile(
    r"Expected parameter (\w+) .*constraint (GreaterThan|PositiveDefinite|LowerCholesky)", re.DOTALL
)
_POSITIVE: Final = frozenset(
    {"scale", "rate", "df", "df1", "df2", "alpha", "concentration", "concentration0", "concentration1"}
)
_NAME: Final = re.compile(
    r"(?:^|_|\b)(?:raw_)?(?:log_?|ln_)(var|v\b|s2|sigma_?2|sigma_?sq|std|sd|sigma|sig|scale|s\b|rate|lam|conc|alpha|beta|df)|^(lv)$|^(ls)$"
    r"|(?:对数(方差))|(?:对数(标准差|尺度))|((?:对数|log_?)(?:率|浓度))",
    re.IGNORECASE,
)
_VARIANCES: Final = ("var", "v", "s2", "sigma2", "sigma_2", "sigmasq", "sigma_sq", "lv", "方差")
_DEVIATIONS: Final = ("std", "sd", "sigma", "sig", "scale", "s", "ls", "标准差", "尺度")
_RESHAPING: Final = frozenset(
    {
        "clamp",
        "squeeze",
        "unsqueeze",
        "view",
        "reshape",
        "expand",
        "expand_as",
        "flatten",
        "clip",
        "contiguous",
        "float",
        "mT",
    }
)
_MOST: Final = 24


@finds(errors.MODULE_ARGUMENT, errors.VARIANCE_NEGATIVE)
def _logarithm(case: Case) -> Finding | None:
    """``Normal(mu, logvar)``, ``GaussianNLLLoss()(mu, y, log_var)``."""
    call = case.find(ast.Call)
    told = _TOLD.search(str(case.details.get("message", "")))
    parameter = told[1] if told is not None else "var"
    given = _given(case, call, parameter) if call is not None else None
    held = Flow(case).tensor(given) if given is not None else None
    if call is None or given is None or held is None or not bool(np.isfinite(held._a).all()):
        return None
    found = _kind(case, given)
    if found is None:
        return None
    of, evidence = found
    other = line(evidence) != line(given)
    where = f" ({code(case, evidence)} on line {line(evidence)})" if other else ""
    where_zh = f"（第 {line(evidence)} 行的 {code(case, evidence)}）" if other else ""
    wanted = (
        "variance" if parameter in ("var", "covariance_matrix") else "deviation" if _is_deviation(parameter) else ""
    )
    factor = {("variance", "deviation"): "0.5 * ", ("deviation", "variance"): "2 * "}.get((of, wanted), "")
    torch, imports = case.with_torch()
    whole = case.text(given)
    inner = f"({whole})" if factor and isinstance(given, ast.BinOp | ast.UnaryOp) else whole
    text = f"{torch}.exp({factor}{inner})"
    is_a, is_a_zh = _SAID[of]
    must, must_zh = _MUST[wanted]
    name = called(call) or (called(call.func) if isinstance(call.func, ast.Call) else "")
    owner, owner_zh = f"the `{parameter}` of `{name}`", f"`{name}` 的 `{parameter}`"
    low = f"{float(held._a.min()):.4g}"
    return finding(
        case,
        f"{code(case, given)} on line {line(given)} is {is_a}{where}, which can be negative, here {low}, and {owner} {must}. Give the exponential:"
        f" `{text}`.",
        f"第 {line(given)} 行的 {code(case, given)} 是{is_a_zh}{where_zh}，可以为负，这里是 {low}，而 {owner_zh} {must_zh}。请取指数：`{text}`。",
        case.fix([*case.replace(given, text), *imports], call),
        given,
    )


_SAID: Final = {
    "variance": ("the logarithm of a variance", "方差的对数"),
    "deviation": ("the logarithm of a standard deviation", "标准差的对数"),
    "": ("a logarithm", "对数"),
}
_MUST: Final = {
    "variance": ("is a variance, which is positive", "是方差，必须为正"),
    "deviation": ("is a standard deviation, which is positive", "是标准差，必须为正"),
    "": ("has to be positive", "必须为正"),
}


def _is_deviation(parameter: str) -> bool:
    return parameter in ("scale", "scale_tril")


def _given(case: Case, call: ast.Call, parameter: str) -> ast.expr | None:
    """The argument of a call that a parameter got; of a diagonal matrix its diagonal."""
    if parameter == "var":
        return argument_of(call, 2, "var")
    if parameter not in (*_POSITIVE, "covariance_matrix", "scale_tril"):
        return None
    try:
        names = [*inspect.signature(case.value(call.func)).parameters]  # type: ignore[arg-type]  # refused with TypeError
    except (TypeError, ValueError):
        return None
    given = argument_of(call, names.index(parameter), parameter) if parameter in names else None
    match given:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="diag" | "diag_embed"), args=[inner, *_]) if (
            owner == case.module_alias("torch")
        ):
            return inner
        case ast.Call(func=ast.Attribute(value=inner, attr="diag" | "diag_embed")):
            return inner
    return None if parameter in ("covariance_matrix", "scale_tril") else given


def _kind(case: Case, given: ast.expr) -> tuple[str, ast.expr] | None:
    """Of what a value is the logarithm, and which name or use on its way says so; None where it is none that is known."""
    for count, node in enumerate(_named(case, given)):
        if count > _MOST:
            break
        name = getattr(node, "id", getattr(node, "attr", ""))
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            name = str(node.slice.value)
        told = _NAME.search(name)
        if told is not None:
            word = next((one for one in told.groups() if one), "").lower()
            return "variance" if word in _VARIANCES else "deviation" if word in _DEVIATIONS else "", node
    return _by_use(case, given)


def _named(case: Case, given: ast.expr) -> Iterator[ast.expr]:
    """An expression, and what it is another name, another shape, or a part of."""
    flow, waiting = Flow(case), [given]
    for node in waiting:
        yield node
        if len(waiting) > _MOST:
            return
        match node:
            case ast.Name(id=name):
                waiting += [*_parts(case, name), *flow.assigned(node, name)][:3]
            case ast.Call(func=ast.Attribute(value=owner, attr=attr), args=args) if attr in _RESHAPING:
                is_function = isinstance(owner, ast.Name) and owner.id == case.module_alias("torch")
                waiting += args[:1] if is_function else [owner]
            case ast.Call(func=ast.Attribute() as layer):
                waiting.append(layer)
            case ast.Call(func=ast.Name() as layer) if not flow.called(node):
                waiting.append(layer)


def _parts(case: Case, name: str) -> Iterator[ast.expr]:
    """``mu, s = encode(x)``: what the function of the program gives at that place."""
    for one in case.nodes(ast.Assign):
        match one:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call() as made):
                at = next((i for i, part in enumerate(targets) if isinstance(part, ast.Name) and part.id == name), None)
                for function in Flow(case).called(made) if at is not None else ():
                    for result in returned(function):
                        if isinstance(result, ast.Tuple) and len(result.elts) == len(targets) and at is not None:
                            yield result.elts[at]


def _by_use(case: Case, given: ast.expr) -> tuple[str, ast.expr] | None:
    """What another line takes the exponential of: of one half of it, it is the logarithm of a variance."""
    text = case.text(given)
    if not isinstance(given, ast.Name | ast.Attribute):
        return None
    for one in case.nodes(ast.Call):
        if called(one) != "exp" or not isinstance(one.func, ast.Attribute):
            continue
        inner = one.args[0] if one.args else one.func.value
        if case.text(inner).strip("()") == text:
            return "", one
        match inner:
            case ast.BinOp(left=ast.Constant(value=0.5), op=ast.Mult(), right=other) if case.text(other) == text:
                return "variance", one
            case ast.BinOp(left=other, op=ast.Mult(), right=ast.Constant(value=0.5)) if case.text(other) == text:
                return "variance", one
            case ast.BinOp(left=other, op=ast.Div(), right=ast.Constant(value=2)) if case.text(other) == text:
                return "variance", one
    return None
