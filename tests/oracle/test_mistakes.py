"""The mistakes of `tests/engine/diagnosis/mistakes.txt` in PyTorch: they fail in the same words, and the mended programs run.

The traps of `traps.txt` raise nothing there either, mended or not. Of a pasted text PyTorch is given the program in it.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from pathlib import Path

import pytest

from gradflow.engine.run import run
from gradflow.engine.sandbox.source import read
from tests.engine.diagnosis.mistakes import MISTAKES, Mistake
from tests.support.traps import TrapExample, right_programs, trap_examples

torch = pytest.importorskip("torch")

TRAPS = list(trap_examples())


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a program saves is left in no working tree."""
    monkeypatch.chdir(tmp_path)


def error_of(source: str) -> BaseException | None:
    """What a program raises in PyTorch."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(read(source).text, "program", "exec"), {"__name__": "__main__"})  # the programs are ours
    except Exception as error:
        return error
    finally:
        torch.set_grad_enabled(True)
    return None


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: f"{mistake.code}:{mistake.source[-30:]!r}")
def test_a_mistake_is_one_in_pytorch_and_its_fix_mends_it_there(mistake: Mistake) -> None:
    error, record = error_of(mistake.source), run(mistake.source).error
    assert record is not None
    assert type(error).__name__ == record.type.rpartition(".")[2]
    assert [error_of(source) for source in mistake.mended] == [None] * len(mistake.mended)


@pytest.mark.parametrize("example", TRAPS, ids=lambda example: f"{example.code}:{example.source[-30:]!r}")
def test_a_trap_raises_nothing_mended_or_not(example: TrapExample) -> None:
    assert [error_of(source) for source in (example.source, example.fixed) if source] == [None] * (
        1 + (example.fixed is not None)
    )


@pytest.mark.parametrize("source", list(right_programs()), ids=lambda source: repr(source[-40:]))
def test_a_program_that_is_right_raises_nothing(source: str) -> None:
    assert error_of(source) is None
