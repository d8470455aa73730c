"""Methods and operators of Tensor, installed from the registry and from the composites."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd import backward, conj_neg_views, hooks, inplace
from gradflow.engine.dispatch.operands import foreign_operands, tell_result_classes
from gradflow.engine.namespace import special_functions
from gradflow.engine.namespace.checked_calls import checked
from gradflow.engine.namespace.functional import torch_nn_functional
from gradflow.engine.namespace.functions import (
    composite,
    contractions,
    copies,
    creation,
    elementwise,
    layouts,
    memory,
    reductions,
    resizing,
    shapes,
)
from gradflow.engine.namespace.functions import index_functions as selection
from gradflow.engine.namespace.functions.legacy_types import TENSOR, new
from gradflow.engine.namespace.linalg import torch_linalg
from gradflow.engine.namespace.random import random_in_place
from gradflow.engine.namespace.signal import spectrogram
from gradflow.engine.namespace.sparse import torch_sparse
from gradflow.engine.namespace.tensor import builtin_methods as _builtin_methods  # noqa: F401  # tells the gate
from gradflow.engine.namespace.tensor import devices, indexing, inner_names, meta, numpy_protocol, own_tensors
from gradflow.engine.numerics.broadcasting import check_broadcast_into
from gradflow.engine.numerics.scalars import own_number, python_number
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.gate import allow, is_public
from gradflow.engine.sandbox.special_names import is_special
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor, dtypes
from gradflow.engine.tensor.late_methods import stop_waiting


def tensor_backward(
    self: Tensor, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
) -> None:
    """Add the vector-Jacobian product with ``gradient`` into ``.grad`` of the leaves."""
    backward.backward(self, gradient, retain_graph, create_graph, inputs=inputs)


def detach_(self: Tensor) -> Tensor:
    """Take the tensor itself out of the graph."""
    if self._view is not None:
        raise errors.DETACH_VIEW()
    made, self._node, self._rg = self._node, None, False
    if STATE.recorder is not None:
        (STATE.recorder.update if made is None else STATE.recorder.forget)(self)
        STATE.recorder.chronology.marked([self])
    return self


def zero_(self: Tensor) -> Tensor:
    """All elements 0, in place."""
    return _in_place("zero")(self)


def copy_(self: Tensor, other: Any) -> Tensor:
    """The elements of ``other``, broadcast, in place."""
    if isinstance(other, Tensor) and other._a.ndim:
        inplace.check(self, STATE.grad and (self.requires_grad or other.requires_grad))
        check_broadcast_into(self._a.shape, other._a.shape)
    indexing.copy_into(self, other if isinstance(other, Tensor) else indexing.as_source(self, other))
    return self


def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """Write (or add) ``values`` at index tensors, in place."""
    key = tuple(None if i is None else i._a for i in indices)
    return _in_place("index_put")(self, key, values, accumulate)


def _squeeze_(self: Tensor, dim: Any = None) -> Tensor:
    """Without dimensions of length 1, in place."""
    if dim is None:
        return memory.relabelled("squeeze_all", "SqueezeBackward3")(self)
    if isinstance(dim, (tuple, list)):
        return memory.relabelled("squeeze_dims", "SqueezeBackward5")(self, dim)
    return memory.relabelled("squeeze_dim", "SqueezeBackward4")(self, dim)


def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Set ``requires_grad`` in place."""
    if not isinstance(requires_grad, bool):
        raise errors.ARGUMENT_TYPE(
            function="requires_grad_",
            argument="requires_grad",
            position=1,
            expected="bool",
            actual=type(requires_grad).__name__,
        )
    if requires_grad and self.dtype.category < dtypes.FLOAT:
        raise errors.INTEGER_REQUIRES_GRAD_METHOD(subject=self)
    if not requires_grad or self._node is None:  # of a computed tensor it is true already
        self.requires_grad = requires_grad
    return self


def _in_place(name: str) -> Callable[..., Any]:
    call = REGISTRY[name].call_inplace
    assert call is not None
    return call


