"""Sums of floats are PyTorch's to the last bit: these are PyTorch 2.13's of `values`, in float32."""

from __future__ import annotations

import numpy as np
import pytest

from gradflow.engine.numerics.sums import cascade_sum


def values(*shape: int) -> np.ndarray:
    """Sevenths whose sums are rounded."""
    count = int(np.prod(shape))
    mixed = np.arange(count, dtype=np.int64) * 2654435761 % 4096 - 1000
    return (mixed.astype(np.float32) / np.float32(7)).reshape(shape)


TOTALS = {
    (5,): 489.4285583496094,
    (7,): 591.5714111328125,
    (8,): 589.142822265625,
    (12,): 1197.9998779296875,
    (20,): 2459.14306640625,
    (77,): 10835.1435546875,
    (300,): 44459.71484375,
    (5000,): 749069.0625,
    (3, 4, 5): 8463.142578125,
}
ALONG: dict[tuple[tuple[int, ...], int], list[float]] = {
    ((3, 6), 1): [363.2856750488281, 834.7142944335938, 721.0],
    ((2, 12), 1): [1197.9998779296875, 1913.428466796875],
    ((2, 40), 1): [5670.2861328125, 5752.57177734375],
    ((9, 7), 0): [
        1429.1429443359375,
        1108.1427001953125,
        1372.28564453125,
        1051.28564453125,
        1315.4285888671875,
        1579.571533203125,
        1258.571533203125,
    ],
    ((40, 3), 0): [6204.0, 5752.5712890625, 5301.14306640625],
    ((2, 8, 3), 1): [
        1127.4285888671875,
        1037.1429443359375,
        946.8571166992188,
        1301.142822265625,
        1210.857177734375,
        1120.5714111328125,
    ],
}


@pytest.mark.parametrize("shape", TOTALS, ids=str)
def test_all_elements(shape: tuple[int, ...]) -> None:
    assert float(cascade_sum(values(*shape), None)) == TOTALS[shape]
    assert cascade_sum(values(*shape), None, False).tolist() == TOTALS[shape]


@pytest.mark.parametrize(("shape", "axis"), ALONG, ids=str)
def test_one_axis(shape: tuple[int, ...], axis: int) -> None:
    kept = cascade_sum(values(*shape), (axis,), True)
    assert kept.shape == tuple(1 if i == axis else n for i, n in enumerate(shape))
    assert (
        cascade_sum(values(*shape), (axis,), False).flatten().tolist() == kept.flatten().tolist() == ALONG[shape, axis]
    )


@pytest.mark.parametrize("axes", [None, (0,), (2,), (0, 2), (0, 1, 2)], ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_shapes_are_those_of_numpy(axes: tuple[int, ...] | None, keepdims: bool) -> None:
    for array in (values(6, 1, 9), values(9, 5, 2).T, values(2, 0, 3), np.ones((2, 3, 5), np.int64)):
        found, expected = cascade_sum(array, axes, keepdims), array.sum(axis=axes, keepdims=keepdims)
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        assert np.allclose(found, expected)


def test_one_dimension() -> None:
    assert cascade_sum(values(9), (0,), False).shape == ()
    assert cascade_sum(values(9), (0,), True).shape == (1,)
