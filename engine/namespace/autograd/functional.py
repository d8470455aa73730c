"""``torch.autograd.functional``: Jacobians, Hessians and products with them, of functions of tensors.

https://pytorch.org/docs/stable/autograd.html#functional-higher-level-api
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd import backward
from gradflow.engine.autograd.function.transposed import forward_pass
from gradflow.engine.autograd.transforms import level_stack
from gradflow.engine.autograd.transforms.rows import new_batch, row_of, unit_seeds
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import grad_mode, unrecorded
from gradflow.engine.tensor import Tensor

Tensors = tuple[Tensor, ...]
Function = Callable[..., Any]

_OUTPUTS = "outputs of the user-provided function"


def as_tensors(given: Any, name: str, function: str) -> tuple[bool, Tensors]:
    """Whether a tuple was given, and the tensors as one. Raises TypeError for anything else."""
    several = isinstance(given, tuple)
    values = tuple(given) if several else (given,)  # once: a class of the program's could give others the next time
    for index, value in enumerate(values):
        if not isinstance(value, Tensor):
            which = f"value at index {index}" if several else f"given {name}"
            raise errors.DERIVATIVE_TYPE(
                message=f"The {name} given to {function} must be either a Tensor or a tuple of Tensors but the"
                f" {which} has type {type(value)}."
            )
    return several, values


def _prepared(inputs: Tensors, create_graph: bool, needed: bool) -> Tensors:
    """New tensors to differentiate for, connected to the given ones where the result is to be differentiable."""
    result = []
    for each in inputs:
        if create_graph and each.requires_grad:
            result.append(REGISTRY["view"].call(each, *each._a.shape))
        else:
            fresh = each.detach()
            if needed and each._a.dtype.kind not in "fcV":
                raise errors.INTEGER_REQUIRES_GRAD_METHOD(subject=each)
            fresh.requires_grad = needed
            result.append(fresh)
    return tuple(result)


def _finished(values: Any, create_graph: bool) -> Any:
    if isinstance(values, tuple):
        return tuple(_finished(v, create_graph) for v in values)
    return values if create_graph else values.detach()


def _grad(
    outputs: Sequence[Tensor], inputs: Tensors, given: Sequence[Any], *, create: bool, keep: bool | None = None
) -> Any:
    """Gradients of those outputs that have any; None for inputs that they do not depend on."""
    pairs = [(o, g) for o, g in zip(outputs, given, strict=True) if o is not None and o.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    return backward.grad([o for o, _ in pairs], inputs, [g for _, g in pairs], keep, create, allow_unused=True)


def _zeros(like: Tensor) -> Tensor:
    return Tensor(np.zeros_like(like._a))


def _filled(grads: Sequence[Tensor | None], like: Tensors, strict: bool, create: bool, stage: str) -> Tensors:
    """Zeros where there is no gradient. Raises RuntimeError for these in strict mode."""
    absent, constant = _STRICT[stage]
    for index, found in enumerate(grads):
        if strict and found is None:
            raise errors.DERIVATIVE_CALL(message=absent.format(i=index))
        if strict and create and found is not None and not found.requires_grad:
            raise errors.DERIVATIVE_CALL(message=constant.format(i=index))
    return tuple(_zeros(t) if g is None else g for g, t in zip(grads, like, strict=True))


_JACOBIAN_CONSTANT = (
    "The jacobian of the user-provided function is independent of input {i}. This is not allowed in strict mode when"
    " create_graph=True."
)
_HESSIAN_CONSTANT = _JACOBIAN_CONSTANT.replace("jacobian", "hessian")
_STRICT = {
    "back": (
        "The output of the user-provided function is independent of input {i}. This is not allowed in strict mode.",
        _JACOBIAN_CONSTANT,
    ),
    "back_trick": (
        "The gradient with respect to the input is independent of entry {i} in the grad_outputs when using the double"
        " backward trick to compute forward mode gradients. This is not allowed in strict mode.",
        _JACOBIAN_CONSTANT,
    ),
    "double_back": (
        "The jacobian of the user-provided function is independent of input {i}. This is not allowed in strict mode.",
        _HESSIAN_CONSTANT,
    ),
    "double_back_trick": (
        "The hessian of the user-provided function is independent of entry {i} in the grad_jacobian. This is not"
        " allowed"
        " in strict mode as it prevents from using the double backward trick to replace forward mode AD.",
        _HESSIAN_CONSTANT,
    ),
}
_NOT_REQUIRING = {
    "outputs": "Output {i} of the user-provided function does not require gradients. The outputs must be computed in a"
    " differentiable manner from the input when running in strict mode.",
    "grad_inputs": "The gradient with respect to input {i} is independent of the inputs of the user-provided function. This"
    " is not allowed in strict mode.",
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function with respect to input"
    " {i} is independent of the input. This is not allowed in strict mode. You should ensure that your function is"
    " twice"
    " differentiable and that the jacobian depends on the inputs (this would be violated by a linear function for"
    " example).",
}


def _require_grad(values: Sequence[Tensor | None], kind: str, strict: bool) -> None:
    for index, value in enumerate(values if strict else ()):
        if value is None:
            raise errors.DERIVATIVE_CALL(message=_STRICT["back"][0].format(i=index))
        if not value.requires_grad:
            raise errors.DERIVATIVE_CALL(message=_NOT_REQUIRING[kind].format(i=index))


def _vector(v: Any, like: Tensors, several: bool, function: str, absent: str, create: bool) -> Sequence[Any]:
    """The vector of a product, checked. Raises RuntimeError where its shapes are not those of ``like``."""
    if v is None:
        if len(like) != 1 or like[0]._a.size != 1:
            raise errors.DERIVATIVE_CALL(message=absent)
        return (None,)
    values = _prepared(as_tensors(v, "v", function)[1], create, needed=False)
    if len(values) != len(like):
        wrong = f"v is a tuple of invalid length: should be {len(like)} but got {len(values)}."
        raise errors.DERIVATIVE_CALL(message=wrong if several else "The given v should contain a single Tensor.")
    for index, (one, other) in enumerate(zip(values, like, strict=True)):
        if one._a.shape != other._a.shape:
            where = f"Entry {index} in " if several else ""
            raise errors.DERIVATIVE_CALL(
                message=f"{where}v has invalid size: should be {other.shape} but got {one.shape}."
            )
    return values


_V_OF_OUTPUT = (
    "The vector v can only be None if the user-provided function returns a single Tensor with a single element."
)
_V_OF_INPUT = (
    "The vector v can only be None if the input to the user-provided function is a single Tensor with a single element."
)


def _unpacked(values: Tensors, several: bool) -> Any:
    return values if several else values[0]


def vjp(func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The outputs of ``func``, and the product of ``v`` with its Jacobian."""
    with grad_mode(True):
        many_in, given = as_tensors(inputs, "inputs", "vjp")
        points = _prepared(given, create_graph, needed=True)
        many_out, outputs = as_tensors(func(*points), _OUTPUTS, "vjp")
        _require_grad(outputs, "outputs", strict)
        vector = _vector(v, outputs, many_out, "vjp", _V_OF_OUTPUT, create_graph)
    with grad_mode(create_graph):
        grads = _grad(outputs, points, vector, create=create_graph)
        product = _filled(grads, points, strict, create_graph, "back")
    return _unpacked(_finished(outputs, create_graph), many_out), _unpacked(_finished(product, create_graph), many_in)