_COMPARED_OR_BITWISE = ("ne", "lt", "le", "gt", "ge", "and", "or", "xor", "rand", "ror", "rxor", "lshift", "rshift")


# -- operators ---------------------------------------------------------------------------------------------------------

_PLAIN = (Tensor, int, float, complex)


def _operator(function: Callable[..., Any], title: str | None = None) -> Callable[[Tensor, Any], Any]:
    """A binary operator: NotImplemented for operands that are no tensor and no number, so that Python says which."""
    name = title or function.__name__

    def operate(self: Tensor, other: Any) -> Any:
        if isinstance(other, np.generic):
            other = python_number(other)
        return (
            function(self, own_number(other)) if isinstance(other, _PLAIN) else own_tensors.foreign(name, self, other)
        )

    return operate


_raised = _operator(composite.pow)


def _power(self: Tensor, other: Any, modulus: Any = None) -> Any:
    """``**``; there is no power modulo a number."""
    return _raised(self, other) if modulus is None else NotImplemented


def _reflected(function: Callable[..., Any], title: str) -> Callable[[Tensor, Any], Any]:
    return _operator(lambda self, other: function(other, self), title)


def _product(function: Callable[..., Any]) -> Callable[[Tensor, Any], Any]:
    """``@``: of tensors only."""
    name = function.__name__
    return lambda self, other: (
        function(self, other) if isinstance(other, Tensor) else own_tensors.foreign(name, self, other)
    )


def _invert(self: Tensor) -> Any:
    """``~``, of booleans and integers."""
    if self._a.dtype.kind in "fcV":
        raise errors.INVERT_DTYPE()
    return REGISTRY["bitwise_not"].call(self)


def _divided(self: Tensor, other: Any) -> Any:
    """``other / self``, of an array of numbers too: NumPy then multiplies."""
    if isinstance(other, (*_PLAIN, np.generic)) or _is_array(other):
        return REGISTRY["reciprocal"].call(self) * own_number(other)
    return NotImplemented


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype in dtypes.BY_NUMPY


def _equal(eq: Callable[..., Any]) -> Callable[[Tensor, Any], Any]:
    """``==``, which alone of the comparisons takes an array of numbers."""
    plain = _operator(eq)

    def operate(self: Tensor, other: Any) -> Any:
        return eq(self, creation.array_view(other)) if _is_array(other) else plain(self, other)

    return operate


def _operators() -> dict[str, Callable[..., Any]]:
    call = {op.name: op.call for op in REGISTRY}
    both = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div"}
    table: dict[str, Callable[..., Any]] = {f"__{name}__": REGISTRY[own].operator for name, own in both.items()}
    table |= {f"__i{name}__": _operator(_in_place(own)) for name, own in both.items()}
    table |= {
        "__radd__": REGISTRY["add"].operator,
        "__rmul__": REGISTRY["mul"].operator,
        "__rsub__": _operator(elementwise.rsub),
        "__rtruediv__": _divided,
        "__matmul__": _product(composite.matmul),
        "__rmatmul__": _product(composite.rmatmul),
        "__pow__": _power,
        "__rpow__": _reflected(composite.pow, "__rpow__"),
        "__ipow__": _operator(composite.pow_),
        "__floordiv__": _operator(elementwise.floor_divide),
        "__mod__": _operator(elementwise.remainder),
        "__imod__": _operator(elementwise.remainder_),
        "__rmod__": _reflected(elementwise.remainder, "__rmod__"),
        "__rfloordiv__": _reflected(elementwise.floor_divide, "__rfloordiv__"),
        "__ifloordiv__": _operator(elementwise.floor_divide_),
        "__lshift__": _operator(call["bitwise_left_shift"]),
        "__rshift__": _operator(call["bitwise_right_shift"]),
        "__neg__": call["neg"],
        "__pos__": elementwise.positive,
        "__abs__": call["abs"],
        "__array_wrap__": numpy_protocol.array_wrap,
        "__contains__": memory.contains,
        "__getitem__": indexing.getitem,
        "__setitem__": indexing.setitem,
        "__delitem__": indexing.delitem,
        "__invert__": _invert,
    }
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        table[f"__{name}__"] = _operator(call[name])
    for name in ("and", "or", "xor"):
        function = _operator(call[f"bitwise_{name}"])
        table |= {f"__{name}__": function, f"__r{name}__": function}
        table[f"__i{name}__"] = _operator(_in_place(f"bitwise_{name}"))
    for short, name in (("lshift", "bitwise_left_shift"), ("rshift", "bitwise_right_shift")):
        table |= {f"__i{short}__": _operator(_in_place(name)), f"__r{short}__": _reflected(call[name], f"__r{short}__")}
    return table


