"""Where element-wise results lie in memory."""

from __future__ import annotations

import numpy as np
import pytest

from gradflow.engine.numerics.strides import as_operands_lie, repeats
from gradflow.engine.preload import load_everything
from gradflow.engine.pytorch import MEMORY_ORDER
from gradflow.engine.registry import REGISTRY

COLUMNS = np.arange(6.0, dtype=np.float32).reshape(3, 2).T
ROWS = np.ones((2, 3), np.float32)
REPEATED = np.broadcast_to(np.ones(3, np.float32), (2, 3))


@pytest.mark.parametrize(
    ("operands", "strides"),
    [
        ((COLUMNS,), (4, 8)),
        ((ROWS,), (12, 4)),
        ((REPEATED,), (12, 4)),
        ((COLUMNS, ROWS), (4, 8)),
        ((ROWS, COLUMNS), (12, 4)),
        ((REPEATED, COLUMNS), (4, 8)),
        ((np.float32(2), COLUMNS), (4, 8)),
        ((2.0, ROWS[0], COLUMNS), (4, 8)),
    ],
)
def test_the_first_operand_that_has_an_order_decides(operands: tuple[object, ...], strides: tuple[int, int]) -> None:
    for order in ("C", "F"):
        result = np.array(COLUMNS + 1, order=order)
        laid = as_operands_lie(result, operands)
        assert laid.strides == strides
        assert np.array_equal(laid, COLUMNS + 1)


def test_an_axis_in_the_middle_keeps_its_place() -> None:
    operand = np.zeros((2, 3, 4, 5), np.float32).transpose(0, 3, 1, 2)
    assert as_operands_lie(np.zeros((2, 5, 3, 4), np.float32), (operand,)).strides == operand.strides


def test_a_line_and_nothing_stay_as_they_are() -> None:
    for result in (np.zeros(3), np.zeros((0, 3))):
        assert as_operands_lie(result, (COLUMNS,)) is result


def test_only_a_repeated_dimension_repeats() -> None:
    assert repeats(REPEATED)
    assert not repeats(COLUMNS)


def test_each_operation_with_a_recorded_order_is_declared() -> None:
    load_everything()
    assert set(MEMORY_ORDER) <= {op.name for op in REGISTRY}
    assert set(MEMORY_ORDER.values()) == {"rows", "operand", "image"}
