"""From a declaration to the function that programs call, generated once, when it is first needed.

The wrapper of an operation does, in this order and with nothing looked up by name at run time: arrays out of tensors,
promotion, the body, the result as a Tensor, the autograd node with the saved variables that the formulas name, and
the record for the trace.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from gradflow.engine.autograd import conj_neg_views, inplace, node, views
from gradflow.engine.autograd.saved_tensors import apply_modes
from gradflow.engine.autograd.transforms.unbatched_write import refuse_unbatched_write
from gradflow.engine.dispatch import operands, reduced
from gradflow.engine.dispatch.vjp_source import CONSTANTS, OPERATORS, PRODUCT, VALUES, vjp_source
from gradflow.engine.dispatch.wrapper_source import wrapper_source
from gradflow.engine.formula import CONJUGATE
from gradflow.engine.numerics.libraries.products import matrix_product
from gradflow.engine.numerics.strides import as_image_lies, as_operands_lie
from gradflow.engine.registry import REGISTRY, Compiler
from gradflow.engine.state import STATE, sequence
from gradflow.engine.tensor import Storage, Tensor

if TYPE_CHECKING:
    from gradflow.engine.registry import Form, Op

_ENVIRONMENT: dict[str, Any] = {
    "Tensor": Tensor,
    "Storage": Storage,
    "Node": node.Node,
    "S": STATE,
    "ND": np.ndarray,
    "asarray": np.asarray,
    "apply_modes": apply_modes,
    "new": object.__new__,
    "requires_grad_now": node.requires_grad_now,
    "gradient_edge_or_none": node.gradient_edge_or_none,
    "number": operands.number,
    "tensor_only": operands.tensor_only,
    "sequence": operands.sequence,
    "promote": operands.promote,
    "promote_difference": operands.promote_difference,
    "promote_to_float": operands.promote_to_float,
    "promote_all": operands.promote_all,
    "to_float": operands.to_float,
    "spread": operands.spread,
    "foreign": operands.foreign,
    "broadcast_error": operands.broadcast_error,
    "as_image_lies": as_image_lies,
    "as_operands_lie": as_operands_lie,
    "in_rows": partial(np.asarray, order="C"),
    "next_number": sequence.__next__,
    "view_of": views.view_of,
    "refused": operands.refused,
    "LAZY_VIEWS": conj_neg_views.LAZY_VIEWS,
    "view_through": conj_neg_views.view_through,
    "NUMBER": (int, float, complex, np.generic),
    "inplace": inplace,
    "refuse_unbatched_write": refuse_unbatched_write,
    "result_tuple": operands.result_tuple,
}


# -- functions that are generated when they are first called -----------------------------------------------------------


def wrapper(op: Op, form: Form) -> Callable[..., Any]:
    """The function of an operation, its form in place, or that for a binary operator.

    It writes its own code when it is first called.
    """
    name = f"{op.name}_" if form == "in place" else op.name
    space: dict[str, Any] = {}
    function = FunctionType(_unwritten.__code__, space, name)
    function.__qualname__ = name  # which Python's errors about arguments show
    space["write"] = lambda: _write(function, op, form)
    return function


def _unwritten(*args: Any, **kwargs: Any) -> Any:
    """The code that every generated function begins with. ``write`` is in the globals of each."""
    return write()(*args, **kwargs)  # type: ignore[name-defined]  # noqa: F821


def complete(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, its code written if it is one of those that have none yet."""
    if getattr(function, "__code__", None) is _unwritten.__code__:
        function.__globals__["write"]()
    return function


def _write(function: FunctionType, op: Op, form: Form) -> FunctionType:
    """Give a function its code, defaults and docstring."""
    space = function.__globals__
    space.clear()
    space.update(_ENVIRONMENT)
    lower = reduced.body(op)
    plain = lower if reduced.takes_float16(op) else op.body
    space |= {"OP": op, "BODY": plain, "REDUCED_BODY": lower, "CHECK_WRITE": op.check_write} | {
        f"default_{p.name}": p.parameter.default for p in op.params
    }
    name, made = function.__name__, dict[str, Any]()
    exec(compile("\n".join(wrapper_source(op, name, form)), f"<generated {name}>", "exec"), space, made)
    function.__code__, function.__doc__ = made[name].__code__, op.doc
    function.__defaults__, function.__kwdefaults__ = made[name].__defaults__, made[name].__kwdefaults__
    return function


def vjp(op: Op, *, of_complex: bool, of_tensors: bool) -> Callable[..., tuple[Any, ...]]:
    """The vector-Jacobian product of an operation: ``vjp(saved, edges, g, ...)``, one gradient for each edge."""
    if of_complex and CONJUGATE not in _calls(op):
        return op.vjp_tensors if of_tensors else op.vjp
    space: dict[str, Any] = {name: _callee(name, of_tensors) for name in _calls(op)}
    space |= {CONSTANTS: VALUES, PRODUCT: matrix_product}
    if of_tensors:
        space |= {name: REGISTRY.helpers[name].tensors for name in OPERATORS.values()} | {"t": REGISTRY["t"].call}
    exec(compile("\n".join(vjp_source(op, of_complex, of_tensors)), f"<generated vjp of {op.name}>", "exec"), space)
    function: Callable[..., tuple[Any, ...]] = space["vjp"]
    return function if of_tensors or of_complex else reduced.of_any_precision(op, function)


def _calls(op: Op) -> set[str]:
    return {name for formula in (*op.gradients.values(), *op.recorded.values()) for name in formula.calls}


def _callee(name: str, of_tensors: bool) -> Callable[..., Any]:
    """An operation or a helper that a formula calls."""
    if of_tensors and name in REGISTRY.composed:
        return REGISTRY.composed[name]
    if name in REGISTRY:
        return REGISTRY[name].call if of_tensors else REGISTRY[name].body
    helper = REGISTRY.helpers[name]
    return helper.tensors if of_tensors else helper.arrays


REGISTRY.compiler = Compiler(wrapper, vjp, reduced.vjp, complete)
