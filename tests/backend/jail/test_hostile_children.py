"""A process of a run that sends what it likes costs itself its answer, and the service nothing."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.hostile_children import SCENES

MIB = 1 << 20
WORKER = "tests.support.hostile_children:make"
ADDRESSES = ("/api/v1/trace", "/api/v1/render?format=dot", "/api/v1/render")
GOOD = {("longest answer", "/api/v1/trace"), ("a note with lines", "/api/v1/trace")}
IN_WORDS = {"killed", "time-limit", "trace-limit", "engine-failed"}


def resident() -> int:
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) * 1024


def check(name: str, address: str, response: httpx.Response) -> None:
    """Problem or trace: well formed, and never a failure of the service."""
    body = json.loads(response.content.decode()) if "json" in response.headers["content-type"] else None
    if response.status_code == 200 and address == "/api/v1/trace":
        assert body["schema"] == 2
        if (name, address) not in GOOD:
            assert body["error"]["code"] in IN_WORDS, body["error"]
    elif response.status_code == 422:
        assert response.headers["content-type"] == "application/problem+json"
        assert {"title", "status", "detail"} <= body.keys()
    else:
        assert address.startswith("/api/v1/render")
        assert response.status_code == 200


def test_whatever_a_child_sends_every_request_is_answered(play: Any, caplog: pytest.LogCaptureFixture) -> None:
    async def scene(client: httpx.AsyncClient) -> None:
        async def ask(name: str, address: str) -> None:
            check(name, address, await client.post(address, json={"source": name}))

        await client.get("/healthz")
        before = resident()
        for address in ADDRESSES:
            await asyncio.gather(*(ask(name, address) for name in SCENES for _ in range(2)))
        assert resident() - before < 64 * MIB

    play(scene, worker=WORKER, time_limit=0.5, grace=0.5, render_time_limit=5)
    lines = [record.getMessage() for record in caplog.records if record.name == "gradflow.jail"]
    assert any("forged" in line for line in lines)
    assert all(line.isascii() and line.isprintable() and len(line) < 5000 for line in lines)


def test_a_child_cannot_end_the_runs_of_others(play: Any) -> None:
    """Its words are not taken for the fork server's."""

    async def scene(client: httpx.AsyncClient) -> None:
        async def ask(name: str) -> str:
            response = await client.post("/api/v1/trace", json={"source": name})
            code: str = response.json()["error"]["code"]
            return code

        silent = asyncio.ensure_future(ask("silent"))
        for _ in range(10):
            assert await ask("forged ending") == "killed"
        assert await silent == "time-limit"

    play(scene, worker=WORKER, time_limit=2, grace=0.2)