# -- names -------------------------------------------------------------------------------------------------------------

ALIASES = {
    "multiply": "mul", "subtract": "sub", "divide": "div", "true_divide": "div", "absolute": "abs", "negative": "neg",
    "greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le", "not_equal": "ne", "ger": "outer",
    "swapaxes": "transpose", "swapdims": "transpose", "clip": "clamp",
}  # fmt: skip

_COMPOSITES = (
    "sum", "mean", "prod", "max", "min", "pow", "pow_", "matmul", "outer", "reshape", "flatten", "ravel", "view_as",
    "reshape_as", "expand_as", "broadcast_to", "contiguous", "to", "equal",
)  # fmt: skip

_OWN: dict[str, Callable[..., Any]] = {
    "backward": tensor_backward, "register_hook": hooks.register_hook,
    "register_post_accumulate_grad_hook": hooks.register_post_accumulate_grad_hook, "detach_": detach_, "zero_": zero_, "copy_": copy_,
    "index_put_": index_put_, **memory.FUNCTIONS, "as_subclass": own_tensors.as_subclass, "retain_grad": backward.retain_grad, "requires_grad_": requires_grad_,
    "new_zeros": creation.new_zeros, "new_ones": creation.new_ones, "new_empty": creation.new_empty,
    "new_full": creation.new_full, "new_tensor": creation.new_tensor, "type": composite.type_of,
}  # fmt: skip


