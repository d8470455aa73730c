"""Fixes that change one expression: a conversion, another function, a flag of the tensor that it starts from."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, is_simple
from gradflow.engine.diagnosis.fixers import Fixer, fixes
from gradflow.engine.diagnosis.fixes.transposed import is_turned, turning
from gradflow.engine.pytorch import exists
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

_WHOLE: Final = frozenset({"Long", "Int", "Short", "Char", "Byte", "Bool", "Half"})


def receiver_of(case: Case, call: ast.Call) -> ast.expr | None:
    """What a function is applied to: the object before the dot, or the first argument of ``torch.f(x)``."""
    modules = {case.module_alias("torch"), "F", "nn"}
    if isinstance(call.func, ast.Attribute):
        value = call.func.value
        if not (isinstance(value, ast.Name) and value.id in modules) and not ast.unparse(value).startswith("torch."):
            return value
    return call.args[0] if call.args else None


def converted(operand: Callable[[Case, ast.Call], ast.expr | None], conversion: str) -> Fixer:
    """A fix that writes a conversion behind an operand of the call at the error."""

    def propose(case: Case) -> Fix | None:
        call = case.find(ast.Call)
        found = operand(case, call) if call else None
        return case.fix(case.followed(found, conversion), call) if found is not None else None

    return propose


def _argument(position: int) -> Callable[[Case, ast.Call], ast.expr | None]:
    """The argument at a position of the function; of a method one less, for the object before the dot is the first."""

    def find(case: Case, call: ast.Call) -> ast.expr | None:
        is_method = receiver_of(case, call) not in call.args
        index = position - is_method
        return call.args[index] if 0 <= index < len(call.args) else None

    return find


def first_argument(case: Case, call: ast.Call) -> ast.expr | None:
    """What a call is given first."""
    return call.args[0] if call.args else None


for _kind, _operand, _conversion in (
    (errors.SPREAD_DTYPE, receiver_of, ".float()"),
    (errors.WHERE_CONDITION, receiver_of, ".bool()"),
    (errors.INDEX_KIND, _argument(2), ".long()"),
    (errors.TARGET_DTYPE, _argument(1), ".long()"),
    (errors.MASK_REFUSED, _argument(1), ".bool()"),
    (errors.EMBEDDING_DTYPE, first_argument, ".long()"),
    (errors.DEEPCOPY_NON_LEAF, first_argument, ".detach()"),
    (errors.CONVERSION_OVERFLOW, first_argument, ".real"),
):
    fixes(_kind)(converted(_operand, _conversion))


@fixes(errors.NOT_IMPLEMENTED_DTYPE)
def _float_elements(case: Case) -> Fix | None:
    return converted(receiver_of, ".float()")(case) if case.details.get("dtype") in _WHOLE else None


@fixes(errors.INDEX_DTYPE)
def _long_index(case: Case) -> Fix | None:
    node = case.find(ast.Subscript)
    if node is None or isinstance(node.slice, ast.Tuple | ast.Slice):
        return None
    return case.fix(case.after(node.slice, ".long()"), node)


# -- operators ---------------------------------------------------------------------------------------------------------


@fixes(errors.NEGATIVE_POWER)
def _float_base(case: Case) -> Fix | None:
    node = case.find(ast.BinOp)
    return case.fix(case.followed(node.left, ".float()"), node) if node else None


@fixes(errors.BOOL_SUBTRACT)
def _exclusive_or(case: Case) -> Fix | None:
    node = case.find(ast.BinOp)
    return case.fix(case.replace(node, f"{case.text(node.left)} ^ {case.text(node.right)}"), node) if node else None


@fixes(errors.BOOL_SUBTRACT_ONE)
def _float_mask(case: Case) -> Fix | None:
    match case.find(ast.BinOp):
        case ast.BinOp(left=ast.Constant(), right=mask) as node:
            return case.fix(case.followed(mask, ".float()"), node)
        case ast.BinOp(left=mask, right=ast.Constant()) as node:
            return case.fix(case.followed(mask, ".float()"), node)
    return None


@fixes(errors.BOOL_NEGATIVE)
def _inverted(case: Case) -> Fix | None:
    node = case.find(ast.UnaryOp)
    return case.fix(case.replace(node, f"~{case.text(node.operand)}"), node) if node else None


@fixes(errors.INVERT_DTYPE)
def _bool_operand(case: Case) -> Fix | None:
    node = case.find(ast.UnaryOp)
    return case.fix(case.followed(node.operand, ".bool()"), node) if node else None


@fixes(errors.BOOL_AMBIGUOUS)
def _one_truth(case: Case) -> Fix | None:
    node = case.find(ast.expr)
    return (_elementwise(case, node) or _function_of_torch(case, node) or _reduced(case, node)) if node else None


def _elementwise(case: Case, node: ast.expr) -> Fix | None:
    """Conditions for each element: ``&``, ``|``, ``~``, ``torch.where`` and comparisons that are not chained."""
    torch, imports = case.with_torch()
    whole = _condition_around(case, node)
    match whole:
        case ast.BoolOp(op=op, values=parts) if not _is_test(case, whole):
            sign = " & " if isinstance(op, ast.And) else " | "
            return case.fix(case.replace(whole, sign.join(f"({case.text(part)})" for part in parts)), whole)
        case ast.Compare(left=left, ops=ops, comparators=others) if len(ops) > 1 and not _is_test(case, whole):
            return case.fix(case.replace(whole, _unchained(case, [left, *others], ops)), whole)
        case ast.UnaryOp(op=ast.Not(), operand=operand) if not _is_test(case, whole):
            return case.fix([*case.replace(whole, f"{torch}.logical_not({case.text(operand)})"), *imports], whole)
        case ast.IfExp(test=test, body=body, orelse=orelse) if test is node:
            texts = ", ".join(case.text(part) for part in (test, body, orelse))
            return case.fix([*case.replace(whole, f"{torch}.where({texts})"), *imports], whole)
    return None


def _condition_around(case: Case, node: ast.expr) -> ast.expr:
    """The condition that asks an operand for its truth."""
    parent = case.parents.get(node)
    match parent:
        case ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return parent
        case ast.IfExp(test=test) if test is node:
            return parent
    return node


def _is_test(case: Case, node: ast.expr) -> bool:
    """Whether a condition decides what is run: then it must be one truth."""
    parent = case.parents.get(node)
    return isinstance(parent, ast.If | ast.While | ast.Assert | ast.BoolOp | ast.comprehension) or (
        isinstance(parent, ast.IfExp) and parent.test is node
    )


def _unchained(case: Case, parts: list[ast.expr], ops: list[ast.cmpop]) -> str:
    pairs = zip(parts, ops, parts[1:], strict=False)
    return " & ".join(f"({case.text(a)} {_COMPARISONS[type(op)]} {case.text(b)})" for a, op, b in pairs)


_COMPARISONS: Final[dict[type, str]] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.In: "in",
    ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip


def _function_of_torch(case: Case, node: ast.expr) -> Fix | None:
    """``max(x, y)`` compares whole tensors; ``torch.maximum`` goes through the elements."""
    match node:
        case ast.Call(func=ast.Name(id="max" | "min" as name), args=[left, right], keywords=[]):
            if all(isinstance(case.value(part), Tensor) for part in (left, right)):
                torch, imports = case.with_torch()
                return case.fix([*case.replace(node.func, f"{torch}.{name}imum"), *imports], node)
        case ast.Call(func=ast.Name(id="max" | "min" | "any" | "all" | "sorted" as name), args=[one], keywords=[]):
            if is_simple(one) and name != "sorted":
                return case.fix(case.replace(node, f"{case.operand(one)}.{name}()"), node)
    return None


def _reduced(case: Case, node: ast.expr) -> Fix | None:
    """One truth for all elements: equal everywhere, or true somewhere."""
    value = case.value(node)
    match node:
        case ast.Call(func=ast.Name(id="bool"), args=[argument]):
            if isinstance(tensor := case.value(argument), Tensor) and tensor.numel() == 0:
                return None
            return case.fix(case.followed(argument, ".any()"), node)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return case.fix(case.followed(operand, ".any()"), node)
        case ast.BoolOp() | ast.Call(func=ast.Name()):
            return None
        case ast.Compare(ops=[ast.In() | ast.NotIn()]) | ast.Compare(ops=[_, _, *_]):
            return None
        case ast.Compare(ops=[ast.Eq()]):
            return case.fix(case.followed(node, ".all()"), node)
    if isinstance(value, Tensor) and value.numel() == 0:
        return case.fix(case.followed(node, ".numel()"), node)
    return case.fix(case.followed(node, ".any()"), node)


# -- flags -------------------------------------------------------------------------------------------------------------


@fixes(errors.REQUIRES_GRAD_NON_LEAF)
@fixes(errors.REQUIRES_GRAD_SET)
def _detached(case: Case) -> Fix | None:
    node = case.find(ast.AST)
    if node is None:
        return None
    match case.statement(node):
        case (
            ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name), attr="requires_grad")])
            | ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="requires_grad_")))
        ) if not case.rebinds(node, name):
            return None
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name), attr="requires_grad")]) as statement:
            return case.fix(case.replace(statement, f"{name} = {name}.detach()"), statement)
        case (
            ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="requires_grad_"), args=[ast.Constant()]
                )
            ) as statement
        ):
            return case.fix(case.replace(statement, f"{name} = {name}.detach()"), statement)
    match node:
        case ast.Call(func=ast.Attribute(attr="requires_grad_"), args=[ast.Constant(value=False)]) as call:
            return case.fix([*case.without_tail(call), *case.after(call, ".detach()")], call)
    return None


@fixes(errors.GRAD_TYPE)
def _gradient_tensor(case: Case) -> Fix | None:
    """``x.grad = 0``: the gradient is a tensor of the shape of its own, or None."""
    node = case.find(ast.AST)
    match node and case.statement(node):
        case ast.Assign(targets=[ast.Attribute(value=owner, attr="grad")], value=value) as statement if is_simple(
            owner
        ):
            torch, imports = case.with_torch()
            number, text = case.value(value), case.text(owner)
            if number == 0:
                return case.fix([*case.replace(value, f"{torch}.zeros_like({text})"), *imports], statement)
            if isinstance(number, int | float):
                return case.fix(
                    [*case.replace(value, f"{torch}.full_like({text}, {case.text(value)})"), *imports], statement
                )
            return case.fix(case.replace(value, "None"), statement)
    return None


@fixes(errors.GRAD_SHAPE)
def _gradient_shape(case: Case) -> Fix | None:
    node = case.find(ast.AST)
    match node and case.statement(node):
        case ast.Assign(targets=[ast.Attribute(value=owner, attr="grad")], value=value) as statement if is_simple(
            owner
        ):
            given, own = case.value(value), case.value(owner)
            if not isinstance(given, Tensor) or not isinstance(own, Tensor):
                return None
            if is_turned(given.shape, own.shape):
                end = turning(given.shape, own.shape)
                return case.fix(case.followed(value, end), statement) if end else None
            if given.numel() == own.numel():
                return case.fix(case.followed(value, f".reshape({case.operand(owner)}.shape)"), statement)
            pairs = zip(reversed(given.shape), reversed(own.shape), strict=False)
            if given.dim() <= own.dim() and all(a in (1, b) for a, b in pairs):
                return case.fix(case.followed(value, f".expand_as({case.text(owner)}).clone()"), statement)
    return None


@fixes(errors.GRAD_DTYPE)
def _same_dtype(case: Case) -> Fix | None:
    node = case.find(ast.AST)
    match node and case.statement(node):
        case ast.Assign(targets=[ast.Attribute(value=owner)], value=value) as statement if is_simple(owner):
            return case.fix(case.followed(value, f".to({case.operand(owner)}.dtype)"), statement)
    return None


# -- other functions ---------------------------------------------------------------------------------------------------


def _renamed(names: dict[str, str]) -> Fixer:
    def propose(case: Case) -> Fix | None:
        call = case.find(ast.Call)
        if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr not in names:
            return None
        return case.fix(case.rename_end(call.func, call.func.attr, names[call.func.attr]), call)

    return propose


fixes(errors.NOT_NDARRAY)(_renamed({"from_numpy": "tensor"}))
fixes(errors.SINGULAR_INVERSE)(_renamed({"inv": "pinv", "inverse": "pinverse"}))


@fixes(errors.T_DIMENSIONS)
def _last_two(case: Case) -> Fix | None:
    match case.find(ast.Call):
        case ast.Call(func=ast.Attribute(value=value, attr="t"), args=[]) as call:
            return case.fix(case.replace(call, f"{case.operand(value)}.mT"), call)
    return None


@fixes(errors.NUMBER_NOT_SCALAR)
@fixes(errors.INDEX_NOT_SCALAR)
def _list(case: Case) -> Fix | None:
    """All numbers as a list; a function of ``math`` becomes that of torch."""
    match case.find(ast.Call):
        case ast.Call(func=ast.Name(id="float" | "int" | "complex"), args=[value]) as call:
            return case.fix(case.replace(call, f"{case.operand(value)}.tolist()"), call) if is_simple(value) else None
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math"), attr=name) as function) as call:
            torch, imports = case.with_torch()
            other = {"fabs": "abs", "pow": "pow"}.get(name, name)
            return (
                case.fix([*case.replace(function, f"{torch}.{other}"), *imports], call)
                if exists("torch", other)
                else None
            )
        case ast.Call(func=ast.Name(id="range"), args=[value]) as call if is_simple(value):
            return case.fix(case.replace(value, f"len({case.text(value)})"), call)
    return None
