"""``gradcheck`` and ``gradgradcheck``: gradients compared with finite differences.

https://pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd import backward
from gradflow.engine.ops.pointwise.complex import imag_of_tensor, real_of_tensor
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import grad_mode, unrecorded, warn
from gradflow.engine.tensor import Tensor, printing

Function = Callable[..., Any]


class GradcheckError(RuntimeError):
    """A gradient that differs from the finite difference."""


GradcheckError.__module__ = "torch.autograd.gradcheck"


def gradcheck(
    func: Function,
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the gradients of ``func`` agree with finite differences. Raises GradcheckError where not."""
    given = inputs if isinstance(inputs, tuple) else tuple(inputs) if isinstance(inputs, list) else (inputs,)
    try:
        _check_inputs(given)
        with unrecorded(), grad_mode(True):
            _check(func, given, eps, atol, rtol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _check_inputs(given: tuple[Any, ...]) -> None:
    wanted = False
    for index, each in enumerate(given):
        if isinstance(each, Tensor) and each.requires_grad:
            if each.dtype.name not in ("float64", "complex128"):
                warn(
                    f"Input #{index} requires gradient and is not a double precision floating point or complex. This"
                    " check"
                    " will likely fail if all the inputs are not of double precision floating point or complex. "
                )
            wanted = True
    if not wanted:
        raise errors.DERIVATIVE_VALUE(
            message="gradcheck expects at least one input tensor to require gradient, but none of them have"
            " requires_grad=True."
        )


def _outputs(func: Function, given: tuple[Any, ...]) -> list[Tensor]:
    returned = func(*given)
    values = returned if isinstance(returned, (tuple, list)) else (returned,)
    return [v for v in values if isinstance(v, Tensor)]


def _check(func: Function, given: tuple[Any, ...], eps: float, atol: float, rtol: float) -> None:
    if not any(o.requires_grad for o in _outputs(func, given)):
        _check_constant(func, given, eps)
        return
    complex_ones = [i for i, o in enumerate(_outputs(func, given)) if o._a.dtype.kind == "c"]
    if not complex_ones:
        _check_real(func, given, eps, atol, rtol, {})
        return
    for part, operation in (("imaginary", imag_of_tensor), ("real", real_of_tensor)):
        prefix = f"While considering the {part} part of complex outputs only, "
        _check_real(_part(func, operation), given, eps, atol, rtol, dict.fromkeys(complex_ones, prefix))


def _part(func: Function, operation: Function) -> Function:
    """The function with the real or the imaginary part of its complex outputs."""

    def part(*inputs: Any) -> tuple[Tensor, ...]:
        outputs = _outputs(func, inputs)
        return tuple(operation(o) if o._a.dtype.kind == "c" else o for o in outputs)

    return part


def _check_constant(func: Function, given: tuple[Any, ...], eps: float) -> None:
    """Without a differentiable output all finite differences must be zero."""
    for point in _points(given):
        for number in range(len(_outputs(func, given))):
            if _numerical(func, given, point, number, eps).any():
                raise GradcheckError("Numerical gradient for function expected to be zero")


def _points(given: tuple[Any, ...]) -> list[Tensor]:
    return [t for t in given if isinstance(t, Tensor) and t.requires_grad]


def _check_real(
    func: Function, given: tuple[Any, ...], eps: float, atol: float, rtol: float, prefixes: dict[int, str]
) -> None:
    points = _points(given)
    numbers = [n for n, o in enumerate(_outputs(func, given)) if o.requires_grad]
    numerical = {(n, i): _numerical(func, given, point, n, eps) for n in numbers for i, point in enumerate(points)}
    for position, number in enumerate(numbers):
        analytical = _analytical(_outputs(func, given)[number], points)
        for index in range(len(points)):
            own, other = analytical[index], numerical[number, index]
            if not np.allclose(own, other, rtol, atol):
                raise _mismatch(position, index, other, own, prefixes.get(position, ""))


def _mismatch(number: int, index: int, numerical: np.ndarray, analytical: np.ndarray, prefix: str) -> Exception:
    texts = [
        printing.tensor_repr(
            a,
            dtype_default=a.dtype in (np.float32, np.complex64),
            dtype_name=f"torch.{a.dtype.name}",
            grad_fn=None,
            requires_grad=False,
        )
        for a in (numerical, analytical)
    ]
    return GradcheckError(
        f"{prefix}Jacobian mismatch for output {number} with respect to input"
        f" {index},\nnumerical:{texts[0]}\nanalytical:{texts[1]}\n"
    )


def _analytical(output: Tensor, points: list[Tensor]) -> list[np.ndarray]:
    """For each input its Jacobian, a row for each of its elements and a column for each of the output."""
    found = [np.zeros((p._a.size, output._a.size), p._a.dtype) for p in points]
    if not output.requires_grad:
        return found
    for column in range(output._a.size):
        seed = np.zeros_like(output._a, shape=output._a.size)
        seed[column] = 1
        grads = backward.grad(output, points, Tensor(seed.reshape(output._a.shape)), True, allow_unused=True)
        for jacobian, grad in zip(found, grads, strict=True):
            if grad is not None:
                jacobian[:, column] = grad._a.reshape(-1)
    return found


def _numerical(func: Function, given: tuple[Any, ...], point: Tensor, number: int, eps: float) -> np.ndarray:
    """The Jacobian from differences; for a complex input those along both axes, put together."""
    rows = []
    for position in np.ndindex(point._a.shape):
        row = _difference(func, given, point._a, position, number, eps)
        if point._a.dtype.kind == "c":
            row = row + 1j * _difference(func, given, point._a, position, number, eps, 1j)
        rows.append(row)
    return np.array(rows, point._a.dtype).reshape(point._a.size, -1)


def _difference(
    func: Function,
    given: tuple[Any, ...],
    memory: np.ndarray,
    position: Any,
    number: int,
    eps: float,
    unit: complex = 1,
) -> np.ndarray:
    kept = memory[position]
    sides = []
    for step in (-eps * unit, eps * unit):
        memory[position] = kept + step
        sides.append(Tensor(_outputs(func, given)[number]._a.copy()))
    memory[position] = kept
    difference: np.ndarray = (REGISTRY["sub"].call(sides[1], sides[0])._a / (2 * eps)).reshape(-1)
    return difference


def gradgradcheck(
    func: Function,
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """The same for the second derivatives."""
    given = inputs if isinstance(inputs, tuple) else tuple(inputs) if isinstance(inputs, list) else (inputs,)
    with unrecorded(), grad_mode(True):
        weights = _weights(func, given, grad_outputs)
    points = [i for i, t in enumerate(given) if isinstance(t, Tensor) and t.requires_grad]

    def first(*arguments: Any) -> tuple[Tensor, ...]:
        inner, outer = arguments[: len(given)], arguments[len(given) :]
        outputs = [o for o in _outputs(func, inner) if o.requires_grad]
        found = backward.grad(outputs, [inner[i] for i in points], list(outer), create_graph=True, allow_unused=True)
        return tuple(f for f in found if f is not None)

    return gradcheck(first, (*given, *weights), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception)


def _weights(func: Function, given: tuple[Any, ...], grad_outputs: Any) -> tuple[Tensor, ...]:
    if grad_outputs is not None:
        return grad_outputs if isinstance(grad_outputs, tuple) else (grad_outputs,)
    outputs = [o for o in _outputs(func, given) if o.requires_grad]
    return tuple(
        Tensor(np.linspace(0.5, 1.5, o._a.size, dtype=o._a.dtype).reshape(o._a.shape), requires_grad=True)
        for o in outputs
    )


def members() -> dict[str, Any]:
    """The public names of the module."""
    return {"gradcheck": gradcheck, "gradgradcheck": gradgradcheck, "GradcheckError": GradcheckError}
