"""The service with processes of runs that send what they like: forged frames, endless ones, nothing, drop by drop."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final

from fastapi import FastAPI

from bench.load.client import Client
from gradflow.backend.http.app import create_app
from tests.support.hostile_children import SCENES
from tests.support.server import _Log

WORKER: Final = "tests.support.hostile_children:make"
MOST: Final = 64.0
"""MiB that the service may need for it beyond what it has at rest."""
CLIENTS: Final = 20
_ADDRESSES: Final = ("/api/v1/trace",) * 3 + ("/api/v1/render?format=dot",)
_SOUND: Final = (200, 422, 429, 503)


def app() -> FastAPI:
    """For uvicorn."""
    return create_app(worker=WORKER)


@contextmanager
def _served() -> Iterator[tuple[str, int]]:
    """Its address, and the process."""
    command = ["uvicorn", "--factory", "bench.load.children:app", "--port", "0", "--no-access-log"]
    environment = {**os.environ, "GRADFLOW_DATABASE_URL": "none", "GRADFLOW_TIME_LIMIT": "1"}
    process = subprocess.Popen([sys.executable, "-m", *command], stderr=subprocess.PIPE, text=True, env=environment)
    log = _Log(process)
    try:
        yield log.address(), process.pid
    finally:
        process.terminate()
        process.wait()
        log.close()


def _memory(pid: int) -> tuple[float, float]:
    """MiB that a process has, and the most that it ever had."""
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(lines["VmRSS"].split()[0]) / 1024, int(lines["VmHWM"].split()[0]) / 1024


async def _ask(url: str, who: int, until: float, answers: dict[int, int]) -> None:
    client, chance = Client(url, who), random.Random(who)
    for turn in count():
        if time.monotonic() >= until:
            break
        body = {"source": chance.choice(list(SCENES)), "max_elements": 1 + turn % 1000}  # no two answered by the cache
        status, _ = await client.post(chance.choice(_ADDRESSES), body)
        answers[status] = answers.get(status, 0) + 1
    client.close()


def children(seconds: float) -> bool:
    """How much memory the service needs while hostile processes answer it."""
    answers: dict[int, int] = {}

    async def play(url: str) -> None:
        until = time.monotonic() + seconds
        await asyncio.gather(*(_ask(url, who, until, answers) for who in range(CLIENTS)))

    with _served() as (url, pid):
        before, _ = _memory(pid)
        asyncio.run(play(url))
        after, most = _memory(pid)
    print(
        f"{CLIENTS} clients whose runs send what they like: answers {answers}; {before:.0f} MiB before,"
        f" at most {most - before:+.0f} MiB (limit: {MOST:+.0f} MiB), in the end {after - before:+.0f} MiB"
    )
    return most - before <= MOST and all(status in _SOUND for status in answers)
