"""``gradcheck`` and ``gradgradcheck``: gradients compared with finite differences.

https://pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd import backward
from gradflow.engine.autograd.function.function import Function as CustomFunction
from gradflow.engine.namespace.public.small_parts import make_tensor
from gradflow.engine.ops.pointwise.complex import imag_of_tensor, real_of_tensor
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE, unrecorded, warn
from gradflow.engine.tensor import Tensor, printing

Function = Callable[..., Any]

PASSES_SHOWN = 200
"""A check that needs more passes runs, but is not shown: one for each element of the output, all of them twice."""


@dataclass(frozen=True)
class Difference:
    """The Jacobians that differ: which input of the function, and for each of its elements a row, by passes and by differences."""

    input: int
    analytical: np.ndarray
    numerical: np.ndarray
    given: tuple[Any, ...]


class GradcheckError(RuntimeError):
    """A gradient that differs from the finite difference."""

    _difference: Difference | None = None


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
    given = _as_tuple(inputs)
    try:
        _check_inputs(given)
        _Check(func, given, eps, atol, rtol, nondet_tol).run(undefined=check_undefined_grad, backward=check_backward_ad)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _as_tuple(given: Any) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, (tuple, list)) else (given,)


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
    return [v for v in _as_tuple(func(*given)) if isinstance(v, Tensor)]


def _part(func: Function, operation: Function) -> Function:
    """The function with the real or the imaginary part of its complex outputs."""

    def part(*inputs: Any) -> tuple[Tensor, ...]:
        return tuple(operation(o) if o._a.dtype.kind == "c" else o for o in _outputs(func, inputs))

    return part


def _wanted(outputs: list[Tensor]) -> list[Tensor]:
    return [output for output in outputs if output.requires_grad]


def _points(given: tuple[Any, ...]) -> list[Tensor]:
    return [t for t in given if isinstance(t, Tensor) and t.requires_grad]


class _Check:
    """One check, with the evaluations and passes of PyTorch's in its order."""

    def __init__(
        self, func: Function, given: tuple[Any, ...], eps: float, atol: float, rtol: float, nondet_tol: float
    ) -> None:
        self.func, self.given, self.points = func, given, _points(given)
        self.eps, self.atol, self.rtol, self.nondet_tol = eps, atol, rtol, nondet_tol
        self.runs_passes = False

    def run(self, *, undefined: bool, backward: bool) -> None:
        before = _passes_so_far()
        outputs = _outputs(self.func, self.given)
        self.runs_passes = _passes_so_far() > before
        with nullcontext() if self.passes_needed(outputs) <= PASSES_SHOWN else unrecorded():
            wanted = _wanted(outputs)
            if not wanted:
                self.constant(outputs)
                return
            self.jacobians(outputs)
            if backward:
                self.linear_in_gradient(wanted)
            if backward and undefined:
                self.undefined(len(wanted))

    def passes_needed(self, outputs: list[Tensor]) -> int:
        """How many passes the check takes, with those that the function itself runs where it is evaluated."""
        wanted = _wanted(outputs)
        parts = 2 if any(o._a.dtype.kind == "c" for o in outputs) else 1
        at_the_end = 1 + (len(wanted) if len(wanted) > 1 else 0)
        evaluations = (
            sum(2 * p._a.size * (2 if p._a.dtype.kind == "c" else 1) for p in self.points) * parts + at_the_end
        )
        columns = sum(o._a.size for o in wanted) * parts
        return 2 * columns + 1 + at_the_end + (evaluations if self.runs_passes else 0)

    def constant(self, outputs: list[Tensor]) -> None:
        """Without a differentiable output all finite differences must be zero."""
        if any(difference.any() for point in self.points for difference in self.numerical(self.func, point, outputs)):
            raise GradcheckError("Numerical gradient for function expected to be zero")

    def jacobians(self, outputs: list[Tensor]) -> None:
        """Compare the Jacobians, those of complex outputs in both parts."""
        complex_ones = [i for i, o in enumerate(_wanted(outputs)) if o._a.dtype.kind == "c"]
        if not any(o._a.dtype.kind == "c" for o in outputs):
            self.real(self.func, outputs, {})
            return
        for part, operation in (("imaginary", imag_of_tensor), ("real", real_of_tensor)):
            prefix = f"While considering the {part} part of complex outputs only, "
            func = _part(self.func, operation)
            self.real(func, _outputs(func, self.given), dict.fromkeys(complex_ones, prefix))

    def real(self, func: Function, outputs: list[Tensor], prefixes: dict[int, str]) -> None:
        numerical = [self.numerical(func, point, outputs) for point in self.points]
        numbers = [number for number, output in enumerate(outputs) if output.requires_grad]
        for position, number in enumerate(numbers):
            analytical = self.analytical(outputs[number])
            for index, own in enumerate(analytical):
                other = numerical[index][number]
                if not np.allclose(own, other, self.rtol, self.atol):
                    error = _mismatch(position, index, other, own, prefixes.get(position, ""))
                    at = next(n for n, one in enumerate(self.given) if one is self.points[index])
                    error._difference = Difference(at, own, other, self.given)
                    raise error

    # -- from passes ------------------------------------------------------------------------------------------------

    def analytical(self, output: Tensor) -> list[np.ndarray]:
        """For each input its Jacobian. It is worked out twice, and has to be the same."""
        first, second = self.rows(output), self.rows(output)
        for a, b in zip(first, second, strict=True):
            if a.size and not np.abs(a - b).max() <= self.nondet_tol:
                raise GradcheckError(_NOT_REENTRANT.format(self.nondet_tol))
        return first

    def rows(self, output: Tensor) -> list[np.ndarray]:
        """For each input a row for each of its elements and a column for each of the output."""
        found = [np.zeros((p._a.size, output._a.size), p._a.dtype) for p in self.points]
        for column in range(output._a.size):
            seed = np.zeros_like(output._a, shape=output._a.size)
            seed[column] = 1
            seeds = Tensor(seed.reshape(output._a.shape))
            grads = backward.grad(output, self.points, seeds, True, allow_unused=True)
            for jacobian, grad in zip(found, grads, strict=True):
                if grad is not None:
                    jacobian[:, column] = grad._a.reshape(-1)
        return found

    def from_zeros(self, outputs: Sequence[Tensor]) -> bool:
        """Whether gradients of zeros lead to nothing but zeros."""
        seeds = [Tensor(np.zeros(o._a.shape, o._a.dtype)) for o in outputs]
        grads = backward.grad(outputs, self.points, seeds, allow_unused=True)
        return not any(grad is not None and grad._a.any() for grad in grads)

    def linear_in_gradient(self, outputs: list[Tensor]) -> None:
        if not self.from_zeros(outputs):
            raise GradcheckError("backward not multiplied by grad_output")

    def undefined(self, count: int) -> None:
        """Functions have to bear that no gradient arrives at all, and at one of several outputs."""
        choices = [range(count), *([number] for number in range(count) if count > 1)]
        tried = [self.without(choice) for choice in choices]
        for outputs in tried:
            try:
                vanishing = self.from_zeros(outputs)
            except RuntimeError as error:
                warn(_UNDEFINED_WARNING)
                raise GradcheckError(_UNDEFINED_RAISES) from error
            if not vanishing:
                warn(_UNDEFINED_WARNING)
                raise GradcheckError(_UNDEFINED_GIVES)

    def without(self, choice: Sequence[int]) -> list[Tensor]:
        """The outputs, some of which let no gradient through."""
        outputs = _wanted(_outputs(self.func, self.given))
        return [UndefinedGrad.apply(output) if n in choice else output for n, output in enumerate(outputs)]

    # -- from differences -------------------------------------------------------------------------------------------

    def numerical(self, func: Function, point: Tensor, outputs: list[Tensor]) -> list[np.ndarray]:
        """The Jacobian of each output from differences; for a complex input those along both axes, put together.

        The evaluations are left out of the trace, but where the function itself runs passes.
        """
        with nullcontext() if self.runs_passes else unrecorded():
            rows = [self.row(func, point, position) for position in np.ndindex(point._a.shape)]
        size = point._a.size
        return [
            np.array([row[number] for row in rows], point._a.dtype).reshape(size, -1) for number in range(len(outputs))
        ]

    def row(self, func: Function, point: Tensor, position: Any) -> list[np.ndarray]:
        along = self.difference(func, point, position, 1)
        if point._a.dtype.kind != "c":
            return along
        return [a + 1j * b for a, b in zip(along, self.difference(func, point, position, 1j), strict=True)]

    def difference(self, func: Function, point: Tensor, position: Any, unit: complex) -> list[np.ndarray]:
        kept, sides = point._a[position], []
        for step in (-self.eps * unit, self.eps * unit):
            _move(point, position, kept + step)
            sides.append([Tensor(output._a.copy()) for output in _outputs(func, self.given)])
        _move(point, position, kept)
        subtract = REGISTRY["sub"].call
        with unrecorded():
            return [(subtract(b, a)._a / (2 * self.eps)).reshape(-1) for a, b in zip(*sides, strict=True)]


