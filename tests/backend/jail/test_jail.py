"""Tests of the jail: every run comes to an end, nothing gets out, and nothing is left behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gradflow.backend.jail import wire
from gradflow.backend.jail.forkserver import Configuration
from gradflow.backend.jail.jail import Full, Jail, Unavailable
from gradflow.backend.jail.wire import Answer, Killed

MIB = 1024 * 1024
LONGEST = 1 * MIB


@asynccontextmanager
async def jail_of(
    *, time_limit: float = 20.0, places: int = 4, seats: int = 100, worker: str = "tests.support.jail_workers:make"
) -> AsyncIterator[Jail]:
    jail = Jail(Configuration(worker, {}, time_limit, 256 * MIB), places=places, seats=seats)
    try:
        await jail.start()
        yield jail
    finally:
        await jail.close()


def in_jail(
    scene: Callable[[Jail], Awaitable[None]], *, time_limit: float = 20.0, places: int = 4, seats: int = 100
) -> None:
    """Play ``scene`` with a jail that is up."""

    async def play() -> None:
        async with jail_of(time_limit=time_limit, places=places, seats=seats) as jail:
            await scene(jail)

    asyncio.run(play())


def ask(name: str, *, time_limit: float = 20.0) -> Answer | Killed:
    """What a function of `jail_workers` gives."""
    answers: list[Answer | Killed] = []

    async def scene(jail: Jail) -> None:
        answers.append(await jail.run(name.encode(), longest=LONGEST))

    in_jail(scene, time_limit=time_limit)
    return answers[0]


def text(answer: Answer | Killed) -> str:
    assert isinstance(answer, Answer)
    return answer.payload.decode()


def children_of(pid: int) -> list[int]:
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in path.read_text().split()]


def test_an_answer_comes_back() -> None:
    assert ask("greet") == Answer(wire.ANSWER, b"hello")


def test_a_program_that_spins_is_killed() -> None:
    assert ask("spin", time_limit=0.2) == Killed(wire.Ending.OVERDUE, 9)


def test_a_program_that_dies_is_told_by_its_signal() -> None:
    answer = ask("die")
    assert isinstance(answer, Killed)
    assert answer.ending == wire.Ending.SIGNALLED


def test_a_program_that_ends_without_a_word_is_told_by_its_status() -> None:
    assert ask("fall_silent") == Killed(wire.Ending.EXITED, 3)


def test_too_much_memory_is_refused() -> None:
    assert text(ask("allocate")) == "MemoryError: "


def test_an_answer_too_long_is_cut_off() -> None:
    async def scene(jail: Jail) -> None:
        assert await jail.run(b"greet", longest=4) == Killed(wire.Ending.TOO_LONG, 0)
        assert text(await jail.run(b"greet", longest=5)) == "hello"

    in_jail(scene)


def test_an_answer_longer_than_a_socket_holds_comes_back_whole() -> None:
    async def scene(jail: Jail) -> None:
        assert text(await jail.run(b"talk", longest=4_000_000)) == "x" * 4_000_000

    in_jail(scene)


REFUSED = "[Errno 1] Operation not permitted"


@pytest.mark.skipif(sys.platform != "linux", reason="seccomp is Linux's")
@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("open_for_reading", f"PermissionError: {REFUSED}: '/etc/hostname'"),
        ("open_for_writing", f"PermissionError: {REFUSED}: '/tmp/gradflow-escape'"),
        ("list_folder", f"PermissionError: {REFUSED}: '/'"),
        ("remove_file", f"PermissionError: {REFUSED}: '/tmp/gradflow-no-such-file'"),
        ("make_socket", f"PermissionError: {REFUSED}"),
        ("make_pair", f"PermissionError: {REFUSED}"),
        ("fork", f"PermissionError: {REFUSED}"),
        ("start_thread", "RuntimeError: can't start new thread"),
        ("execute", f"PermissionError: {REFUSED}"),
        ("kill_parent", f"PermissionError: {REFUSED}"),
        ("raise_limits", "ValueError: not allowed to raise maximum limit"),
        ("trace_parent", "-1 Operation not permitted"),
        ("make_memory_executable", f"PermissionError: {REFUSED}"),
        ("read_standard_input", "b''"),
    ],
)
def test_nothing_gets_out(name: str, answer: str) -> None:
    assert text(ask(name)) == answer


def test_no_descriptor_is_inherited() -> None:
    numbers = [int(number) for number in text(ask("descriptors")).split()]
    assert numbers[:3] == [0, 1, 2]
    assert len(numbers) == 4


def test_the_environment_stays_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADFLOW_SECRET", "1")
    names = set(text(ask("environment")).split())
    assert "PYTHONPATH" in names
    assert not {name for name in names if name.startswith("GRADFLOW")}


def test_the_warm_parent_is_frozen() -> None:
    assert text(ask("frozen")) == "True"


def test_nothing_passes_from_one_run_to_the_next() -> None:
    async def scene(jail: Jail) -> None:
        for _ in range(3):
            assert text(await jail.run(b"count_visits", longest=LONGEST)) == "1"

    in_jail(scene)


def test_others_are_answered_while_some_spin() -> None:
    async def scene(jail: Jail) -> None:
        spinning = [asyncio.create_task(jail.run(b"spin", longest=LONGEST)) for _ in range(3)]
        for _ in range(20):
            assert text(await jail.run(b"greet", longest=LONGEST)) == "hello"
        assert not any(task.done() for task in spinning)
        assert set(await asyncio.gather(*spinning)) == {Killed(wire.Ending.OVERDUE, 9)}

    in_jail(scene, time_limit=3.0)


def test_a_client_whose_programs_took_long_gives_way_from_the_start() -> None:
    """Not after the time that a short program takes, as others do, and to nobody where there is none: see `test_limits`."""

    async def policies(jail: Jail, client: str) -> set[int]:
        task = asyncio.create_task(jail.run(b"spin", longest=LONGEST, client=client))
        seen = set[int]()
        while not task.done():
            await asyncio.sleep(0.005)
            with contextlib.suppress(ProcessLookupError):
                seen |= {os.sched_getscheduler(child) for child in children_of(server_pid(jail))}
        return seen

    async def scene(jail: Jail) -> None:
        work = jail.room._take("much", short=True)
        jail.room._accounts["much"].used = 100.0
        jail.room._leave(work)
        assert os.SCHED_IDLE not in await policies(jail, "much")
        both = await asyncio.gather(policies(jail, "much"), policies(jail, "another"))
        assert all(os.SCHED_IDLE in seen for seen in both)  # of all children at that time
        both = await asyncio.gather(policies(jail, "little"), policies(jail, "another"))
        assert not any(os.SCHED_IDLE in seen for seen in both)

    in_jail(scene, time_limit=0.05)  # it ends before it is looked at


def test_a_full_house_turns_away() -> None:
    async def scene(jail: Jail) -> None:
        tasks = [asyncio.create_task(jail.run(b"spin", longest=LONGEST)) for _ in range(3)]
        while jail.room.waiting < 1:
            await asyncio.sleep(0)
        with pytest.raises(Full) as full:
            await jail.run(b"greet", longest=LONGEST)
        assert full.value.retry_after >= 1
        await asyncio.gather(*tasks, return_exceptions=True)
        assert text(await jail.run(b"greet", longest=LONGEST)) == "hello"

    in_jail(scene, time_limit=0.3, places=1, seats=2)


def test_a_run_that_nobody_waits_for_is_killed() -> None:
    async def scene(jail: Jail) -> None:
        server = server_pid(jail)
        task = asyncio.create_task(jail.run(b"spin", longest=LONGEST))
        while not children_of(server):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while children_of(server):
            await asyncio.sleep(0)
        assert text(await jail.run(b"greet", longest=LONGEST)) == "hello"

    in_jail(scene, time_limit=600.0)


def server_pid(jail: Jail) -> int:
    assert jail._server is not None
    return jail._server.process.pid


def test_the_fork_server_is_replaced_when_it_dies() -> None:
    async def scene(jail: Jail) -> None:
        before = server_pid(jail)
        tasks = [asyncio.create_task(jail.run(b"spin", longest=LONGEST)) for _ in range(3)]
        while len(children_of(before)) < 3:
            await asyncio.sleep(0)
        os.kill(before, 9)
        assert set(await asyncio.gather(*tasks)) == {Killed(wire.Ending.OVERDUE, 9)}
        assert server_pid(jail) != before
        assert text(await jail.run(b"greet", longest=LONGEST)) == "hello"

    in_jail(scene, time_limit=1.0)


def test_the_fork_server_ends_with_the_service() -> None:
    async def scene(jail: Jail) -> None:
        task = asyncio.create_task(jail.run(b"spin", longest=LONGEST))
        while not children_of(server_pid(jail)):
            await asyncio.sleep(0)
        assert jail._server is not None
        jail._server.control.close()
        assert jail._server.process.wait() == 0
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    in_jail(scene, time_limit=600.0)


def test_a_fork_server_that_does_not_come_up_is_reported(capfd: pytest.CaptureFixture[str]) -> None:
    async def play() -> None:
        async with jail_of(worker="tests.support.jail_workers:no_such_function"):
            pass

    with pytest.raises(Unavailable):
        asyncio.run(play())
    assert "no_such_function" in capfd.readouterr().err


def open_descriptors(pid: int | str) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def test_processes_kept_ready_are_used_and_replaced() -> None:
    async def play() -> None:
        jail = Jail(Configuration("tests.support.jail_workers:make", {}, 20.0, 256 * MIB), places=4, seats=10, spares=2)
        try:
            await jail.start()
            while len(children_of(server_pid(jail))) < 2:
                await asyncio.sleep(0)
            first = set(children_of(server_pid(jail)))
            answer = text(await jail.run(b"process", longest=LONGEST))
            assert int(answer) in first
            for _ in range(3):
                assert text(await jail.run(b"count_visits", longest=LONGEST)) == "1"
        finally:
            await jail.close()

    asyncio.run(play())


def test_a_process_that_dies_while_it_waits_costs_nobody_an_answer() -> None:
    async def play() -> None:
        jail = Jail(Configuration("tests.support.jail_workers:make", {}, 20.0, 256 * MIB), places=4, seats=10, spares=1)
        try:
            await jail.start()
            while not children_of(server_pid(jail)):
                await asyncio.sleep(0)
            os.kill(children_of(server_pid(jail))[0], 9)
            while children_of(server_pid(jail)):
                await asyncio.sleep(0)
            assert text(await jail.run(b"greet", longest=LONGEST)) == "hello"
        finally:
            await jail.close()

    asyncio.run(play())


def test_hundreds_of_runs_leave_nothing_behind() -> None:
    async def scene(jail: Jail) -> None:
        server = server_pid(jail)
        here, there = open_descriptors("self"), open_descriptors(server)
        names = [b"greet", b"die", b"fall_silent", b"allocate"] * 75
        await asyncio.gather(*(jail.run(name, longest=LONGEST) for name in names))
        while children_of(server) or open_descriptors(server) > there:
            await asyncio.sleep(0)
        assert open_descriptors("self") == here

    in_jail(scene, seats=1000)


@pytest.fixture(autouse=True)
def _no_process_is_left() -> Iterator[None]:
    before = set(children_of(os.getpid()))
    yield
    assert set(children_of(os.getpid())) <= before
