"""Tests of the programs that may share a process: which they are, and that nobody can tell by the answer."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from gradflow.backend.jail import wire
from gradflow.backend.jail.forkserver import Configuration
from gradflow.backend.jail.jail import Jail
from gradflow.backend.jail.plain import LONGEST, is_plain
from gradflow.backend.jail.wire import Answer
from gradflow.backend.service import Service
from gradflow.backend.settings import Settings
from tests.support import programs

MIB = 1024 * 1024
EVERY = int(os.environ.get("GRADFLOW_EVERY", "5"))
"""Of the plain programs that there are, every so-many-th is run here."""

PLAIN = [
    "c = a.mm(b)",
    "import torch\nx = torch.tensor([1., 2.], requires_grad=True)\ny = (x ** 2).sum()\ny.backward()\nprint(x.grad)",
    "import torch; import torch.nn as nn\nimport torch.nn.functional as F\nfrom torch import optim\nm = nn.Linear(2, 1)\nF.relu(m.weight)",
    "import torch\ndef f(x):\n    return x.exp()\nprint(torch.autograd.functional.jacobian(f, torch.ones(2)))",
    "x = 1.5  # 损失\nprint('梯度', f'{x:.3f} {x!r:>{8}}', 'a.b is no attribute', \"it's\", 2e-3, .5)",
    "with torch.no_grad():\n    w -= 0.1 * w.grad\nw.grad = None",
    "'''a text\nof two lines, with 'quotes' and __class__'''\nx[..., 0].sum()",
    "for _ in range(3): pass",
    "import torch.nn as nn\nclass Net(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n        self.hidden = nn.Linear(n, 2)\n"
    "    def forward(self, x):\n        return self.encode(x)\n    def encode(self, x):\n        return self.hidden(x).relu()\n"
    "net = Net(3)\nprint(net.hidden.weight.grad, f'{net.hidden.bias}')",
    "class Net(torch.nn.Module):\n  def __init__( self ):\n    super(Net, self).__init__()",
]
OTHERS = {
    "a class": "class A: pass",
    "a class of another kind": "class A(nn.Module, B): pass",
    "a metaclass": "class A(nn.Module, metaclass=B): pass",
    "a special method": "class A(nn.Module):\n    def __call__(self): pass",
    "another special method of super": "super().__getattribute__('x')",
    "super itself": "s = super",
    "an attribute that is not listed": "torch.load",
    "an attribute of a module, called as one's own": "self.load = 1\ntorch.load",
    "an attribute of a module in a module": "self.load = 1\ntorch.nn.load",
    "a module by another name": "self.load = 1\nt = torch\nt.load",
    "a module in a module by another name": "self.load = 1\nt = torch.nn\nt.load",
    "a module by another name, imported": "import torch as t\nself.load = 1\nt.load",
    "a module by another name, imported and handed on": "import torch as t\nself.load = 1\nu = t\nu.load",
    "a module as the last word": "torch",
    "a module in an f-string": "self.load = 1\nf'{torch.load}'",
    "an attribute after a comment": "(torch.  # so\n load)",
    "an attribute over two lines": "torch.\\\nload",
    "an attribute with an underscore": "x.__class__",
    "an attribute of a tensor, called as one's own": "self.numpy = 1\nx.numpy",
    "an attribute of a handle, called as one's own": "self.id = 1\nx.id",
    "an attribute of a number": "1..real",
    "a name with an underscore": "__import__('os')",
    "a function of Python's": "getattr(x, 'sum')",
    "such a function renamed": "import torch as getattr",
    "such a function in an f-string": "f'{vars(x)}'",
    "an attribute in an f-string": "f'{x.load}'",
    "an attribute in a field of a field": "f'{x:{x.load}}'",
    "an f-string in three quotes": "f'''{x}'''",
    "a raw f-string": "fr'{x.load}'",
    "quotes within an f-string": "f'{\"}\"}' + ' x.load '",
    "a brace within an f-string": 'f"{" " x.load "}"',
    "a backslash in an f-string": "f'{x}\\n'",
    "doubled braces": "f'{{x'",
    "bytes": "rb'x'",
    "another module": "import os",
    "another module beside": "import torch, os",
    "another module after": "import torch; import os",
    "all of a module": "from torch import *",
    "a name of a module": "from torch import load",
    "an import over two lines": "import torch.\\\nload",
    "a handler": "try:\n    x\nexcept Exception:\n    pass",
    "a generator": "def f():\n    yield 1",
    "a pattern": "match x:\n    case _: pass",
    "letters that Python normalizes": "ｖars(x)",
    "a name in Chinese": "损失 = 1",
    "an unknown character": "x ? y",
    "a text without an end": "'abc",
    "a form feed": "\fx",
    "a null": "x\0",
    "brackets within brackets": "(" * 21 + ")" * 21,
    "a long program": "x = 1\n" * (LONGEST // 6 + 1),
}


@pytest.mark.parametrize("source", PLAIN)
def test_listed_words_are_plain(source: str) -> None:
    assert is_plain(source)


@pytest.mark.parametrize("source", OTHERS.values(), ids=OTHERS)
def test_what_reaches_further_is_not(source: str) -> None:
    assert not is_plain(source)


def test_names_of_inputs_count() -> None:
    assert is_plain("c = a + b", ["a", "b"])
    assert not is_plain("c = a + b", ["a", "getattr"])
    assert not is_plain("c = a + b", ["a", "_b"])
    assert not is_plain("c = a + b", ["a", "变量"])


def test_of_the_programs_that_try_to_escape_next_to_none_is_plain() -> None:
    assert {source for source in programs.escaping_programs().values() if is_plain(source)} == {
        "import math; math.pi = 3",
        'print("x", file=print)',
    }


# ---- the process


@asynccontextmanager
async def jail_of(runs: int = 5) -> AsyncIterator[Jail]:
    configuration = Configuration("tests.support.jail_workers:make", {}, 20.0, 256 * MIB)
    jail = Jail(configuration, places=2, seats=8, runs=runs)
    try:
        await jail.start()
        yield jail
    finally:
        await jail.close()


async def process_of(jail: Jail, *, plain: bool) -> int:
    answer = await jail.run(b"process", longest=MIB, plain=plain)
    assert isinstance(answer, Answer)
    await rested(jail)
    return int(answer.payload)


async def rested(jail: Jail) -> None:
    """Give the fork server the time to tell."""
    for _ in range(100):
        if jail.resting_processes:
            return
        await asyncio.sleep(0.001)


def test_plain_programs_follow_one_another_in_a_process() -> None:
    async def scene() -> None:
        async with jail_of() as jail:
            first = await process_of(jail, plain=True)
            assert await process_of(jail, plain=True) == first
            assert await process_of(jail, plain=False) != first
            assert await process_of(jail, plain=True) == first

    asyncio.run(scene())


def test_a_process_of_another_program_is_not_used_again() -> None:
    async def scene() -> None:
        async with jail_of() as jail:
            first = await process_of(jail, plain=False)
            assert jail.resting_processes == 0
            assert await process_of(jail, plain=True) != first

    asyncio.run(scene())


def test_a_process_is_used_so_often_and_not_more() -> None:
    async def scene() -> None:
        async with jail_of(runs=3) as jail:
            used = [await process_of(jail, plain=True) for _ in range(6)]
            assert [used.count(each) for each in used] == [3] * 6

    asyncio.run(scene())


def test_with_one_run_for_each_process_none_rests() -> None:
    async def scene() -> None:
        async with jail_of(runs=1) as jail:
            used = [await process_of(jail, plain=True) for _ in range(3)]
            assert len(set(used)) == 3

    asyncio.run(scene())


def test_a_process_that_dies_while_it_rests_costs_nobody_an_answer() -> None:
    async def scene() -> None:
        async with jail_of() as jail:
            first = await process_of(jail, plain=True)
            os.kill(first, signal.SIGKILL)
            assert await process_of(jail, plain=True) != first

    asyncio.run(scene())


def test_of_a_process_that_ended_right_after_its_answer_nothing_is_kept() -> None:
    """Its end may be told before the answer is taken."""

    async def scene() -> None:
        async with jail_of() as jail:
            server = jail._server
            assert server is not None
            cell = server.begin(plain=True)
            await asyncio.get_running_loop().sock_sendall(cell.socket, wire.frame(wire.REQUEST, b"greet"))
            await cell.ended
            server.rest(cell)
            assert cell.socket.fileno() == -1
            assert jail.resting_processes == 0

    asyncio.run(scene())


def test_one_that_says_more_than_it_was_asked_is_not_used_again() -> None:
    async def scene() -> None:
        async with jail_of() as jail:
            answer = await jail.run(b"talk_twice", longest=MIB, plain=True)
            assert answer == Answer(wire.ANSWER, b"one")
            await rested(jail)
            assert await jail.run(b"greet", longest=MIB, plain=True) == Answer(wire.ANSWER, b"hello")

    asyncio.run(scene())


def test_what_depends_on_the_process_is_answered_by_a_fresh_one() -> None:
    async def scene() -> None:
        async with jail_of() as jail:
            assert await jail.run(b"recurse", longest=MIB, plain=True) == Answer(
                wire.ANSWER, b"RecursionError at visit 1"
            )
            await rested(jail)
            assert await jail.run(b"recurse", longest=MIB, plain=True) == Answer(
                wire.ANSWER, b"RecursionError at visit 1"
            )

    asyncio.run(scene())


def test_a_run_that_is_cancelled_ends_its_process() -> None:
    async def scene() -> None:
        async with jail_of() as jail:
            first = await process_of(jail, plain=True)
            spinning = asyncio.ensure_future(jail.run(b"spin", longest=MIB, plain=True))
            await asyncio.sleep(0.1)
            spinning.cancel()
            await asyncio.gather(spinning, return_exceptions=True)
            assert await process_of(jail, plain=True) != first

    asyncio.run(scene())


# ---- the answer


def plain_programs() -> dict[str, str]:
    known = {
        **programs.recorded_programs(),
        **programs.failing_programs(),
        **programs.mended_programs(),
        **programs.trap_programs(),
        **programs.escaping_programs(),
    }
    return {name: source for name, source in known.items() if is_plain(source)}


def test_nobody_can_tell_by_the_answer_what_ran_before() -> None:
    """Plain programs, forwards and backwards, where one process runs many, and where each has one of its own."""
    sources = list(plain_programs().values())[::EVERY]
    assert len(sources) > 100

    async def answers(runs: int, sources: list[str]) -> list[str]:
        service = Service(Settings(programs_per_process=runs, cache_bytes=0, spares=2, time_limit=60.0))
        await service.jail.start()
        try:
            return [programs.digest(await service.trace({"source": source})) for source in sources]
        finally:
            await service.jail.close()

    alone = asyncio.run(answers(1, sources))
    assert asyncio.run(answers(40, sources)) == alone
    assert asyncio.run(answers(40, sources[::-1])) == alone[::-1]
