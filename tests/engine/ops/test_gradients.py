"""Every gradient formula in the registry against finite differences, of order one and two.

The samples stand in the declarations. A real scalar is made of the outputs by a random projection; its differences are
those of a stencil of five points, exact up to the fourth power of the step. The gradient of a complex tensor has the
derivative by the real part as its real part, and that by the imaginary part as its imaginary part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import gradflow.engine.ops  # noqa: F401  # declares the operations
from gradflow.engine.autograd import backward
from gradflow.engine.namespace.torch import modules
from gradflow.engine.registry import REGISTRY, Op, Sample
from gradflow.engine.tensor import Tensor
from tests.support.samples import Call, has_complex, projection, random_like

STEP = 1e-3
TOLERANCE = {"rtol": 1e-6, "atol": 1e-9}

modules()  # gives Tensor its operators


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """As in a run: 0 / 0 and the like give NaN and no warning."""
    with np.errstate(all="ignore"):
        yield


def differences(function: Callable[[], float], variable: Tensor) -> np.ndarray:
    """The gradient of ``function`` with respect to a tensor that it reads."""
    result = np.zeros_like(variable._a)
    for spot in np.ndindex(variable._a.shape):
        for direction in (1, 1j) if result.dtype.kind == "c" else (1,):
            result[spot] += direction * slope(function, variable._a, spot, STEP * direction)
    return result


def slope(function: Callable[[], float], array: np.ndarray, spot: tuple[int, ...], step: complex) -> float:
    """The derivative of ``function`` along one element of an array that it reads."""
    before = array[spot]
    values = {}
    for steps in (-2, -1, 1, 2):
        array[spot] = before + steps * step
        values[steps] = function()
    array[spot] = before
    return (8 * (values[1] - values[-1]) - (values[2] - values[-2])) / (12 * STEP)


SAMPLES = [
    pytest.param(op, sample, id=f"{op.name}-{number}")
    for op in REGISTRY
    if op.texts
    for number, sample in enumerate(op.samples)
]


REFUSED = {
    "NotImplemented",
    "GeqrfBackward0",
    "IgammaBackward0",
    "IgammacBackward0",
    "SpecialZetaBackward0",
    "SpecialZetaBackward2",
    "huber_loss_mixed",
    "last_gradient",
    "Unique2Backward0",
    "UniqueDimBackward0",
    "UniqueConsecutiveBackward0",
    *(f"{name}Backward1" for name in ("Asinh", "Acosh", "Atanh")),
}
"""What PyTorch has no derivative for; of the last three only where they write in place."""
PRESUMING = {
    "StandardGammaBackward0",
    "_DirichletBackward",
    "CtcLossBackward0",
    "LinalgEigBackward0",
    "AsStridedScatterBackward0",
    "FakeQuantizePerTensorAffineCachemaskBackward0",
    "FakeQuantizePerChannelAffineCachemaskBackward0",
}
"""Where PyTorch's gradient is the derivative only together with the function before: here log_softmax, and what
leaves the phases of eigenvectors open; or where it is no derivative at all; or where it follows the samples, which the
operation is given. Golden programs have them."""


@pytest.mark.parametrize(
    "op", [o for o in REGISTRY if o.texts and not {o.grad_fn, o.name} & (REFUSED | PRESUMING)], ids=lambda o: o.name
)
def test_every_operation_with_a_gradient_has_samples(op: Op) -> None:
    assert op.samples
    differentiated = {p.name for sample in op.samples for p in wanted(Call(op, sample))}
    assert differentiated == set(op.texts)


REAL = {
    "polygamma",
    "polygamma_written",
    "mvlgamma_slope",
    "i1_slope",
    "i1e_slope",
    "acosh_written",
    "asinh_written",
    "atanh_written",
}
"""Which PyTorch computes of real numbers alone, and what only writes in place, where it has no derivative."""


def test_an_elementwise_function_of_floats_has_a_complex_sample_or_refuses_complex_numbers() -> None:
    """Without one a gradient that lacks its `conj` looks right."""
    ops = [o for o in REGISTRY if o.texts and o.elementwise and o.promote == "float"]
    silent = {o.name for o in ops if not has_complex([*o.samples, *o.edges]) and "c" not in "".join(o.refuses)}
    assert silent == REAL


def wanted(call: Call) -> Iterator[Any]:
    """The parameters that a sample gives a tensor for."""
    for parameter, argument in zip(call.op.params, call.arguments, strict=False):
        if parameter.name in call.op.texts and isinstance(argument, Tensor | list):
            yield parameter


@pytest.mark.parametrize(("op", "sample"), SAMPLES)
def test_first_order(op: Op, sample: Sample) -> None:
    call = Call(op, sample)
    directions = random_like([o._a for o in call.outputs()], seed=1)
    for leaf, gradient in zip(call.leaves, call.gradients(directions, create=False), strict=True):
        expected = differences(lambda: call.projected(directions), leaf)
        np.testing.assert_allclose(gradient._a, expected, **TOLERANCE)


@pytest.mark.parametrize(("op", "sample"), SAMPLES)
def test_arrays_and_tensors_give_the_same_gradient(op: Op, sample: Sample) -> None:
    call = Call(op, sample)
    directions = random_like([o._a for o in call.outputs()], seed=2)
    plain = call.gradients(directions, create=False)
    recorded = call.gradients(directions, create=True)
    for leaf, ours, other in zip(call.leaves, plain, recorded, strict=True):
        assert ours._a.shape == other._a.shape == leaf._a.shape
        assert ours._a.dtype == other._a.dtype == leaf._a.dtype
        np.testing.assert_allclose(ours._a, other._a, rtol=1e-13, atol=1e-15)


ONCE = ("hardsigmoid", "multi_margin_loss", "multilabel_margin_loss", "cdist", "pdist", "bag", "flash_attention")
"""What PyTorch has a first derivative for and no second."""

INEXACT = ("weight_norm",)
"""Whose second derivative in PyTorch is not that of the function: `torch.autograd.gradgradcheck` refuses it too."""


@pytest.mark.parametrize(("op", "sample"), [each for each in SAMPLES if each.values[0].name not in ONCE + INEXACT])
def test_second_order(op: Op, sample: Sample) -> None:
    """The gradient, projected, differentiated by the inputs and by the upstream gradient."""
    call = Call(op, sample)
    upstream = random_like([o._a for o in call.outputs()], seed=3)
    for direction in upstream:
        direction._rg = True
    gradients = call.gradients(upstream, create=True)
    weights = random_like([g._a for g in gradients], seed=4)
    variables = [*call.leaves, *upstream]
    found = derivatives(gradients, variables, weights)

    def projected() -> float:
        return projection(call.gradients(upstream, create=False), weights)

    for variable, second in zip(variables, found, strict=True):
        np.testing.assert_allclose(second, differences(projected, variable), **TOLERANCE)


def derivatives(outputs: list[Tensor], variables: list[Tensor], weights: list[Tensor]) -> list[np.ndarray]:
    """As autograd has them; zeros where no output is on the graph."""
    pairs = [(o, w) for o, w in zip(outputs, weights, strict=True) if o.requires_grad]
    if not pairs:
        return [np.zeros_like(v._a) for v in variables]
    found = backward.grad([o for o, _ in pairs], variables, [w for _, w in pairs], materialize_grads=True)
    return [g._a for g in found if g is not None]


def can_be_written(op: Op, sample: Sample) -> bool:
    """Whether the result has a place in the first argument."""
    call = Call(op, sample)
    first = call.arguments[0]
    if op.call_inplace is None or not isinstance(first, Tensor):
        return False
    with np.errstate(all="ignore"):
        result = call.outputs()[0]
    return result.shape == first.shape and result.dtype is first.dtype


@pytest.mark.parametrize(("op", "sample"), [p for p in SAMPLES if can_be_written(*p.values)])
def test_the_form_in_place_has_the_same_gradient(op: Op, sample: Sample) -> None:
    call = Call(op, sample)

    def in_place(first: Tensor, *others: Any, **options: Any) -> Tensor:
        clone = REGISTRY["clone"].call(first)
        assert op.call_inplace is not None
        assert op.call_inplace(clone, *others, **options) is clone
        return clone

    directions = random_like([call.arguments[0]._a], seed=5)
    found = backward.grad(call.outputs(in_place), call.leaves, directions, materialize_grads=True)
    for ours, expected in zip(found, call.gradients(directions, create=False), strict=True):
        assert ours is not None
        np.testing.assert_allclose(ours._a, expected._a, rtol=1e-13)


FAILURES = [
    pytest.param(op, failure, id=f"{op.name}-{number}") for op in REGISTRY for number, failure in enumerate(op.errors)
]


@pytest.mark.parametrize(("op", "failure"), FAILURES)
def test_failing_inputs(op: Op, failure: Sample) -> None:
    *sample, message = failure
    with pytest.raises((RuntimeError, TypeError, IndexError, ValueError)) as caught:
        Call(op, tuple(sample), double=False).outputs()
    assert str(caught.value) == message