def _move(point: Tensor, position: Any, value: Any) -> None:
    """Another value of one element, as ``point.data[position] = value`` gives it."""
    point._st.before_write()
    point._a[position] = value
    if STATE.recorder is not None:
        STATE.recorder.chronology.wrote(point, "data")


def _passes_so_far() -> int:
    return 0 if STATE.recorder is None else len(STATE.recorder.passes)


class UndefinedGrad(CustomFunction):
    """Lets no gradient through: what stands behind it is given None."""

    @staticmethod
    def forward(ctx: Any, input: Tensor) -> Tensor:
        return Tensor(input._a)

    @staticmethod
    def backward(ctx: Any, *_: Any) -> None:
        return None


_NOT_REENTRANT = (
    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different"
    " values, although analytical gradient matches numerical gradient.The tolerance for nondeterminism was {}."
)
_UNDEFINED_WARNING = (
    "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may break"
    ' existing callers of this function. If this is true for you, you can call this function with "check_undefined_grad'
    '=False" to disable the feature'
)
_UNDEFINED_RAISES = (
    'Expected backward function to handle undefined output grads. Please look at "Notes about undefined output'
    ' gradients" in "tools/autograd/derivatives.yaml"'
)
_UNDEFINED_GIVES = (
    "Expected all input grads to be undefined or zero when all output grads are undefined or zero. Please look at"
    ' "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
)


