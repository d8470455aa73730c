"""Counted loops behave as Python's: what is printed, what is raised where, and how deep a program may go."""

from __future__ import annotations

import contextlib
import inspect
import io
import sys
from collections.abc import Iterator

import pytest

from gradflow.engine.run import run

PROGRAMS = [
    "print([i for i in range(3)], {i for i in 'a'}, {i: j for i, j in [(1, 2)]}, list(i for i in range(2)))",
    "def g():\n    try:\n        for i in range(3): yield i\n    finally:\n        print('closed')\nfor i in g():\n    if i: break\nprint(i)",
    "def g():\n    got = yield 1\n    while got: got = yield got + 1\nit = g()\nprint(next(it), it.send(4), it.send(5))\ntry: it.send(0)\nexcept StopIteration: print('stop')",
    "it = iter(range(5))\nfor i in it:\n    print(i, next(it, None))\nelse: print('else')",
    "xs = [3, 2, 1]\nfor x in xs:\n    if x == 2: xs.remove(x)\nprint(xs)",
    "class It:\n    n = 0\n    def __iter__(self): return self\n    def __next__(self):\n        self.n += 1\n        if self.n > 3: raise StopIteration\n"
    "        return self.n\nprint([n for n in It()], sum(It()), list(zip(It(), It())))",
    "def f(n):\n    for i in range(2):\n        try:\n            if n: return f(n - 1) + i\n            continue\n        finally:\n            print(n, i)\n    return 0\nprint(f(2))",
    "fs = [lambda: i for i in range(3)]\nprint([f() for f in fs])",
    "class C:\n    names = []\n    for k in 'ab': names.append(k)\n    squares = [k * 2 for k in names]\nprint(C.squares, [n for n in dir(C) if n[0] != '_'])",
    "n = 3\nwhile n:\n    n -= 1\n    if n == 1: continue\n    print(n)\nelse: print('done')",
    "for (a, *b), c in [((1, 2, 3), 4)]: print(a, b, c)",
    "try:\n    print([a for a, b in [(1, 2, 3)]])\nexcept ValueError as error: print(error)",
    "try:\n    print([a for a in 5])\nexcept TypeError as error: print(error)",
    "deep = 0\ndef f(xs):\n    global deep\n    deep += 1\n    for x in xs: f(x)\nxs = []\nfor _ in range(900): xs = [xs]\nf(xs)\nprint(deep)",
    "deep = 0\ndef f():\n    global deep\n    deep += 1\n    for x in (1,):\n        while True: f()\ntry: f()\nexcept RecursionError: print(deep)",
    "deep = 0\ndef f():\n    global deep\n    deep += 1\n    [f() for x in (1,)]\ntry: f()\nexcept RecursionError: print(deep)",
]


@pytest.mark.parametrize("source", PROGRAMS)
def test_prints_as_python_does(source: str) -> None:
    trace = run(source)
    assert trace.error is None, trace.error
    assert trace.stdout == python(source)


def python(source: str) -> str:
    """What Python prints, with as many calls in progress as a program has under its limit."""
    out = io.StringIO()
    code = compile(source, "<plain>", "exec")
    depth = len(inspect.stack(context=0))
    with contextlib.redirect_stdout(out), deeper(depth):
        exec(code, {"__name__": "__main__"})
    return out.getvalue()


@contextlib.contextmanager
def deeper(calls: int) -> Iterator[None]:
    """As much depth as is left where nothing has been called."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + calls)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
