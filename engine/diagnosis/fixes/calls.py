"""Fixes of calls: keywords that have another name, methods that do not fit."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Sequence
from types import FunctionType
from typing import Final

from numpy import ndarray

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.fixers import fixes
from gradflow.engine.diagnosis.fixes.indices import whole
from gradflow.engine.diagnosis.fixes.names import closest, is_one_letter_apart
from gradflow.engine.pytorch import exists
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix

_RENAMED: Final = {
    "retain_variables": "retain_graph",
    "grad_variables": "grad_tensors",
    "grad": "gradient",
    "grad_tensors": "gradient",
    "gradient": "grad_tensors",
    "grads": "gradient",
    "keep_dim": "keepdim",
    "axis": "dim",
    "axes": "dim",
    "keepdims": "keepdim",
    "require_grad": "requires_grad",
    "required_grad": "requires_grad",
    "grad_required": "requires_grad",
    "learning_rate": "lr",
    "size_average": "reduction",
    "type": "dtype",
    "shape": "size",
    "input_size": "in_features",
    "output_size": "out_features",
    "weight_decay_rate": "weight_decay",
}
_BACKWARD: Final = ("gradient", "retain_graph", "create_graph", "inputs")
_CREATION: Final = ("dtype", "device", "requires_grad", "pin_memory")
_CREATORS: Final = frozenset(
    {"tensor", "ones", "zeros", "full", "rand", "randn", "linspace", "eye", "empty", "arange", "randint", "as_tensor"}
    | {"ones_like", "zeros_like", "rand_like", "randn_like", "full_like", "empty_like", "logspace", "normal"}
)
_LONGEST: Final = 40


@fixes(errors.UNEXPECTED_KEYWORD)
@fixes(errors.INVALID_KEYWORD)
@fixes(errors.UNRECOGNIZED_KEYWORDS)
def _rename_keyword(case: Case) -> Fix | None:
    call = case.find(ast.Call)
    wrong = str(case.details.get("keyword", case.details.get("keywords", ""))).split(",")[0].strip()
    given = next((keyword for keyword in call.keywords if keyword.arg == wrong), None) if call else None
    return _renamed(case, call, given, parameters_of(case, call)) if call and given else None


def _renamed(case: Case, call: ast.Call, given: ast.keyword, names: Sequence[str]) -> Fix | None:
    """The keyword that was probably meant, if the function has it and it is not given already."""
    wrong = given.arg or ""
    renamed = _RENAMED.get(wrong)
    meant = (
        renamed
        if renamed in names
        else closest(wrong, names, 0.65) or _one_letter_off(wrong, names) or _longer_form(wrong, names)
    )
    if not meant or meant in {keyword.arg for keyword in call.keywords} or meant == "reduction":
        return None
    return case.fix(case.replace(given, f"{meant}={case.text(given.value)}"), call)


def _one_letter_off(wrong: str, names: Sequence[str]) -> str | None:
    """The one keyword that a letter less or more makes of a short word."""
    found = [name for name in names if len(wrong) > 1 and is_one_letter_apart(wrong, name)]
    return found[0] if len(found) == 1 else None


def _longer_form(wrong: str, names: Sequence[str]) -> str | None:
    """``kernel`` for ``kernel_size``: the one parameter that begins or ends with this word."""
    found = [name for name in names if len(wrong) > 2 and (name.startswith(f"{wrong}_") or name.endswith(f"_{wrong}"))]
    return found[0] if len(found) == 1 else None


def parameters_of(case: Case, call: ast.Call) -> Sequence[str]:
    """The names that a function takes."""
    known = case.details.get("parameters")
    if isinstance(known, Sequence) and not isinstance(known, str):
        return list(known)
    value, name = case.value(call.func), called(call)
    if isinstance(value, FunctionType | type):
        return _signature(value)
    defined = [node for node in case.nodes(ast.FunctionDef) if node.name == name]
    if defined:
        return [argument.arg for argument in (*defined[-1].args.args, *defined[-1].args.kwonlyargs)]
    if name in ("backward", "grad"):
        return _BACKWARD if name == "backward" and "autograd" not in case.text(call.func) else _AUTOGRAD
    return [*_CREATION, *_signature(value)] if name in _CREATORS else _signature(value)


_AUTOGRAD: Final = ("grad_tensors", "grad_outputs", "retain_graph", "create_graph", "inputs", "allow_unused", "outputs")


def _signature(value: object) -> list[str]:
    try:
        return list(inspect.signature(value).parameters)[:_LONGEST]  # type: ignore[arg-type]  # refused with TypeError
    except (TypeError, ValueError):
        return []


@fixes(errors.INVALID_COMBINATION)
def _one_of_several(case: Case) -> Fix | None:
    """A keyword that none of the ways has, or a size that is no whole number."""
    call = case.find(ast.Call)
    if call is None:
        return None
    ways = str(case.details.get("expected"))
    names = sorted(set(re.findall(r"(\w+)(?: = [^,)]+)?[,)]", ways)) - {"default"})
    for given in call.keywords:
        if (
            given.arg
            and not re.search(rf"\b{given.arg}\b(?: =|,|\))", ways)
            and (fix := _renamed(case, call, given, names))
        ):
            return fix
    divided = "float" in str(case.details.get("given"))
    edits = [
        edit
        for argument in call.args
        if isinstance(case.value(argument), float) or (divided and isinstance(argument, ast.BinOp))
        for edit in whole(case, argument)
    ]
    if "tuple of ints" in ways and edits:
        return case.fix(edits, call)
    return _wrapped_numbers(case, call) if "(Tensor input" in ways else None


def _wrapped_numbers(case: Case, call: ast.Call) -> Fix | None:
    """``torch.max(1, 2)``: numbers as tensors."""
    if not call.args or not isinstance(call.func, ast.Attribute) or call.func.attr not in ("max", "min"):
        return None
    if not all(isinstance(case.value(argument), int | float) for argument in call.args):
        return None
    return case.fix(case.replace(call.func, call.func.attr), call)


@fixes(errors.ARGUMENT_TYPE)
@fixes(errors.KEYWORD_TYPE)
@fixes(errors.UNPACK)
@fixes(errors.ELEMENT_TYPE)
def _converted_argument(case: Case) -> Fix | None:
    """A tensor of numbers, a whole number of a float, a dtype of its name."""
    call = case.find(ast.Call)
    given = _blamed(case, call) if call else None
    if call is None or given is None:
        return None
    expected = str(case.details.get("expected", "tuple of ints"))
    value = case.value(given)
    torch, imports = case.with_torch()
    if expected.endswith("dtype") and isinstance(value, str) and exists("torch", value):
        return case.fix([*case.replace(given, f"{torch}.{value}"), *imports], call)
    if expected.startswith(("tuple of ints", "int", "long")) and type(value) is not int:
        parts = given.elts if isinstance(given, ast.Tuple | ast.List) else [given]
        return case.fix([edit for part in parts for edit in whole(case, part)], call)
    if expected.startswith("bool") and isinstance(value, int):
        return case.fix(case.replace(given, str(bool(value))), call)
    if expected == "tuple of Tensors" and isinstance(value, Tensor):
        last = [one for one in call.args if isinstance(case.value(one), Tensor)][-1]
        return case.fix([*case.before(given, "["), *case.after(last, "]")], call)
    if getattr(call.func, "attr", "") == "randint" and len(call.args) == 2 and case.value(call.args[0]) == 0:
        return case.fix(case.argument(call, "(1,)"), call)
    if expected.startswith("tuple of ints") and isinstance(given, ast.Constant) and type(value) is int:
        return case.fix(case.wrapped(given, "(", ",)"), call)
    if expected.startswith("Tensor"):
        return case.fix([*_as_tensor(case, torch, given), *imports], call)
    return None


def _as_tensor(case: Case, torch: str, given: ast.expr) -> list[Edit]:
    """Numbers, or nested lists of them, in ``torch.tensor``; a whole number as one with a point."""
    numbers = [part for part in ast.walk(given) if isinstance(part, ast.Constant)]
    literal = isinstance(given, ast.Constant | ast.List | ast.Tuple | ast.UnaryOp)
    literal = literal and all(type(number.value) in (int, float) for number in numbers)
    parts = (ast.Constant, ast.List, ast.Tuple, ast.UnaryOp, ast.USub, ast.UAdd, ast.Load)
    literal = literal and all(isinstance(part, parts) for part in ast.walk(given))
    if not literal and not isinstance(case.value(given), int | float):
        return []
    edits = case.wrapped(given, f"{torch}.tensor(", ")")
    if isinstance(given, ast.Constant) and type(given.value) is int:
        edits[-1] = Edit(edits[-1].span, ".)")
    return edits


def _blamed(case: Case, call: ast.Call) -> ast.expr | None:
    """The argument that a message is about."""
    name, position = str(case.details.get("argument")), case.details.get("position")
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    torch = {case.module_alias("torch"), "F"}
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    is_module = isinstance(owner, ast.Name) and owner.id in torch
    is_method = not is_module and isinstance(case.value(owner), Tensor)
    index = (position if isinstance(position, int) else 1) - 1
    if is_method and name in ("input", "self"):
        return None
    return call.args[index] if 0 <= index < len(call.args) else None


@fixes(errors.TOO_MANY_ARGUMENTS)
def _one_list(case: Case) -> Fix | None:
    """``torch.tensor(1, 2)`` -> ``torch.tensor([1, 2])``."""
    call = case.find(ast.Call)
    if call is None or call.keywords or not call.args:
        return None
    name = called(call)
    if name not in ("tensor", "as_tensor", "cat", "stack", "SGD", "Adam", "hstack", "vstack"):
        return None
    return case.fix([*case.before(call.args[0], "["), *case.after(call.args[-1], "]")], call)


@fixes(errors.NO_ARGUMENTS)
@fixes(errors.NO_KEYWORDS)
def _empty_brackets(case: Case) -> Fix | None:
    call = case.find(ast.Call)
    return case.fix(case.replace(call, f"{case.text(call.func)}()"), call) if call else None


@fixes(errors.MISSING_ARGUMENT)
def _swap_of_a_matrix(case: Case) -> Fix | None:
    """``x.transpose()`` as NumPy has it; ``x.softmax()`` over the last dimension."""
    match case.find(ast.Call):
        case ast.Call(func=ast.Attribute(value=value, attr="transpose") as method, args=[], keywords=[]) as call:
            tensor = case.value(value)
            if isinstance(tensor, Tensor) and tensor.dim() == 2:
                return case.fix(case.rename_end(method, "transpose", "t"), call)
        case ast.Call(func=ast.Attribute(attr="softmax" | "log_softmax" | "softmin")) as call:
            return case.fix(case.argument(call, "dim=-1"), call)
    return None


@fixes(errors.REPEATED_ARGUMENT)
def _given_once(case: Case) -> Fix | None:
    call = case.find(ast.Call)
    name = case.details.get("argument")
    given = next((keyword for keyword in call.keywords if keyword.arg == name), None) if call else None
    return case.fix(case.without_argument(call, given), call) if call and given else None


def _method_call(case: Case) -> tuple[ast.Call, ast.Attribute] | None:
    call = case.find(ast.Call)
    return (call, call.func) if call and isinstance(call.func, ast.Attribute) else None


@fixes(errors.VIEW_SIZE)
def _reshape(case: Case) -> Fix | None:
    found = _method_call(case)
    return case.fix(case.rename_end(found[1], "view", "reshape"), found[0]) if found else None


@fixes(errors.NUMPY_REQUIRES_GRAD)
def _detach(case: Case) -> Fix | None:
    found = _method_call(case)
    if found is None:
        return _array_operand(case)
    if found[1].attr == "numpy":
        return case.fix(case.followed(found[1].value, ".detach()"), found[0])
    return case.fix(case.followed(found[0].args[0], ".detach()"), found[0]) if found[0].args else None


def _array_operand(case: Case) -> Fix | None:
    """An array of NumPy times a tensor: the array becomes a tensor, not the other way round."""
    node = case.find(ast.BinOp)
    for operand in (node.left, node.right) if node else ():
        if isinstance(case.value(operand), ndarray):
            torch, imports = case.with_torch()
            return case.fix([*case.wrapped(operand, f"{torch}.from_numpy(", ")"), *imports], node)
    return None


@fixes(errors.DTYPE_NOT_FLOATING)
@fixes(errors.NORM_DTYPE)
@fixes(errors.DIST_DTYPE)
def _float_first(case: Case) -> Fix | None:
    found = _method_call(case)
    if found is None:
        return None
    call, method = found
    is_method = isinstance(case.value(method.value), Tensor) or not call.args
    operand = method.value if is_method else call.args[0]
    return case.fix(case.followed(operand, ".float()"), call)


@fixes(errors.INDEX_SCALAR)
def _item(case: Case) -> Fix | None:
    """``loss.data[0]``, as it was written before 0-dimensional tensors."""
    node = case.find(ast.Subscript)
    if node is None or not isinstance(node.ctx, ast.Load):
        return None
    value = node.value.value if isinstance(node.value, ast.Attribute) and node.value.attr == "data" else node.value
    return case.fix(case.replace(node, f"{case.operand(value)}.item()"), node)


@fixes(errors.ITEM_NOT_SCALAR)
def _tolist(case: Case) -> Fix | None:
    found = _method_call(case)
    return case.fix(case.rename_end(found[1], "item", "tolist"), found[0]) if found else None
