"""Where the colours of a picture end."""

from __future__ import annotations

from gradflow.engine.picture.cells import gradient_end, scale_end
from gradflow.engine.trace import Value


def values(*numbers: float) -> list[Value]:
    return [Value([2], "float32", [number, -number / 2], None) for number in numbers]


WEIGHTS = [0.1 + k / 10 for k in range(20)]


def test_of_a_few_values_the_largest_has_the_full_colour() -> None:
    assert scale_end([]) == 0
    assert scale_end(values(0, 0.001, 1e9)) == 1e9


def test_many_are_not_left_without_colour_by_one_out_of_proportion() -> None:
    assert scale_end(values(*WEIGHTS, 1e9, 13600)) == max(WEIGHTS)
    assert scale_end(values(*WEIGHTS, 15, 1e9)) == 15


def test_zeros_and_what_is_no_number_do_not_count() -> None:
    assert scale_end(values(*WEIGHTS, *[0.0] * 40, float("inf"), float("nan"))) == max(WEIGHTS)


def numbers(*sizes: float) -> list[Value]:
    return [Value([], "float32", [size], None) for size in sizes]


def test_the_one_that_a_loss_starts_from_has_no_say_beside_arrays() -> None:
    assert gradient_end([*numbers(1, 1), *values(0.05)], values(0.1)) == 0.1
    assert gradient_end([*numbers(1), *values(0.05)], numbers(-3)) == 3


def test_where_all_are_numbers_the_largest_has_the_full_colour() -> None:
    assert gradient_end(numbers(1, 4), numbers(0.25)) == 4
