"""The scenes: each plays some load, prints what was measured, and says whether the limits were kept."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import time
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Final

import orjson

from bench.load import empty
from bench.load.client import Client, Tally, trace
from bench.load.processes import Server, served
from bench.load.programs import FIRST, changed, hostile

KILLS: Final = 200
FEW: Final = 5
"""Descriptors that may be open more or less at any moment: of processes that are being made."""
LESSON: Final = "error-and-argument"
LEARNERS: Final = 400
"""So many must be served without an error; of more only the time is told."""
PAUSE: Final = 3.0
"""Seconds from one change of a learner's program to the next."""


async def learn(url: str, who: int, until: float, tally: Tally) -> None:
    """A learner, who changes the program every few seconds."""
    client = Client(url, who)
    await asyncio.sleep(PAUSE * random.random())
    for turn in count():
        began = time.monotonic()
        if began >= until:
            break
        answer = await trace(client, changed(who, turn), tally)
        if answer is not None and answer["source"] != changed(who, turn)["source"]:
            tally.failed("crossed answers")
        await asyncio.sleep(max(0.0, PAUSE - (time.monotonic() - began)))
    client.close()


async def attack(url: str, who: int, until: float, tally: Tally) -> None:
    """Somebody who sends the next as soon as the last is answered."""
    client = Client(url, who)
    for turn in count():
        if time.monotonic() >= until:
            break
        await trace(client, hostile(who, turn), tally)
    client.close()


async def _class(url: str, size: int, seconds: float, beside: Callable[[float], list[Awaitable[None]]]) -> Tally:
    tally, until = Tally(), time.monotonic() + seconds
    others = [asyncio.ensure_future(each) for each in beside(until)]
    await asyncio.gather(*(learn(url, 100 + who, until, tally) for who in range(size)))
    for other in others:
        other.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    return tally


def learners(seconds: float) -> bool:
    """How many learners one machine serves."""
    kept = True
    for size in (300, LEARNERS, 600):
        with served() as server:
            tally = asyncio.run(_class(server.url, size, seconds, lambda until: []))
        limit = "limit" if size <= LEARNERS else "goal"
        print(f"{size} learners: {tally.line()} ({limit}: no errors, p99 under 1000 ms)", flush=True)
        kept = kept and (size > LEARNERS or (not tally.failures and tally.at(0.99) < 1000))
    return kept


def fairness(seconds: float) -> bool:
    """What learners notice of those who mean ill."""
    with served() as server:
        alone = asyncio.run(_class(server.url, 50, seconds, lambda until: []))
    print(f"50 learners alone: {alone.line()}", flush=True)
    ill = Tally()
    with served() as server:

        def hostile_clients(until: float) -> list[Awaitable[None]]:
            return [attack(server.url, who, until, ill) for who in range(20)]

        beside = asyncio.run(_class(server.url, 50, seconds, hostile_clients))
    ratio = beside.at(0.99) / alone.at(0.99)
    print(f"50 learners beside 20 hostile clients: {beside.line()}; p99 {ratio:.1f} times as long (limit: 3.0)")
    return not beside.failures and ratio <= 3


def lesson(seconds: float) -> bool:
    """Everybody opens the same lesson in the same second."""

    async def open_page(url: str, who: int, tally: Tally) -> None:
        client = Client(url, who)
        await asyncio.sleep(random.random())
        found = b""
        for path in ("/", "/api/v1/lessons", f"/api/v1/lessons/{LESSON}"):
            status, found = await client.get(path)
            if status != 200:
                tally.failed(f"{path}: status {status}")
        await trace(client, {"source": orjson.loads(found)["steps"][0]["program"]}, tally)
        client.close()

    async def play(url: str) -> tuple[Tally, float]:
        tally, began = Tally(), time.monotonic()
        await asyncio.gather(*(open_page(url, who, tally) for who in range(300)))
        return tally, time.monotonic() - began

    with served() as server:
        tally, took = asyncio.run(play(server.url))
    print(f"300 people open one lesson within a second: {tally.line()}; all done after {took:.2f} s (limit: 2 s)")
    return not tally.failures and took < 2


