"""Every sample of every operation against PyTorch: values, dtypes, grad_fn, first and second derivatives, in place."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gradflow.engine.namespace.torch import modules
from gradflow.engine.registry import REGISTRY, Op
from tests.oracle.drawn.complex_samples import found_by_drawing
from tests.oracle.operations import refused, report, several_results


@pytest.mark.parametrize("op", list(REGISTRY), ids=lambda op: op.name)
@pytest.mark.filterwarnings("ignore::UserWarning")  # PyTorch's own
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_operation_does_what_pytorch_does(op: Op) -> None:
    found = report(op)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("op", [op for op in REGISTRY if op.texts and op.torch is not None], ids=lambda op: op.name)
@pytest.mark.filterwarnings("ignore::UserWarning")  # PyTorch's own
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_an_operation_of_complex_numbers_does_what_pytorch_does_though_no_sample_is_complex(op: Op) -> None:
    found = list(found_by_drawing(op))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("op", [op for op in REGISTRY if op.outputs], ids=lambda op: op.name)
def test_several_results_come_in_the_tuple_that_pytorch_returns(op: Op) -> None:
    assert list(several_results(op, modules()["torch"])) == []


UNNAMED = ("fake_quantize_tensor", "fake_quantize_channels")
"""PyTorch has no function of these names; `test_fake_quantisation_refuses_what_pytorch_refuses` asks those that call them."""


@pytest.mark.parametrize("op", [op for op in REGISTRY if op.refuses and op.name not in UNNAMED], ids=lambda op: op.name)
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_an_operation_refuses_what_pytorch_refuses(op: Op) -> None:
    found = list(refused(op))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("dtype", ["int64", "int8", "bool", "complex64"])
@pytest.mark.parametrize(
    "call",
    [
        "torch.fake_quantize_per_tensor_affine(torch.ones(2, 2, dtype=torch.{}), 0.1, 0, -10, 10)",
        "torch.fake_quantize_per_channel_affine("
        "torch.ones(2, 2, dtype=torch.{}), torch.ones(2), torch.zeros(2, dtype=torch.int32), 0, -10, 10)",
    ],
)
def test_fake_quantisation_refuses_what_pytorch_refuses(call: str, dtype: str) -> None:
    told = []
    for library in (modules()["torch"], torch):
        with np.errstate(all="ignore"), pytest.raises(NotImplementedError) as raised:
            eval(call.format(dtype), {"torch": library})
        told.append(str(raised.value))
    assert told[0] == told[1]