def jvp(func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The outputs of ``func``, and the product of its Jacobian with ``v``."""
    with grad_mode(True):
        many_in, given = as_tensors(inputs, "inputs", "jvp")
        points = _prepared(given, create_graph, needed=True)
        vector = _vector(v, points, many_in, "jvp", _V_OF_INPUT, create_graph)
        many_out, outputs = as_tensors(func(*points), _OUTPUTS, "jvp")
        _require_grad(outputs, "outputs", strict)
        weights = tuple(_wanted(_zeros(o)) for o in outputs)
        grads = _grad(outputs, points, weights, create=True)
        _require_grad(grads, "grad_inputs", strict)
    with grad_mode(create_graph):
        seconds = _grad(grads, weights, vector, create=create_graph)
        product = _filled(seconds, outputs, strict, create_graph, "back_trick")
    return _unpacked(_finished(outputs, create_graph), many_out), _unpacked(_finished(product, create_graph), many_out)


def _wanted(tensor: Tensor) -> Tensor:
    tensor._rg = True
    return tensor


def jacobian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The derivative of every element of every output for every element of every input."""
    _check_strategy(create_graph, strict, vectorize, strategy)
    with grad_mode(True):
        many_in, given = as_tensors(inputs, "inputs", "jacobian")
        points = _prepared(given, create_graph, needed=True)
        forward = strategy == "forward-mode"
        named = ("outputs", "None") if forward else (_OUTPUTS, "jacobian")
        with level_stack.Forward(points) if forward else nullcontext():
            many_out, outputs = as_tensors(func(*points), *named)
        _require_grad(outputs, "outputs", strict)
        if vectorize and strict:
            raise _unsupported("`strict=True` and `vectorized=True`", "", "`vectorize=False`")
        with unrecorded() if forward else nullcontext(), forward_pass() if forward else nullcontext():
            one_by_one = (_jacobian_of(i, out, points, create_graph, strict) for i, out in enumerate(outputs))
            rows = _at_once(outputs, points, create_graph) if vectorize else tuple(one_by_one)
        found = _finished(rows, create_graph)
    if forward:  # lists, where the other way gives tuples: so it is in PyTorch
        found = [list(row) for row in found]
    each = found if many_in else tuple(row[0] for row in found)
    return each if many_out else each[0]


def _unsupported(what: str, yet: str, instead: str) -> Exception:
    return errors.DERIVATIVE_CALL(
        message=f"torch.autograd.functional.jacobian: {what} are not supported together{yet}. Please either set"
        f" `strict=False` or {instead}."
    )


def _check_strategy(create_graph: bool, strict: bool, vectorize: bool, strategy: str) -> None:
    """Raises for combinations that PyTorch does not have."""
    if strategy not in ("forward-mode", "reverse-mode"):
        raise errors.DERIVATIVE_ASSERTION(
            message='Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more'
            ' outputs than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "reverse-mode":
        return
    if create_graph:
        raise errors.DERIVATIVE_ABSENT(
            message='torch.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` are not'
            ' supported together (yet). Please either set `create_graph=False` or `strategy="reverse-mode"`.'
        )
    if strict:
        raise _unsupported('`strict=True` and `strategy="forward-mode"`', " (yet)", '`strategy="reverse-mode"`')
    if not vectorize:
        raise errors.DERIVATIVE_ABSENT(
            message="Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for"
            " `vectorize=True`."
        )


def _jacobian_of(number: int, output: Tensor, points: Tensors, create: bool, strict: bool) -> Tensors:
    call = {name: REGISTRY[name].call for name in ("view", "stack", "select")}
    columns: list[list[Tensor]] = [[] for _ in points]
    flat = output.reshape(-1)  # type: ignore[attr-defined]  # installed
    for index in range(output._a.size):
        grads = _grad((call["select"](flat, 0, index),), points, (None,), create=create, keep=True)
        for i, (found, point) in enumerate(zip(grads, points, strict=True)):
            if strict and found is None:
                raise errors.DERIVATIVE_CALL(
                    message=f"Output {number} of the user-provided function is independent of input {i}. This is not allowed"
                    " in strict mode."
                )
            if strict and create and not found.requires_grad:
                raise errors.DERIVATIVE_CALL(message=_JACOBIAN_CONSTANT.format(i=number))
            columns[i].append(_zeros(point) if found is None else found)
    return tuple(
        call["view"](call["stack"](column, 0), *output._a.shape, *point._a.shape)
        for column, point in zip(columns, points, strict=True)
    )


def _at_once(outputs: Tensors, points: Tensors, create: bool) -> tuple[Tensors, ...]:
    """The same for all elements of all outputs, which PyTorch does in one pass."""
    call = {name: REGISTRY[name].call for name in ("view", "stack")}
    flat = [output.reshape(-1) for output in outputs]  # type: ignore[attr-defined]  # installed
    rows: list[list[list[Tensor]]] = [[[] for _ in points] for _ in outputs]
    batch, count = new_batch(), sum(output._a.size for output in outputs)
    for index, (number, seeds) in enumerate(unit_seeds(flat)):
        with row_of(batch, index, count):
            grads = _grad(flat, points, seeds, create=create, keep=True if index < count - 1 else None)
        for column, g, point in zip(rows[number], grads, points, strict=True):
            column.append(_zeros(point) if g is None else g)
    return tuple(
        tuple(
            call["view"](call["stack"](column, 0), *output._a.shape, *point._a.shape)
            for column, point in zip(own, points, strict=True)
        )
        for own, output in zip(rows, outputs, strict=True)
    )


def _single(func: Function, name: str, strict: bool = False) -> Function:
    """The function, checked to return one number."""

    def checked(*inputs: Tensor) -> Tensor:
        many, outputs = as_tensors(func(*inputs), _OUTPUTS, name)
        _require_grad(outputs, "outputs", strict)
        if many:
            raise errors.DERIVATIVE_CALL(message=f"The function given to {name} should return a single Tensor")
        if outputs[0]._a.size != 1:
            raise errors.DERIVATIVE_CALL(
                message=f"The Tensor returned by the function given to {name} should contain a single element"
            )
        return outputs[0].squeeze() if name == "hessian" else outputs[0]  # type: ignore[attr-defined]  # installed

    return checked


def hessian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of a function that returns one number."""
    many_in, given = as_tensors(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        message = 'Expected strategy to be either "forward-mode" or "reverse-mode".'
        raise errors.DERIVATIVE_ASSERTION(message=message)
    scalar = _single(func, "hessian", strict)

    def first(*points: Tensor) -> Tensors:
        found: Tensors = jacobian(scalar, points, create_graph=True)
        _require_grad(found, "jacobian", strict)
        return found

    second = jacobian(
        first, given, create_graph=create_graph, strict=strict, vectorize=vectorize, strategy=outer_jacobian_strategy
    )
    return second if many_in else second[0][0]


def vhp(func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The output of ``func``, and the product of ``v`` with its Hessian."""
    with grad_mode(True):
        many_in, given = as_tensors(inputs, "inputs", "vhp")
        points = _prepared(given, create_graph, needed=True)
        vector = _vector(v, points, many_in, "vhp", _V_OF_INPUT, create_graph)
        output = _single(func, "vhp", strict)(*points)
        first = _grad((output,), points, (None,), create=True)
        _require_grad(first, "jacobian", strict)
        vector = vector if vector != (None,) else [Tensor(np.ones_like(points[0]._a))]
    with grad_mode(create_graph):
        seconds = _grad(first, points, vector, create=create_graph)
        product = _filled(seconds, points, strict, create_graph, "double_back")
    return _finished(output, create_graph), _unpacked(_finished(product, create_graph), many_in)


def hvp(func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The output of ``func``, and the product of its Hessian with ``v``."""
    with grad_mode(True):
        many_in, given = as_tensors(inputs, "inputs", "hvp")
        points = _prepared(given, create_graph, needed=True)
        vector = _vector(v, points, many_in, "hvp", _V_OF_INPUT, create_graph)
        output = _single(func, "hvp", strict)(*points)
        first = _grad((output,), points, (None,), create=True)
        _require_grad(first, "jacobian", strict)
        weights = tuple(_wanted(_zeros(p)) for p in points)
        second = _grad(first, points, weights, create=True)
        _require_grad(second, "grad_inputs", strict)
    with grad_mode(create_graph):
        seconds = _grad(second, weights, vector, create=create_graph)
        product = _filled(seconds, points, strict, create_graph, "double_back_trick")
    return _finished(output, create_graph), _unpacked(_finished(product, create_graph), many_in)


def members() -> dict[str, Any]:
    """The public names of the module."""
    return {f.__name__: f for f in (vjp, jvp, jacobian, hessian, vhp, hvp)}