def _where(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    result: Tensor = composite.where(condition, self, other)
    return result


def _fill_(self: Tensor, value: Any) -> Tensor:
    if not isinstance(value, Tensor):
        return _in_place("fill")(self, value)
    if value._a.ndim:
        raise errors.FILL_DIMENSIONS(dimensions=value._a.ndim)
    indexing.fill_tensor(self, value)
    return self


def _type_as(self: Tensor, other: Tensor) -> Tensor:
    return composite.to(self, other.dtype)


def _conversion(dtype: dtypes.dtype) -> Callable[[Tensor], Tensor]:
    def convert(self: Tensor, *, memory_format: Any = None) -> Tensor:
        return composite.to(self, dtype, memory_format=memory_format)

    convert.__doc__ = f"The tensor as {dtype!r}."
    return convert


def _methods() -> dict[str, Callable[..., Any]]:
    table: dict[str, Callable[..., Any]] = {}
    for op in REGISTRY:
        for name in op.methods:
            table[name] = op.call
            if op.call_inplace is not None and not name.startswith("__"):
                table[f"{name}_"] = op.call_inplace
    table |= {name: getattr(composite, name) for name in _COMPOSITES}
    table |= torch_nn_functional.methods()
    table |= {
        "t_": memory.relabelled("t", "TBackward1"),
        "transpose_": memory.relabelled("transpose", "TransposeBackward1"),
        "unsqueeze_": memory.relabelled("unsqueeze", "UnsqueezeBackward1"),
    }
    table |= {"where": _where, "fill_": _fill_, "type_as": _type_as, **_OWN}
    kinds = {
        **dtypes.ALIASES,
        "bfloat16": dtypes.bfloat16,
        "bool": dtypes.bool_,
        "char": dtypes.int8,
        "byte": dtypes.uint8,
    }
    table |= {name: _conversion(kind) for name, kind in kinds.items()}
    table |= elementwise.METHODS | special_functions.FUNCTIONS | random_in_place.METHODS | layouts.METHODS
    table |= (
        shapes.METHODS
        | selection.METHODS
        | resizing.METHODS
        | {"new": new}
        | spectrogram.FUNCTIONS
        | copies.METHODS
        | {"squeeze_": _squeeze_, "fill_diagonal_": memory.fill_diagonal_}
    )
    table |= reductions.METHODS | torch_linalg.METHODS | contractions.METHODS
    for alias, name in (ALIASES | elementwise.ALIASES).items():
        table[alias] = table[name]
        if f"{name}_" in table:
            table[f"{alias}_"] = table[f"{name}_"]
    return table


def _plain() -> dict[str, Callable[..., Any]]:
    """The methods that are written in the class itself."""
    return {
        name: member for name, member in vars(Tensor).items() if is_public(name) and isinstance(member, FunctionType)
    }


def _own_attribute(tensor: object, name: str) -> bool:
    """Whether a program has given a tensor this attribute."""
    return name in vars(tensor) and (is_public(name) or _settable(name))


def _settable(name: str) -> bool:
    """Whether programs may set this attribute of a tensor: one of its own, or a new one."""
    if name in ("grad", "requires_grad", "data", "real", "imag"):
        return True
    return not is_special(name) and name not in inner_names.INNER and not hasattr(Tensor, name)


def _written_part(part: Callable[[Tensor], Any]) -> Callable[[Tensor, Any], None]:
    """What ``z.real = values`` does."""

    def write(tensor: Any, values: Any) -> None:
        part(tensor).copy_(values)

    return write


def _allow_result(cls: Any) -> None:
    """A class of named results shows its fields."""
    allow(cls, (*cls._fields, "count", "index"), called=lambda _: f"torch.return_types.{cls.__name__}")


@cache
def install() -> None:
    """Give Tensor its operators, methods and properties, and tell the gate about them. Done once."""
    stop_waiting(Tensor)
    inner_names.collect(Tensor)
    foreign_operands[:] = [own_tensors.foreign]
    table = {name: checked(f"Tensor.{name}", function) for name, function in (_methods() | _plain()).items()}
    for name, function in {**_operators(), **table}.items():
        setattr(Tensor, name, function)
    for name in _COMPARED_OR_BITWISE:
        setattr(Tensor, f"__{name}__", _operator(table[f"__{name}__"]))
    setattr(Tensor, "__eq__", _equal(table["eq"]))  # noqa: B010  # else type checkers are confused
    for name, function in _OWN.items():
        function.__name__, function.__qualname__ = name, f"Tensor.{name}"
    for name, function in {
        "T": composite.reverse_dims,
        "mT": composite.adjoint,
        "mH": shapes.batch_adjoint,
        "nbytes": resizing.nbytes,
        "H": shapes.matrix_adjoint,
        "_backward_hooks": hooks.backward_hooks,
    }.items():
        setattr(Tensor, name, property(function))
    for part in (elementwise.real, elementwise.imag):
        setattr(Tensor, part.__name__, property(part, _written_part(part)))
    sparse = {name: checked(f"Tensor.{name}", function) for name, function in torch_sparse.DENSE_METHODS.items()}
    for name, function in (devices.METHODS | sparse).items():
        setattr(Tensor, name, function)
    devices.install()
    public = [name for name in dir(Tensor) if is_public(name)] + [
        "_version",
        "_base",
        "_is_view",
        "_grad",
        "_backward_hooks",
    ]
    given: Any = {"readable": _own_attribute, "writable": _settable, "shown_as": TENSOR, "copyable": True}
    allow(Tensor, public, **given)
    for cls in conj_neg_views.LAZY_VIEWS:
        allow(cls, public, **given)
    own_tensors.install()
    torch_sparse.install(public)
    meta.install(public)
    tell_result_classes(_allow_result)
