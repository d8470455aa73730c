"""Limits that a program cannot catch, and what comes after a program that fails: told in the jail."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

SPIN = "while True: pass"
CATCHERS = {
    "except BaseException": "try:\n    {0}\nexcept BaseException:\n    pass\nprint('after')",
    "bare except": "try:\n    {0}\nexcept:\n    pass\nprint('after')",
    "finally": "def f():\n    for k in [1]:\n        try:\n            {0}\n        finally:\n            break\nf()\nprint('after')",
    "return in finally": "def f():\n    try:\n        {0}\n    finally:\n        return 1\nf()\nprint('after')",
    "__exit__": "class C:\n    def __enter__(self): return self\n    def __exit__(self, *a): return True\n"
    "with C():\n    {0}\nprint('after')",
    "suppress": "import contextlib\nwith contextlib.suppress(BaseException):\n    {0}\nprint('after')",
    "a generator": "def g():\n    try:\n        yield 1\n        {0}\n    except BaseException:\n        yield 2\n"
    "for each in g(): pass\nprint('after')",
    "close": "def g():\n    try:\n        yield\n    finally:\n        {0}\n"
    "h = g()\nnext(h)\ntry:\n    h.close()\nexcept BaseException:\n    pass\nprint('after')",
    "another error": "try:\n    {0}\nexcept BaseException:\n    raise ValueError('mine')",
    "SystemExit": "try:\n    {0}\nexcept BaseException:\n    raise SystemExit(0)",
    "a key": "def k(a):\n    {0}\ntry:\n    sorted([2, 1], key=k)\nexcept BaseException:\n    pass",
    "__del__": "class C:\n    def __repr__(self):\n        {0}\ntry:\n    str([C()])\nexcept BaseException:\n    pass",
    "for ever": "while True:\n    try:\n        {0}\n    except BaseException:\n        pass",
    "for ever in finally": "def f():\n    try:\n        {0}\n    finally:\n        f()\nf()",
}
"""Ways to go on after an exception. ``{0}`` is the statement that meets the limit."""
LIMITS = {
    "time-limit": SPIN,
    "operations-limit": "while True: torch.ones(1)",
    "output-limit": "while True: print('x' * 10000)",
}


def traces(play: Any, programs: dict[str, str], **settings: object) -> dict[str, dict[str, Any]]:
    """The trace of each program."""

    async def scene(client: httpx.AsyncClient) -> dict[str, dict[str, Any]]:
        answers = {}
        for name, source in programs.items():
            response = await client.post("/api/v1/trace", json={"source": source})
            assert response.status_code == 200, name
            answers[name] = json.loads(response.content)
        return answers

    answered: dict[str, dict[str, Any]] = play(scene, **settings)
    return answered


@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_that_is_caught_ends_the_run_all_the_same(play: Any, limit: str) -> None:
    programs = {name: "import torch\n" + program.format(LIMITS[limit]) for name, program in CATCHERS.items()}
    answers = traces(play, programs, time_limit=0.6, operation_limit=300)
    assert {name: answer["error"] and answer["error"]["code"] for name, answer in answers.items()} == dict.fromkeys(
        CATCHERS, limit
    )


AFTERWARDS = {
    "nested": ("t = ()\nfor i in range(100000):\n    t = (t,)\nraise ValueError(t)", "ValueError"),
    "digits": ("raise ValueError(10**2000 * 10**2000 * 10**1000)", "ValueError"),
    "exit in str": ("class E(Exception):\n    def __str__(self): raise SystemExit(3)\nraise E", "E"),
    "exit in repr": ("class E:\n    def __repr__(self): raise SystemExit(3)\nraise ValueError(E())", "ValueError"),
    "spin in str": ("class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E", "E"),
    "stubborn str": (
        "class E(Exception):\n    def __str__(self):\n        while True:\n            try:\n"
        "                while True: pass\n            except BaseException: pass\nraise E",
        "TimeoutError",
    ),
    "no text": ("class E(Exception):\n    def __str__(self): return 5\nraise E", "E"),
    "text of its own": ("class S(str): pass\nclass E(Exception):\n    def __str__(self): return S('a')\nraise E", "E"),
    "surrogates": ("raise ValueError(chr(0xd800))", "ValueError"),
    "a hundred causes": (
        "e = ValueError(0)\nfor k in range(10000):\n    n = ValueError(k)\n    n.__cause__\n    e = n\nraise e",
        "ValueError",
    ),
    "exit in eq": (
        "class A:\n    def __eq__(self, o): raise SystemExit\n    def __hash__(self): return 1\n"
        "    def __repr__(self): raise SystemExit\na = A()\nimport torch\ntorch.ones(2, a)",
        "TypeError",
    ),
    "no memory left": (
        "import torch\nkept = []\ntry:\n    while True: kept.append(bytearray(1 << 16))\nexcept MemoryError: pass\n"
        "x = torch.ones(1)\n(x * x).no_such",
        "",
    ),
    "no memory left and a graph": (
        "import torch\nx = torch.ones(64, 64, requires_grad=True)\nfor _ in range(300): x = x * 1.01\n"
        "x.sum().backward()\nkept = []\nsize = 1 << 20\nwhile size > 64:\n    try:\n"
        "        while True: kept.append(bytearray(size))\n    except MemoryError: size //= 4",
        "",
    ),
}
"""Program -> the type of its error; empty where it depends on how much memory there was."""


def test_what_follows_a_program_can_fail_and_the_trace_says_so(play: Any) -> None:
    programs = {name: source for name, (source, _) in AFTERWARDS.items()}
    answers = traces(play, programs, time_limit=3, grace=2, memory_limit=128 << 20)
    for name, (_, kind) in AFTERWARDS.items():
        error = answers[name]["error"]
        assert not kind or error["type"] == kind, (name, error)
        assert error is None or (error["code"] != "killed" and error["explanation"]["en"]), (name, error)


def test_a_long_run_gives_way_to_those_that_begin_later(play: Any) -> None:
    async def scene(client: httpx.AsyncClient) -> None:
        app = client._transport.app  # type: ignore[attr-defined]
        run = asyncio.create_task(client.post("/api/v1/trace", json={"source": "while True: pass"}))
        await asyncio.sleep(0.5)
        server = app.state.service.jail._server
        children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
        assert not any(map(_gives_way, children.read_text().split()))  # nobody would have the time it gave away
        until = time.monotonic() + 20
        while not any(map(_gives_way, children.read_text().split())):
            assert time.monotonic() < until
            await client.post("/api/v1/trace", json={"source": f"while {until!r}: print({time.monotonic()!r}); break"})
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)

    play(scene, time_limit=60)


def _gives_way(pid: str) -> bool:
    try:
        return os.sched_getscheduler(int(pid)) == os.SCHED_IDLE
    except ProcessLookupError:
        return False


ENDLESS = {
    "exception": "raise Exception('x' * 10**7)",
    "assertion": "assert 0, ['y' * 100] * 10**5",
    "no-attribute": "getattr(1, 'q' * 10**7)",
    "key": "{}['q' * 10**6]",
    "number-text": "int('q' * 10**7)",
    "operand-types": "class A: pass\nA.__name__ = 'q' * 10**7\nA() + 1",
}


def test_messages_without_end_are_told_in_part(play: Any) -> None:
    told = traces(play, ENDLESS)
    assert {code: trace["error"]["code"] for code, trace in told.items()} == {code: code for code in ENDLESS}
    assert all(len(trace["error"]["message"]) < 1_000_000 for trace in told.values())
    assert "characters are left out here" in told["exception"]["error"]["message"]
    longer = traces(play, {"longer": "raise Exception('x' * 10**8)"})["longer"]["error"]
    assert longer["code"] in ("exception", "unexplained")  # by how fast the machine is
    assert "characters are left out here" in longer["message"]


def test_what_is_raised_in_a_finalizer_is_not_printed() -> None:
    """Python would open the files that it came through to show their lines: there is no opening of files in a run."""
    finalizer = (
        "from gradflow.backend.jail.clock import Clock, Late\nClock().install()\n"
        "class C:\n    def __del__(self): raise Late\nC()\nprint('after')"
    )
    done = subprocess.run([sys.executable, "-P", "-c", finalizer], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("after\n", "")
