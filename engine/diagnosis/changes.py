"""Fixes that change one expression: a conversion, another function, a flag of the tensor that it starts from."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Final

from engine import errors
from engine.diagnosis.case import Case, is_simple
from engine.diagnosis.registry import Fixer, fixes
from engine.errors import python
from engine.trace import Edit, Fix, Text

_MAKERS: Final = frozenset({"tensor", "ones", "zeros", "full", "rand", "randn", "linspace", "eye"})
_WHOLE: Final = frozenset({"Long", "Int", "Short", "Char", "Byte", "Bool", "Half"})


def receiver_of(case: Case, call: ast.Call) -> ast.expr | None:
    """What a function is applied to: the object before the dot, or the first argument of ``torch.f(x)``."""
    modules = {case.module_alias("torch"), "F", "nn"}
    if isinstance(call.func, ast.Attribute):
        value = call.func.value
        if not (isinstance(value, ast.Name) and value.id in modules) and not ast.unparse(value).startswith("torch."):
            return value
    return call.args[0] if call.args else None


def _converted(operand: Callable[[Case, ast.Call], ast.expr | None], conversion: str) -> Fixer:
    """A fix that writes a conversion behind an operand of the call at the error."""

    def propose(case: Case) -> Fix | None:
        call = case.find(ast.Call)
        found = operand(case, call) if call else None
        return case.fix(_followed(case, found, conversion), call) if found is not None else None

    return propose


def _argument(position: int) -> Callable[[Case, ast.Call], ast.expr | None]:
    """The argument at a position of the function; of a method one less, for the object before the dot is the first."""

    def find(case: Case, call: ast.Call) -> ast.expr | None:
        is_method = receiver_of(case, call) not in call.args
        index = position - is_method
        return call.args[index] if 0 <= index < len(call.args) else None

    return find


def _first(case: Case, call: ast.Call) -> ast.expr | None:
    return call.args[0] if call.args else None


for _kind, _operand, _conversion in (
    (errors.SPREAD_DTYPE, receiver_of, ".float()"),
    (errors.WHERE_CONDITION, receiver_of, ".bool()"),
    (errors.INDEX_KIND, _argument(2), ".long()"),
    (errors.TARGET_DTYPE, _argument(1), ".long()"),
    (errors.MASK_REFUSED, _argument(1), ".bool()"),
    (errors.DEEPCOPY_NON_LEAF, _first, ".detach()"),
    (errors.CONVERSION_OVERFLOW, _first, ".real"),
):
    fixes(_kind)(_converted(_operand, _conversion))


@fixes(errors.NOT_IMPLEMENTED_DTYPE)
def _float_elements(case: Case) -> Fix | None:
    return _converted(receiver_of, ".float()")(case) if case.details.get("dtype") in _WHOLE else None


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
    return case.fix(_followed(case, node.left, ".float()"), node) if node else None


@fixes(errors.BOOL_SUBTRACT)
def _exclusive_or(case: Case) -> Fix | None:
    node = case.find(ast.BinOp)
    return case.fix(case.replace(node, f"{case.text(node.left)} ^ {case.text(node.right)}"), node) if node else None


@fixes(errors.BOOL_SUBTRACT_ONE)
def _float_mask(case: Case) -> Fix | None:
    match case.find(ast.BinOp):
        case ast.BinOp(left=ast.Constant(), right=mask) as node:
            return case.fix(_followed(case, mask, ".float()"), node)
        case ast.BinOp(left=mask, right=ast.Constant()) as node:
            return case.fix(_followed(case, mask, ".float()"), node)
    return None


@fixes(errors.BOOL_NEGATIVE)
def _inverted(case: Case) -> Fix | None:
    node = case.find(ast.UnaryOp)
    return case.fix(case.replace(node, f"~{case.text(node.operand)}"), node) if node else None


@fixes(errors.INVERT_DTYPE)
def _bool_operand(case: Case) -> Fix | None:
    node = case.find(ast.UnaryOp)
    return case.fix(_followed(case, node.operand, ".bool()"), node) if node else None


def _followed(case: Case, node: ast.expr, text: str) -> list[Edit]:
    closed = isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Subscript)
    return case.after(node, text) if closed else case.wrapped(node, "(", f"){text}")


@fixes(errors.BOOL_AMBIGUOUS)
def _any(case: Case) -> Fix | None:
    node = case.find(ast.expr)
    closed = isinstance(node, ast.Name | ast.Call | ast.Attribute)
    if node is None or isinstance(node, ast.BoolOp):
        return None
    return case.fix(case.after(node, ".any()") if closed else case.wrapped(node, "(", ").any()"), node)


# -- flags -------------------------------------------------------------------------------------------------------------


def _maker(case: Case, name: str | None) -> ast.Call | None:
    """The one call that made a tensor of floating point numbers: of the name, or of the program."""
    found: list[ast.Call] = []
    for node in ast.walk(case.program.tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Call(func=ast.Attribute(attr=attr)) as call):
                if attr in _MAKERS and (name is None or target == name) and _is_floating(call, attr):
                    found.append(call)
    return found[0] if len(found) == 1 else None


def _is_floating(call: ast.Call, attr: str) -> bool:
    if any(keyword.arg in ("requires_grad", "dtype") for keyword in call.keywords) or not call.args:
        return False
    numbers = [part.value for part in ast.walk(call.args[0]) if isinstance(part, ast.Constant)]
    return attr != "tensor" or any(isinstance(number, float) for number in numbers)


def _requiring(case: Case, name: str | None) -> Fix | None:
    call = _maker(case, name)
    return case.fix(case.argument(call, "requires_grad=True"), call) if call else None


@fixes(errors.NO_GRAD_FN)
def _only_leaf(case: Case) -> Fix | None:
    return _requiring(case, None)


@fixes(errors.HOOK_NO_GRAD)
@fixes(errors.RETAIN_GRAD_NO_GRAD)
def _receiver_requires(case: Case) -> Fix | None:
    call = case.find(ast.Call)
    receiver = call.func.value if call and isinstance(call.func, ast.Attribute) else None
    return _requiring(case, receiver.id) if isinstance(receiver, ast.Name) else None


@fixes(errors.REQUIRES_GRAD_NON_LEAF)
def _detached(case: Case) -> Fix | None:
    node = case.find(ast.AST)
    match node and case.statement(node):
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name), attr="requires_grad")]) as statement:
            return case.fix(case.replace(statement, f"{name} = {name}.detach()"), statement)
    return None


@fixes(errors.GRAD_DTYPE)
def _same_dtype(case: Case) -> Fix | None:
    node = case.find(ast.AST)
    match node and case.statement(node):
        case ast.Assign(targets=[ast.Attribute(value=owner)], value=value) as statement if is_simple(owner):
            return case.fix(_followed(case, value, f".to({case.text(owner)}.dtype)"), statement)
    return None


# -- other functions ---------------------------------------------------------------------------------------------------


def _renamed(names: dict[str, str]) -> Fixer:
    def propose(case: Case) -> Fix | None:
        call = case.find(ast.Call)
        if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr not in names:
            return None
        return case.fix(case.rename_end(call.func, call.func.attr, names[call.func.attr]), call)

    return propose


fixes(errors.MM_NOT_MATRIX)(_renamed({"mm": "matmul"}))
fixes(errors.SINGULAR_INVERSE)(_renamed({"inv": "pinv", "inverse": "pinverse"}))


@fixes(errors.T_DIMENSIONS)
def _last_two(case: Case) -> Fix | None:
    match case.find(ast.Call):
        case ast.Call(func=ast.Attribute(value=value, attr="t"), args=[]) as call:
            return case.fix(case.replace(call, f"{case.text(value)}.mT"), call)
    return None


@fixes(errors.NUMBER_NOT_SCALAR)
def _list(case: Case) -> Fix | None:
    match case.find(ast.Call):
        case ast.Call(func=ast.Name(id="float" | "int"), args=[value]) as call if is_simple(value):
            return case.fix(case.replace(call, f"{case.text(value)}.tolist()"), call)
    return None


@fixes(python.TYPE)
def _not_callable(case: Case) -> Fix | None:
    """``x.shape()``, ``x.T()``: what is no function is read without brackets."""
    match case.find(ast.Call):
        case (
            ast.Call(
                func=ast.Attribute(attr="shape" | "T" | "mT" | "H" | "grad" | "data" | "dtype" | "ndim"),
                args=[],
                keywords=[],
            ) as call
        ):
            text = case.text(call.func)
            return case.fix(case.replace(call, text), call)
    return None


# -- texts that are no Python ------------------------------------------------------------------------------------------

_COMMAND: Final = re.compile(r"\s*(?:In \[\d+\]: )?(?=[%!])")


def commands(source: str) -> list[tuple[int, int]]:
    """The places of the commands of a notebook, ``%matplotlib inline`` and ``!pip install``: lines and columns."""
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [(number, found.end()) for number, line in enumerate(lines, 1) if (found := _COMMAND.match(line))]


WORDS: Final[dict[str, Text]] = {
    "command": Text("Make the commands of the notebook comments", "把 notebook 命令改成注释"),
    "bracket": Text("Close the bracket", "补上右括号"),
}
