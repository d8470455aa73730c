"""A tensor without dimensions has the derivatives of one with one element, of order one to three.

NumPy gives numbers, and not arrays, for what has no dimensions: who makes a tensor of the result must know.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import gradflow.engine.ops  # noqa: F401  # declares the operations
from gradflow.engine.autograd import backward
from gradflow.engine.namespace.torch import modules
from gradflow.engine.registry import REGISTRY, Op, Sample
from gradflow.engine.tensor import Tensor
from tests.support.samples import Call

modules()  # gives Tensor its operators


def pointwise() -> Iterator[Any]:
    """Samples of operations from which one element comes back where one is given, with or without dimensions. Not those along
    a dimension, nor gradients of losses and what fills, which take a tensor without dimensions."""
    for op in REGISTRY:
        if (
            not op.texts
            or op.name.endswith("_backward")
            or op.name.startswith("fill")
            or any(p.name == "dim" for p in op.params)
        ):
            continue
        for number, sample in enumerate(op.samples):
            with np.errstate(all="ignore"):
                try:
                    single, one = (outputs_of(op, sample, shape) for shape in ((), (1,)))
                except Exception:  # it wants more of its operands
                    continue
            if [o._a.shape for o in single] == [()] and [o._a.shape for o in one] == [(1,)]:
                yield pytest.param(op, sample, id=f"{op.name}-{number}")


def outputs_of(op: Op, sample: Sample, shape: tuple[int, ...]) -> list[Tensor]:
    return reduced(op, sample, shape).outputs()


def reduced(op: Op, sample: Sample, shape: tuple[int, ...]) -> Call:
    """The call with the first element of each of its tensors, in this shape."""
    call = Call(op, sample)
    for tensor in call.tensors():
        tensor._a = tensor._a.reshape(-1)[:1].reshape(shape).copy()
    return call


def derivatives(op: Op, sample: Sample, shape: tuple[int, ...]) -> list[list[float | complex] | str]:
    """Those of each order, or what stops them."""
    call = reduced(op, sample, shape)
    outputs, found = call.outputs(), []
    for _ in range(3):
        outputs = [output for output in outputs if output.requires_grad]
        if not outputs:
            break
        seeds = [Tensor(np.ones_like(output._a)) for output in outputs]
        try:
            outputs = list(backward.grad(outputs, call.leaves, seeds, create_graph=True, materialize_grads=True))
        except (NotImplementedError, RuntimeError) as error:
            found.append(str(error))
            break
        found.append([output._a.item() for output in outputs])
    return found


CASES = list(pointwise())


def test_there_are_many() -> None:
    assert len(CASES) > 200


@pytest.mark.parametrize(("op", "sample"), CASES)
def test_without_dimensions_as_with_one(op: Op, sample: Sample) -> None:
    with np.errstate(all="ignore"):
        single, one = derivatives(op, sample, ()), derivatives(op, sample, (1,))
    assert len(single) == len(one) > 0
    for ours, other in zip(single, one, strict=True):
        if isinstance(ours, str) or isinstance(other, str):
            assert ours == other
        else:
            np.testing.assert_allclose(ours, other, rtol=1e-12)