def throughput(seconds: float) -> bool:
    """The first example next to a route that does nothing, with the same payload."""

    async def rate(url: str, path: str, request: Callable[[int], object], connections: int) -> float:
        until = time.monotonic() + seconds / 4
        done = 0

        async def visitor(number: int) -> None:
            nonlocal done
            client = Client(url, number)
            for turn in count():
                if time.monotonic() >= until:
                    break
                status, _ = await client.post(path, request(turn * connections + number))
                assert status == 200
                done += 1
            client.close()

        await asyncio.gather(*(visitor(number) for number in range(connections)))
        return done / (seconds / 4)

    def same(turn: int) -> object:
        return body

    def new(turn: int) -> object:
        return orjson.dumps({**FIRST, "source": f"c = a.mm(b)  # {turn:06}"})

    body = orjson.dumps(FIRST)
    kept = True
    with served() as server, empty.served(_answer(server)) as nothing:
        for connections in (1, 16):
            base = asyncio.run(rate(nothing, "/", same, connections))
            again = asyncio.run(rate(server.url, "/api/v1/trace", same, connections))
            anew = asyncio.run(rate(server.url, "/api/v1/trace", new, connections))
            print(
                f"{connections} connections, per second: empty route {base:.0f}; the same program again {again:.0f}"
                f" (1/{base / again:.1f}, limit: 1/15); a program never seen {anew:.0f} (1/{base / anew:.1f})",
                flush=True,
            )
            kept = kept and base / again <= 15
    return kept


def _answer(server: Server) -> bytes:
    async def ask() -> bytes:
        client = Client(server.url)
        _, body = await client.post("/api/v1/trace", FIRST)
        client.close()
        return body

    return asyncio.run(ask())


def memory(seconds: float) -> bool:
    """Good and hostile programs for a long time: what the service keeps of them."""
    with served() as server:
        figures: list[float] = []
        open_files: list[int] = []
        for _ in range(3):
            ill = Tally()

            def mixed(until: float, ill: Tally = ill) -> list[Awaitable[None]]:
                return [attack(server.url, who, until, ill) for who in range(5)]

            tally = asyncio.run(_class(server.url, 60, seconds, mixed))
            time.sleep(8)  # the last hostile runs end
            figures.append(server.resident())
            open_files.append(server.descriptors())
            print(f"mixed load: {tally.line()}; {figures[-1]:.1f} MiB, {open_files[-1]} descriptors", flush=True)
            if tally.failures:
                return False
        growth = figures[-1] / figures[0] - 1
        print(
            f"memory after the last third against the first: {growth:+.1%} (limit: +5 %); zombies {server.zombies()}"
            f" (limit: 0); descriptors {open_files[-1] - open_files[0]:+d} (limit: +{FEW})"
        )
        return growth <= 0.05 and not server.zombies() and open_files[-1] <= open_files[0] + FEW


def kills(seconds: float) -> bool:
    """Any process is killed at random, again and again: what is lost, and how soon the service is back."""
    kept = True
    with served(links_per_day=0) as server:
        outcome = asyncio.run(_kill_children(server, max(seconds, KILLS * 0.75)))
        print(f"processes killed at random: {outcome[0]}; {outcome[1].line()} (limit: an error each)", flush=True)
        lost = sum(outcome[1].failures.values())
        kept = lost <= outcome[0]
        missing, slowest, stored = asyncio.run(_kill_service(server, rounds=max(3, int(seconds / 5))))
        print(
            f"service killed: of {stored} acknowledged links {missing} are missing (limit: 0); back after {slowest:.2f} s"
            " at most (limit: 2 s)"
        )
    return kept and not missing and slowest <= 2


async def _kill_children(server: Server, seconds: float) -> tuple[int, Tally]:
    killed = 0

    async def kill(until: float) -> None:
        nonlocal killed
        while time.monotonic() < until:
            await asyncio.sleep(0.2 + random.random())
            children = server.tree()[1:]
            if children:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(random.choice(children), signal.SIGKILL)
                    killed += 1

    tally = await _class(server.url, 40, seconds, lambda until: [kill(until)])
    return killed, tally


async def _kill_service(server: Server, rounds: int) -> tuple[int, float, int]:
    acknowledged: dict[str, str] = {}
    slowest = 0.0
    for turn in range(rounds):
        storing = [asyncio.ensure_future(_store(server.url, turn, who, acknowledged)) for who in range(8)]
        await asyncio.sleep(0.5 + random.random())
        await asyncio.to_thread(server.stop, signal.SIGKILL)
        await asyncio.gather(*storing)
        began = time.monotonic()
        await asyncio.to_thread(server.start)
        status, _ = await Client(server.url).post("/api/v1/trace", FIRST)
        assert status == 200
        slowest = max(slowest, time.monotonic() - began)
    client, missing = Client(server.url), 0
    for name in acknowledged:
        status, _ = await client.get(f"/l/{name}")
        missing += status != 302
    client.close()
    return missing, slowest, len(acknowledged)


async def _store(url: str, turn: int, who: int, acknowledged: dict[str, str]) -> None:
    client = Client(url, who)
    for number in count():
        fragment = f"code={turn}-{who}-{number}"
        try:
            status, body = await client.post("/api/v1/links", {"fragment": fragment})
        except (OSError, asyncio.IncompleteReadError):
            return
        assert status == 201
        acknowledged[orjson.loads(body)["id"]] = fragment
