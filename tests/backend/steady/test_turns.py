"""Clients take turns; equal requests are answered once; what happens is counted and logged without program text."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import httpx
import pytest

from gradflow.backend.answer_cache import AnswerCache, Begun
from gradflow.backend.jail.failures import Full
from gradflow.backend.jail.waiting_room import WaitingRoom

TRACE = "/api/v1/trace"


async def _served(room: WaitingRoom, client: str, order: list[str]) -> None:
    async with room.place(client):
        order.append(client)
        await asyncio.sleep(0)


def served(requests: str, *, places: int = 1, seats: int = 100) -> tuple[str, list[str]]:
    """In which order requests of clients (letters) are served, and whose were turned away."""
    order: list[str] = []

    async def play() -> list[str]:
        room = WaitingRoom(places, seats, 1.0)
        outcomes = await asyncio.gather(*(_served(room, client, order) for client in requests), return_exceptions=True)
        assert (room.busy, room.waiting) == (0, 0)
        return [client for client, outcome in zip(requests, outcomes, strict=True) if isinstance(outcome, Full)]

    refused = asyncio.run(play())
    return "".join(order), refused


def test_one_client_is_served_in_order_of_arrival() -> None:
    assert served("aaaa") == ("aaaa", [])


def test_a_client_with_many_requests_keeps_nobody_waiting() -> None:
    assert served("aaaaaabcb") == ("abcabaaaa", []) or served("aaaaaabcb")[0].index("c") < 4


def test_the_last_seat_is_for_who_has_fewer_waiting() -> None:
    order, refused = served("aaaaab", seats=3)
    assert refused == ["a", "a"]
    assert "b" in order


def test_clients_whose_programs_take_long_share_half_of_the_places() -> None:
    now = 0.0

    async def play() -> None:
        nonlocal now
        room, ends = WaitingRoom(4, 100, 1.0, lambda: now), asyncio.Event()
        order: list[str] = []

        async def long(client: str) -> None:
            async with room.place(client):
                await ends.wait()

        first = [asyncio.ensure_future(long(client)) for client in "abcd"]
        await asyncio.sleep(0)
        assert room.busy == 4
        now = 5.0
        ends.set()
        await asyncio.gather(*first)
        ends.clear()
        again = [asyncio.ensure_future(long(client)) for client in "abcd"]
        await asyncio.sleep(0)
        assert (room.busy, room.waiting) == (2, 2)
        await asyncio.gather(*(_served(room, client, order) for client in "xyz"))
        assert sorted(order) == ["x", "y", "z"]
        assert (room.busy, room.waiting) == (2, 2)
        ends.set()
        await asyncio.gather(*again)
        now = 200.0
        ends.clear()
        later = [asyncio.ensure_future(long(client)) for client in "abcd"]
        await asyncio.sleep(0)
        assert room.busy == 4
        ends.set()
        await asyncio.gather(*later)
        assert (room.busy, room.waiting) == (0, 0)

    asyncio.run(play())


def test_only_so_many_begin_within_a_moment() -> None:
    async def play() -> None:
        room, ends = WaitingRoom(10, 100, 1.0, together=2), asyncio.Event()
        order: list[str] = []

        async def long(client: str) -> None:
            async with room.place(client):
                await ends.wait()

        first = [asyncio.ensure_future(long(client)) for client in "abc"]
        await asyncio.sleep(0)
        assert (room.busy, room.waiting) == (2, 1)
        short = [asyncio.ensure_future(_served(room, client, order)) for client in "xyz"]
        async with asyncio.timeout(5):
            await asyncio.gather(*short)  # what takes long makes room, though none of it has ended
        assert (room.busy, room.waiting, order) == (3, 0, ["x", "y", "z"])
        given_up = [asyncio.ensure_future(long(client)) for client in "def"]
        await asyncio.sleep(0)
        for each in given_up:
            each.cancel()
        await asyncio.gather(*given_up, return_exceptions=True)
        ends.set()
        await asyncio.gather(*first)
        assert (room.busy, room.waiting, room.fresh) == (0, 0, 0)

    asyncio.run(play())


def test_unknown_clients_with_programs_of_any_length_begin_one_by_one() -> None:
    async def play() -> None:
        room, ends = WaitingRoom(40, 100, 1.0, together=8), asyncio.Event()
        order: list[str] = []

        async def long(client: str) -> None:
            async with room.place(client, short=False):
                order.append(client)
                await ends.wait()

        many = [asyncio.ensure_future(long(client)) for client in "abc"]
        await asyncio.sleep(0)
        assert (order, room.waiting) == (["a"], 2)
        short = [asyncio.ensure_future(_served(room, client, order)) for client in "xy"]
        async with asyncio.timeout(5):
            await asyncio.gather(*short)
        assert order[:3] == ["a", "x", "y"]  # they do not wait behind those that came before
        known = asyncio.ensure_future(long("x"))
        await asyncio.sleep(0)
        assert order[3:] == ["x"]  # whose programs were short until now is no stranger
        async with asyncio.timeout(5):
            while room.waiting:
                await asyncio.sleep(0.01)  # a moment later the next of them
        assert order[4:] == ["b", "c"]
        ends.set()
        await asyncio.gather(*many, known)
        assert (room.busy, room.waiting, room.fresh) == (0, 0, 0)

    asyncio.run(play())


def test_who_has_the_most_waiting_is_turned_away() -> None:
    _, refused = served("aabaa", seats=2)
    assert refused == ["a", "a"]


def test_a_request_that_is_given_up_leaves_its_seat() -> None:
    async def play() -> None:
        room = WaitingRoom(1, 5, 1.0)
        order: list[str] = []
        async with room.place("a"):
            waiting = asyncio.ensure_future(_served(room, "b", order))
            await asyncio.sleep(0)
            assert room.waiting == 1
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            assert room.waiting == 0
        await _served(room, "c", order)
        assert order == ["c"]

    asyncio.run(play())


def test_equal_requests_at_once_are_one_run() -> None:
    async def play() -> None:
        cache, runs = AnswerCache(1 << 20, 60), []

        async def work(begun: Begun) -> bytes:
            runs.append(1)
            await asyncio.sleep(0.01)
            return b"answer"

        def ask(source: str) -> Any:
            return cache.answer({"source": source}, work, lambda payload: True)

        assert await asyncio.gather(*(ask("a") for _ in range(50))) == [b"answer"] * 50
        assert len(runs) == 1
        await ask("a")
        assert len(runs) == 1
        changing = ("import time", "os.urandom(8)", "from os import getpid", "np.random.rand()", "import tempfile as t")
        for source in changing * 2:
            await ask(source)
        assert len(runs) == 1 + 2 * len(changing)

    asyncio.run(play())


def test_a_request_that_is_given_up_does_not_end_the_run_of_an_equal_one() -> None:
    async def play() -> None:
        cache, gate, ended = AnswerCache(1 << 20, 60), asyncio.Event(), []

        async def work(begun: Begun) -> bytes:
            try:
                await gate.wait()
            except asyncio.CancelledError:
                ended.append(1)
                raise
            return b"answer"

        asked = [asyncio.ensure_future(cache.answer({"source": "a"}, work, lambda payload: True)) for _ in range(3)]
        await asyncio.sleep(0)
        asked[0].cancel()
        await asyncio.sleep(0)
        gate.set()
        assert await asyncio.gather(*asked[1:]) == [b"answer"] * 2
        gate.clear()
        alone = asyncio.ensure_future(cache.answer({"source": "b"}, work, lambda payload: True))
        await asyncio.sleep(0.01)
        alone.cancel()
        await asyncio.gather(alone, return_exceptions=True)
        await asyncio.sleep(0)
        assert ended == [1]

    asyncio.run(play())


def test_nobody_waits_for_the_turn_of_another_client() -> None:
    """Who has a long queue asks at the end of it for what another client wants to see."""

    async def play() -> None:
        cache, room, runs = AnswerCache(1 << 20, 60), WaitingRoom(1, 50, 1.0), []

        def ask(source: str, client: str) -> asyncio.Future[bytes]:
            async def work(begun: Begun) -> bytes:
                async with room.place(client):
                    begun()
                    runs.append((source, client))
                    await asyncio.sleep(0)
                    return source.encode()

            return asyncio.ensure_future(cache.answer({"source": source}, work, lambda payload: True, client))

        many = [ask(f"{number}", "many") for number in range(20)]
        wanted = ask("lesson", "many")
        await asyncio.sleep(0)
        assert await ask("lesson", "one") == b"lesson"
        assert runs.index(("lesson", "one")) < 5
        await asyncio.gather(*many, wanted)
        assert len(runs) == 21
        assert (room.busy, room.waiting) == (0, 0)

    asyncio.run(play())


def test_a_turn_that_is_turned_away_leaves_the_turns_of_others() -> None:
    async def play() -> None:
        cache, gate = AnswerCache(1 << 20, 60), asyncio.Event()

        async def full(begun: Begun) -> bytes:
            raise Full(1)

        async def good(begun: Begun) -> bytes:
            await gate.wait()
            begun()
            return b"answer"

        asked = [
            asyncio.ensure_future(cache.answer({"source": "a"}, work, lambda payload: True, client))
            for client, work in (("good", good), ("full", full), ("full", full))
        ]
        await asyncio.sleep(0.01)
        gate.set()
        assert await asyncio.gather(*asked) == [b"answer"] * 3
        with pytest.raises(Full):
            await cache.answer({"source": "b"}, full, lambda payload: True, "full")
        assert cache._working == {}

    asyncio.run(play())


def test_what_is_kept_has_a_size() -> None:
    async def play() -> None:
        cache = AnswerCache(32_000, 60)

        async def work(begun: Begun) -> bytes:
            return b"x" * 1000

        for number in range(100):
            await cache.answer({"source": str(number)}, work, lambda payload: True)
        assert cache._held <= 32_000
        assert 15 < len(cache._answers) < 30

    asyncio.run(play())


def test_a_request_has_an_id_and_a_line_without_its_program(play: Any, caplog: pytest.LogCaptureFixture) -> None:
    async def scene(client: httpx.AsyncClient) -> tuple[httpx.Response, httpx.Response, str]:
        named = await client.post(TRACE, json={"source": "'se' 'cret'"}, headers={"X-Request-ID": "mine-1"})
        forged = await client.post(TRACE, json={"source": "'se' 'cret'"}, headers={"X-Request-ID": "a b\x1b"})
        ready = await client.get("/readyz")
        assert ready.json() == {"status": "ready"}
        return named, forged, (await client.get("/metrics")).text

    with caplog.at_level(logging.INFO, "gradflow.access"):
        named, forged, counted = play(scene)
    assert named.headers["x-request-id"] == "mine-1"
    assert len(forged.headers["x-request-id"]) == 16
    assert named.content == forged.content
    lines = [json.loads(record.getMessage()) for record in caplog.records if record.name == "gradflow.access"]
    assert [(line["id"], line["path"], line["status"]) for line in lines][:1] == [("mine-1", TRACE, 200)]
    assert [line["path"] for line in lines] == [TRACE, TRACE, "/metrics"]  # a probe that is content has no line
    assert "cret" not in caplog.text
    assert 'gradflow_requests_total{route="/api/v1/trace",status="200"} 2.0' in counted
    assert 'gradflow_runs_total{outcome="answered"} 1.0' in counted
    assert "gradflow_cache_hits 1.0" in counted
