"""Fixes of settings: one that does not belong there, bounds in the wrong order, a value of another kind."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.fixers import Fixer, fixes
from gradflow.engine.diagnosis.fixes.changes import converted, first_argument
from gradflow.engine.tensor import Tensor, dtypes
from gradflow.engine.trace import Fix


def _without(*names: str) -> Fixer:
    """The keyword taken out of the call at the error."""

    def propose(case: Case) -> Fix | None:
        call = case.find(ast.Call)
        given = next((keyword for keyword in call.keywords if keyword.arg in names), None) if call else None
        return case.fix(case.without_argument(call, given), call) if call and given else None

    return propose


fixes(errors.ATTENTION_MASK_CAUSAL)(_without("is_causal"))
fixes(errors.PAD_VALUE)(_without("value"))
fixes(errors.INTERPOLATE_CORNERS)(_without("align_corners"))
fixes(errors.INTERPOLATE_BOTH)(_without("scale_factor"))
fixes(errors.GENERATOR_DEVICE)(_without("device"))
fixes(errors.ONE_HOT_DTYPE)(converted(first_argument, ".long()"))


@fixes(errors.INDEX_FILL_KIND)
def _long_index(case: Case) -> Fix | None:
    """The index is the argument behind the dimension."""
    call = case.find(ast.Call)
    tensors = [one for one in call.args if isinstance(case.value(one), Tensor)] if call else []
    return case.fix(case.followed(tensors[-1], ".long()"), call) if tensors else None


@fixes(errors.HARDTANH_BOUNDS)
@fixes(errors.RRELU_BOUNDS)
@fixes(errors.FRACTIONAL_STEP)
def _swapped(case: Case) -> Fix | None:
    """The two bounds change places; a step that leads away changes its sign."""
    call = case.find(ast.Call)
    if call is None:
        return None
    bounds = [one for one in call.args if isinstance(case.value(one), int | float) or isinstance(one, ast.UnaryOp)]
    if len(bounds) == 3:
        match bounds[2]:
            case ast.UnaryOp(op=ast.USub(), operand=step):
                return case.fix(case.replace(bounds[2], case.text(step)), call)
        return case.fix(case.before(bounds[2], "-"), call)
    if len(bounds) != 2:
        return None
    first, second = bounds
    return case.fix([*case.replace(first, case.text(second)), *case.replace(second, case.text(first))], call)


@fixes(errors.REQUIRES_GRAD_TYPE)
def _truth(case: Case) -> Fix | None:
    node = case.find(ast.AST)
    match case.statement(node) if node is not None else None:
        case ast.Assign(value=ast.Constant(value=value) as constant) as statement:
            return case.fix(case.replace(constant, str(bool(value))), statement)
    return None


@fixes(errors.BOOL_POSITIVE)
def _without_sign(case: Case) -> Fix | None:
    node = case.find(ast.UnaryOp)
    return case.fix(case.replace(node, case.text(node.operand)), node) if node else None


@fixes(errors.SIGN_COMPLEX)
def _sgn(case: Case) -> Fix | None:
    match case.find(ast.Call):
        case ast.Call(func=ast.Attribute(attr="sign") as function) as call:
            return case.fix(case.rename_end(function, "sign", "sgn"), call)
    return None


@fixes(errors.UNSORTABLE)
@fixes(errors.COMPLEX_UNORDERED)
def _by_size(case: Case) -> Fix | None:
    """Complex numbers by their absolute values."""
    call = case.find(ast.Call)
    owner = call.func.value if call and isinstance(call.func, ast.Attribute) else None
    operand = owner if isinstance(case.value(owner), Tensor) else call.args[0] if call and call.args else None
    return case.fix(case.followed(operand, ".abs()"), call) if operand is not None else None


@fixes(errors.LINEAR_SCALAR)
def _one_sample(case: Case) -> Fix | None:
    call = case.find(ast.Call)
    value = case.value(call.args[0]) if call and call.args else None
    weight = getattr(case.value(call.func), "weight", None) if call else None
    if call is None or not isinstance(value, Tensor) or value.dim() or not isinstance(weight, Tensor):
        return None
    if weight.shape[1] != 1:
        return None
    return case.fix(case.followed(call.args[0], ".reshape(1)"), call)


@fixes(errors.EXPAND_SIZE)
def _column(case: Case) -> Fix | None:
    """A vector that is repeated to the right is a column first."""
    call = case.find(ast.Call)
    value = case.value(call.func.value) if call and isinstance(call.func, ast.Attribute) else None
    if call is None or not isinstance(call.func, ast.Attribute) or not isinstance(value, Tensor) or value.dim() != 1:
        return None
    other = case.value(call.args[0]) if call.args else None
    wanted = tuple(other.shape) if isinstance(other, Tensor) else tuple(case.value(one) for one in call.args)
    fits = len(wanted) == 2 and wanted[0] == value.shape[0]
    return case.fix(case.followed(call.func.value, ".unsqueeze(1)"), call) if fits else None


@fixes(errors.DEFAULT_DTYPE_OBJECT)
@fixes(errors.DEVICE_STRING)
@fixes(errors.INVALID_DEVICE)
def _named_dtype(case: Case) -> Fix | None:
    """A dtype that is written as a text, or as Python's type."""
    call = case.find(ast.Call)
    given = call.args[0] if call and call.args else None
    name = case.value(given) if isinstance(given, ast.Constant) else getattr(given, "id", None)
    known = {"float": "float64"}.get(str(name), str(name))
    if call is None or not isinstance(given, ast.expr) or known not in dtypes.BY_NAME:
        return None
    torch, imports = case.with_torch()
    return case.fix([*case.replace(given, f"{torch}.{known}"), *imports], call)
