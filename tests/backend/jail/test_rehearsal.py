"""Processes that wait for a request rehearse where there is time, and nobody can tell from an answer."""

from __future__ import annotations

import asyncio
import json

import pytest

from gradflow.backend.jail.forkserver import Configuration
from gradflow.backend.jail.jail import Jail
from gradflow.backend.jail.wire import ANSWER, Answer
from tests.support.programs import LIMITS

MIB = 1024 * 1024
COUNTING = Configuration("tests.support.jail_workers:make", {}, 20.0, 256 * MIB)
REAL = Configuration("gradflow.backend.jail.worker:make", LIMITS, 60.0, 1024 * MIB)
PROGRAMS = {
    "random numbers": "import torch, random\nrandom.seed(1)\nprint(torch.rand(3), random.random())",
    "seeded": "import torch\ntorch.manual_seed(1)\nm = torch.nn.Linear(2, 1)\nm(torch.rand(4, 2)).sum().backward()",
    "numbers of functions": "import torch\nx = torch.ones(2, requires_grad=True)\nprint((x * x).grad_fn._sequence_nr())",
    "settings": "import torch\nprint(torch.get_default_dtype(), torch.is_grad_enabled(), torch.tensor([1.23456789]))",
    "hooks and warnings": "import torch\nx = torch.ones(2, requires_grad=True)\ny = 2 * x\nprint(y.grad)\ny.sum().backward()",
    "an error with a fix": "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).backward()",
    "a text that is no program": "x = = 1",
}


def asked(configuration: Configuration, requests: list[bytes], *, spares: int, idle: float = 0) -> list[bytes]:
    """The answers to requests that come one after the other."""

    async def ask_all() -> list[bytes]:
        jail = Jail(configuration, places=1, seats=1, spares=spares, idle=idle)
        try:
            await jail.start()
            answers = [await jail.run(request, longest=MIB) for request in requests]
        finally:
            await jail.close()
        assert all(isinstance(answer, Answer) and answer.kind == ANSWER for answer in answers)
        return [answer.payload for answer in answers if isinstance(answer, Answer)]

    return asyncio.run(ask_all())


@pytest.mark.parametrize(("spares", "rehearsals"), [(0, b"0"), (2, b"1")])
def test_a_process_that_waits_rehearses_once(spares: int, rehearsals: bytes) -> None:
    assert asked(COUNTING, [b"count_rehearsals"] * 4, spares=spares) == [rehearsals] * 4


def test_requests_without_a_pause_are_not_rehearsed_for() -> None:
    answers = asked(COUNTING, [b"count_rehearsals"] * 4, spares=2, idle=60)
    assert answers == [b"1", b"1", b"0", b"0"]


def test_a_process_that_somebody_waits_for_does_not_rehearse() -> None:
    async def ask() -> set[bytes]:
        jail = Jail(COUNTING, places=2, seats=8, spares=0)
        try:
            await jail.start()
            jail.spares = 1
            spinning = asyncio.create_task(jail.run(b"spin", longest=MIB))
            answers = [await jail.run(b"count_rehearsals", longest=MIB) for _ in range(3)]
            spinning.cancel()
        finally:
            await jail.close()
        return {answer.payload for answer in answers if isinstance(answer, Answer)}

    assert asyncio.run(ask()) == {b"0"}


def test_no_answer_tells_of_a_rehearsal() -> None:
    requests = [
        json.dumps({"product": "trace", "arguments": {"source": source}}).encode() for source in PROGRAMS.values()
    ]
    fresh, rehearsed = asked(REAL, requests, spares=0), asked(REAL, requests, spares=1)
    assert dict(zip(PROGRAMS, rehearsed, strict=True)) == dict(zip(PROGRAMS, fresh, strict=True))