def _mismatch(number: int, index: int, numerical: np.ndarray, analytical: np.ndarray, prefix: str) -> GradcheckError:
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
    given = _as_tuple(inputs)
    weights = _weights(func, given, gen_non_contig_grad_outputs) if grad_outputs is None else _as_tuple(grad_outputs)
    points = [i for i, t in enumerate(given) if isinstance(t, Tensor) and t.requires_grad]

    def first(*arguments: Any) -> tuple[Tensor, ...]:
        inner, outer = arguments[: len(given)], arguments[len(given) :]
        outputs = _wanted(_outputs(func, inner))
        found = backward.grad(outputs, [inner[i] for i in points], list(outer), create_graph=True, allow_unused=True)
        return tuple(f for f in found if f is not None)

    return gradcheck(
        first,
        (*given, *weights),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_backward_ad=check_rev_over_rev,
    )


def _weights(func: Function, given: tuple[Any, ...], apart: bool) -> tuple[Tensor, ...]:
    """Gradients to begin with: random ones, drawn as PyTorch draws them."""
    with unrecorded():
        outputs = _wanted(_outputs(func, given))
        return tuple(
            make_tensor(*o.shape, dtype=o.dtype, device=None, low=-1, high=1, requires_grad=True, noncontiguous=apart)
            for o in outputs
        )


def members() -> dict[str, Any]:
    """The public names of the module."""
    return {"gradcheck": gradcheck, "gradgradcheck": gradgradcheck, "GradcheckError": GradcheckError}
