"""The passes of every recorded program are PyTorch's: order, gradients, edges, accumulations, what is freed.

What differs is listed in ``pass_differences.toml`` by program, each with a key that docs/limitations.md explains. A listed
program that no longer differs fails. ``python -m tests.oracle.test_passes [FILE...]`` shows the differences of programs.
"""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import re
import sys
import tomllib
import types
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from gradflow.engine.preload import load_everything
from gradflow.engine.run import run
from tests.golden.cases import ROOT, Case, cases
from tests.oracle.pass_comparison import Difference, differences
from tests.oracle.pass_recorder import RecordedPass, recording

LISTED: dict[str, list[str]] = tomllib.loads(Path(__file__).with_name("pass_differences.toml").read_text("utf-8"))
LIMITATIONS = ROOT / "docs" / "limitations.md"
CALLS_A_PASS = re.compile(r"backward|grad\(|functional|func\b|gradcheck|hessian|jacobian|vjp|jvp")
ELEMENTS = 50_000
SECOND = sorted((Path(__file__).parent / "passes").rglob("*.py"))
"""Programs that differentiate gradients, which are recorded nowhere."""


def passes_of(source: str, name: str) -> list[RecordedPass]:
    """What PyTorch does when it runs a program. A program may end with an error."""
    torch.manual_seed(0)  # Gradflow begins with this where a program sets no seed
    sys.modules["__main__"] = main = types.ModuleType("__main__")  # where `unittest.main` and pickles look
    sys.argv = [name]
    with recording() as passes, contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            exec(compile(source, name, "exec"), vars(main))
        except (Exception, SystemExit):
            return passes
    return passes


def compare(path: str) -> list[Difference]:
    """The differences of one program. For a process of its own: programs change settings of PyTorch."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    source = Path(path).read_text(encoding="utf-8")
    return list(differences(passes_of(source, path), run(source, max_elements=ELEMENTS)))


def compare_all(paths: list[str]) -> Iterator[tuple[str, list[Difference]]]:
    """The same of many, each in a process of its own, two at a time."""
    load_everything()
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        yield from zip(paths, pool.imap(compare, paths), strict=True)


def programs() -> list[Case]:
    """The recorded programs that run a pass."""
    return [case for case in cases() if CALLS_A_PASS.search(case.source)]


def key_of(case: Case) -> str | None:
    """Under which key a program is listed."""
    name = f"{case.group}/{case.name}"
    return next((key for key, names in LISTED.items() if name in names), None)


@pytest.fixture(scope="module")
def found() -> dict[str, list[Difference]]:
    """The differences of all recorded programs."""
    return dict(compare_all([*(str(case.path) for case in programs()), *map(str, SECOND)]))


@pytest.mark.parametrize("case", programs(), ids=lambda case: case.id)
def test_passes_are_those_of_pytorch(case: Case, found: dict[str, list[Difference]]) -> None:
    if key_of(case) is None:
        assert found[str(case.path)] == []
    else:
        assert found[str(case.path)] != [], "no longer differs: take it from pass_differences.toml"


@pytest.mark.parametrize("path", SECOND, ids=lambda path: path.stem)
def test_passes_over_recorded_gradients_are_those_of_pytorch(path: Path, found: dict[str, list[Difference]]) -> None:
    assert found[str(path)] == []


def test_each_listed_program_exists_and_is_listed_once() -> None:
    known = {f"{case.group}/{case.name}" for case in programs()}
    names = [name for listed in LISTED.values() for name in listed]
    assert sorted(names) == sorted(known & set(names))


def test_each_key_is_explained_and_in_use() -> None:
    explained = re.findall(r"^- `pass-([a-z-]+)`: ", LIMITATIONS.read_text("utf-8"), re.MULTILINE)
    assert sorted(explained) == sorted(LISTED)


if __name__ == "__main__":
    chosen = [str(Path(one).resolve()) for one in sys.argv[1:]] or [str(case.path) for case in programs()]
    for path, lines in compare_all(chosen):
        for kind, text in lines:
            print(path, kind, text[:300], sep="\t")
        if not lines:
            print(path, "equal", sep="\t", flush=True)
