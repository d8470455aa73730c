"""What NumPy and Python read without asking whether it is there: elements of empty axes, bounds of no numbers, states of dates."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gradflow.engine import preload  # noqa: F401  # all that is allowed is entered by then
from gradflow.engine.run import run

ENGINE = Path(run.__code__.co_filename).parent
DRAWS = """
import numpy as np
rng = np.random.default_rng(0)
for draw in (rng.integers, np.random.randint, np.random.RandomState(1).randint, lambda *given, **named: np.random.Generator.integers(rng, *given, **named)):
    for size in ((), (1,), (3, 1), 7):
        for low, high in (([], []), ([1, 2], [5, 6]), (np.zeros((2, 0), int), 4)):
            try:
                draw(low, high, size=size)
            except ValueError as error:
                assert "not compatible" in str(error), error
            else:
                raise AssertionError((size, low))
    assert draw([1, 2], [5, 6], size=(3, 2)).shape == (3, 2)
    assert draw(0, 9, size=4).shape == (4,)
print("done")
"""
TRANSFORMS = """
import numpy as np
for name in "irfft hfft fft ifft rfft ihfft".split():
    for shape, axis, n in (((0,), -1, 64), ((2, 0), 1, 8), ((0, 3), 0, 16), ((0, 3), -1, 4)):
        kind = float if name in ("rfft", "ihfft") else complex
        made = getattr(np.fft, name)(np.zeros((5, 5), kind)[: shape[0], : shape[-1]].reshape(shape), n, axis)
        assert not np.any(made), (name, shape, made)
for name in "irfft2 irfftn".split():
    assert not np.any(getattr(np.fft, name)(np.zeros((3, 0), complex), (4, 8)))
    assert getattr(np.fft, name)(np.zeros((0, 3, 3), complex), (4, 8)).shape == (0, 4, 8)
for transform in (np.fft.irfft, np.fft.fft):
    try:
        transform([])
    except ValueError as error:
        print(error)
"""
DATES = """
import copy, datetime, pickle
for cls in (datetime.date, datetime.datetime, datetime.time):
    for state in (b"\\x00\\x00\\x01\\x00", "\\x00\\x00\\x01\\x00", b"\\x00" * 10, b"\\x01\\x02\\x03\\x04\\x05\\x06"):
        for given in ((state,), (state, None)):
            try:
                cls(*given)
            except TypeError:
                continue
            raise AssertionError(cls)
for value in (datetime.date(2024, 2, 3), datetime.datetime(2024, 2, 3, 4, 5, 6, 7, fold=1), datetime.time(1, 2, 3, 4)):
    assert copy.copy(value) == value == copy.deepcopy([value])[0]
    assert type(copy.copy(value)) is type(value)
print(pickle.loads(pickle.dumps(datetime.date(2024, 2, 3))))
"""


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        (DRAWS, "done\n"),
        (
            TRANSFORMS,
            "Invalid number of FFT data points (-2) specified.\nInvalid number of FFT data points (0) specified.\n",
        ),
        (DATES, "2024-02-03\n"),
    ],
    ids=["draws", "transforms", "dates"],
)
def test_they_are_not_read(source: str, printed: str) -> None:
    trace = run(source)
    assert trace.error is None, trace.error
    assert trace.stdout == printed


def test_the_engine_transforms_no_axis_without_elements() -> None:
    raw = re.compile(r"(?<!padded\()np\.fft\.(?:irfft|hfft)")
    found = [path.name for path in ENGINE.rglob("*.py") if raw.search(path.read_text(encoding="utf-8"))]
    assert found == []
