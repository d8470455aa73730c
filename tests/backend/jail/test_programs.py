"""All programs where they run: sent to a server, and run in processes that are forked from a warm parent.

The class of faults that is looked for: in the jail nothing can be opened, so that what is loaded at the last moment is
missing there, and only there.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from gradflow.backend import helper_process
from tests.golden.cases import Case, cases, load_golden
from tests.golden.compare import assert_same, seen
from tests.support import programs
from tests.support.server import serving

AT_ONCE = 3
GOLDEN = load_golden()
RECORDED = cases() + cases(".prompt")
TALKING = programs.python_programs()
ASSERTING = programs.torch_programs()
SERVED = {**programs.recorded_programs(), **programs.failing_programs(), **TALKING, **ASSERTING}


@dataclass(frozen=True)
class Answer:
    """What the server answered, without the trace where that is long."""

    status: int
    digest: str
    outcome: dict[str, Any]


@pytest.fixture(scope="module")
def served() -> dict[str, Answer]:
    """The server's answers to all programs, by name."""
    with serving(**programs.LIMITS) as address:
        return asyncio.run(_ask(address))


async def _ask(address: str) -> dict[str, Answer]:
    leaves = {case.id: list(GOLDEN[case.group][case.name]["grads"]) for case in RECORDED}
    answers: dict[str, Answer] = {}
    waiting = iter(SERVED.items())

    async def ask_some(client: httpx.AsyncClient) -> None:
        for name, source in waiting:
            response = await client.post("/api/v1/trace", json={"source": source})
            answers[name] = _answer(response, leaves.get(name, []))

    async with httpx.AsyncClient(base_url=address, timeout=None) as client:
        await asyncio.gather(*(ask_some(client) for _ in range(AT_ONCE)))
    return answers


def _answer(response: httpx.Response, leaves: list[str]) -> Answer:
    digest = programs.digest(response.content)
    if response.status_code != 200:
        return Answer(response.status_code, digest, {})
    trace: Any = json.loads(response.content, object_hook=lambda fields: SimpleNamespace(**fields))
    try:
        return Answer(200, digest, seen(trace, leaves))
    except IndexError:  # the run ended before there was such a leaf
        return Answer(200, digest, seen(trace, []))


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case.id)
def test_a_recorded_program_is_answered_as_recorded(case: Case, served: dict[str, Answer]) -> None:
    answer = served[case.id]
    assert answer.status == 200
    assert_same(answer.outcome, GOLDEN[case.group][case.name])


@pytest.mark.parametrize("statement", programs.recorded_errors())
def test_a_recorded_error_is_answered_as_recorded(statement: str, served: dict[str, Answer]) -> None:
    answer = served[f"errors/{statement}"]
    assert answer.status == 200
    assert answer.outcome["error"] == programs.recorded_errors()[statement]


@pytest.mark.parametrize("name", TALKING)
def test_a_program_without_torch_prints_what_python_prints(name: str, served: dict[str, Answer]) -> None:
    python = subprocess.run(
        [sys.executable, "-P", "-W", "ignore", "-c", TALKING[name]],
        capture_output=True,
        encoding="utf-8",
        check=True,
        env=helper_process.environment_of_runs() | {"PYTHONUTF8": "1"},
    )
    answer = served[name]
    assert (answer.status, answer.outcome["error"]) == (200, None)
    assert "\n".join(answer.outcome["stdout"]) == python.stdout


@pytest.mark.parametrize("name", ASSERTING)
def test_a_program_that_asserts_ends_well(name: str, served: dict[str, Answer]) -> None:
    answer = served[name]
    assert (answer.status, answer.outcome["error"]) == (200, None)


# ---- what happens besides


def audit(sources: dict[str, str], *, samples: bool = False, forget: tuple[str, ...] = ()) -> dict[str, Any]:
    """The report of `tests.support.audited`."""
    done = subprocess.run(
        helper_process.command("tests.support.audited"),
        input=json.dumps({"programs": sources, "samples": samples, "forget": forget}),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env=helper_process.environment_of_runs(),
    )
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.fixture(scope="module")
def audited() -> dict[str, Any]:
    """The report about all programs, and about all samples of all operations."""
    return audit(
        {**SERVED, **programs.mended_programs(), **programs.trap_programs(), **programs.escaping_programs()},
        samples=True,
    )


def test_no_run_imports_or_opens_anything(audited: dict[str, Any]) -> None:
    assert audited["seen"] == []


def test_every_sample_of_an_operation_can_be_traced(audited: dict[str, Any]) -> None:
    assert set(audited["errors"].values()) == {
        f"RuntimeError: derivative for aten::{name}_backward is not implemented"
        for name in (
            "hardsigmoid",
            "multi_margin_loss",
            "multilabel_margin_loss",
            "_scaled_dot_product_flash_attention_for_cpu",
        )
    } | {
        f"NotImplementedError: the derivative for '_{name}_backward' is not implemented."
        for name in ("cdist", "pdist", "embedding_bag")
    }


@pytest.mark.parametrize(
    ("module", "source", "first", "further"),
    [
        ("unicodedata", "变量 = 1", "import 'unicodedata' by ", "import 'unicodedata' by "),
        ("numpy.fft", "import torch\ntorch.fft.fft(torch.ones(3))", "import 'numpy.fft' by numpy, line ", "open '"),
    ],
)
def test_what_is_not_loaded_is_noticed(module: str, source: str, first: str, further: str) -> None:
    report = audit({"harmless": "a = 1", "late": source}, forget=(module,))
    names, events = zip(*report["seen"], strict=True)
    assert set(names) == {"late"}
    assert events[0].startswith(first)
    assert any(event.startswith(further) for event in events)


def test_the_walls_change_no_answer(served: dict[str, Answer], audited: dict[str, Any]) -> None:
    digests = audited["digests"]
    different = {name for name, answer in served.items() if answer.digest != digests[name]}
    assert different == set()
