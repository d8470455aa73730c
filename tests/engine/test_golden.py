"""Every golden program gives PyTorch's output, error, warnings and gradients (recorded by scripts/record/golden.py)."""

from __future__ import annotations

import pytest

from tests.golden.cases import Case, cases, load_golden
from tests.golden.compare import assert_same_outcome

GOLDEN = load_golden()


@pytest.mark.parametrize("case", cases() + cases(".prompt"), ids=lambda case: case.id)
def test_a_program_does_what_pytorch_does(case: Case) -> None:
    assert_same_outcome(case, GOLDEN[case.group][case.name])


def test_every_program_is_recorded() -> None:
    recorded = {(group, name) for group, outcomes in GOLDEN.items() for name in outcomes}
    assert recorded == {(case.group, case.name) for case in cases()}
