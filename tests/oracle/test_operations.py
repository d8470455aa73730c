"""Every sample of every operation against PyTorch: values, dtypes, grad_fn, first and second derivatives, in place."""

from __future__ import annotations

import pytest

from gradflow.engine.registry import REGISTRY, Op
from tests.oracle.operations import refused, report


@pytest.mark.parametrize("op", list(REGISTRY), ids=lambda op: op.name)
@pytest.mark.filterwarnings("ignore::UserWarning")  # PyTorch's own
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_operation_does_what_pytorch_does(op: Op) -> None:
    found = report(op)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("op", [op for op in REGISTRY if op.refuses], ids=lambda op: op.name)
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_an_operation_refuses_what_pytorch_refuses(op: Op) -> None:
    found = list(refused(op))
    assert not found, "\n".join(found)
