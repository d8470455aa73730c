"""Where in a run things happened: calls, modules, loops, turns and recorded passes, as one tree."""

from __future__ import annotations

import pytest

from gradflow.engine.run import run
from gradflow.engine.trace import Place, Trace

HEAD = "import torch\nfrom torch import nn\nx = torch.ones(2, requires_grad=True)\n"


def traced(source: str) -> Trace:
    trace = run(HEAD + source)
    assert trace.error is None, trace.error
    return trace


def path(trace: Trace, place: str | None) -> str:
    """A place and what it is in, outermost first: loops by their turn alone."""
    places = {p.id: p for p in trace.places}
    names: list[str] = []
    while place is not None:
        found = places[place]
        if found.kind == "turn":
            names.append(f"{found.turn}:{found.variable or ''}")
        elif found.kind != "loop":
            names.append(found.title)
        place = found.parent
    return " / ".join(reversed(names))


def paths(source: str, op: str = "mul") -> list[str]:
    """The place of each multiplication."""
    trace = traced(source)
    return [path(trace, node.place) for node in trace.nodes if node.op == op]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("y = x * 2", [""]),
        ("for i in range(3): y = x * i", ["0:i = 0", "1:i = 1", "2:i = 2"]),
        ("for i in range(4):\n if i % 2 == 0: continue\n y = x * i", ["1:i = 1", "3:i = 3"]),
        ("for i in range(9):\n y = x * i\n if i == 1: break\nelse:\n y = x * 5\ny = x * 7", ["0:i = 0", "1:i = 1", ""]),
        ("for i in range(1): pass\nelse: y = x * 2", [""]),
        ("n = 0\nwhile n < 2:\n y = x * n\n n += 1", ["0:", "1:"]),
        ("n = 0\nwhile (x * n).sum() < 3:\n n += 1\nelse: y = x * 9", ["0:", "1:", "2:", ""]),
        ("ys = [x * i for i in range(2)]", ["0:i = 0", "1:i = 1"]),
        ("ys = {k: x * k for k in (3, 4) if k > 3}", ["1:k = 4"]),
        (
            "ys = [x * (i + j) for i in range(2) for j in range(2)]",
            ["0:i = 0 / 0:j = 0", "0:i = 0 / 1:j = 1", "1:i = 1 / 0:j = 0", "1:i = 1 / 1:j = 1"],
        ),
        ("ys = sum(x * i for i in range(2))", ["0:i = 0", "1:i = 1"]),
        ("for i, w in enumerate([x, x]): y = w * i", ["0:i = 0", "1:i = 1"]),
        ("for a, b in zip('ab', (1, 2)): y = x * b", ["0:a = 'a', b = 1", "1:a = 'b', b = 2"]),
        ("for p in [(0, 1), (1, 0)]: y = x * p[0]", ["0:p = (0, 1)", "1:p = (1, 0)"]),
        ("for w in [x, x]: y = w * 2", ["0:", "1:"]),
        ("for i in range(2):\n with torch.no_grad():\n  y = x * i", ["0:i = 0", "1:i = 1"]),
        ("def f(n): return x * n\nfor i in range(2): f(i)", ["0:i = 0 / f", "1:i = 1 / f"]),
        ("def f():\n for i in range(2): y = x * i\nf(); f()", ["f / 0:i = 0", "f / 1:i = 1"] * 2),
        ("def f(n):\n if n: f(n - 1)\n return x * n\nf(2)", ["f / f / f", "f / f", "f"]),
        (
            "def f(n):\n for i in range(2):\n  if n: f(n - 1)\n  y = x * i\nf(1)",
            [f"f / {k}:i = {k}{inner}" for k in range(2) for inner in (" / f / 0:i = 0", " / f / 1:i = 1", "")],
        ),
        (
            "def g():\n for i in range(2): yield x * i\nfor y in g(): z = y * 3",
            ["g / 0:i = 0", "0:", "g / 1:i = 1", "1:"],
        ),
        (
            "def g():\n for i in range(3): yield x * i\nit = g()\nfor k in range(2): y = next(it)\nnext(it)",
            ["0:k = 0 / g / 0:i = 0", "1:k = 1 / g / 1:i = 1", "g / 2:i = 2"],
        ),
        ("def f(n): return x * n\nys = list(map(f, (1, 2)))", ["f", "f"]),
        ("f = lambda n: x * n\nf(1)", ["<lambda>"]),
        (
            "def f():\n for i in range(3):\n  try:\n   y = x * i\n   if i == 1: raise ValueError\n  except ValueError:\n   return\nf()\ny = x * 2",
            ["f / 0:i = 0", "f / 1:i = 1", ""],
        ),
        ("class C:\n for i in range(2): y = x * i", ["", ""]),
        ("for i in range(2):\n for i in range(1): y = x * i", ["0: / 0:i = 0", "1: / 0:i = 0"]),
    ],
)
def test_places_of_operations(source: str, expected: list[str]) -> None:
    assert paths(source) == expected


def test_nested_loops_count_by_themselves() -> None:
    trace = traced("for i in range(20):\n    for j in range(49):\n        y = x * j")
    places = {p.id: p for p in trace.places}
    turns = [places[node.place or ""] for node in trace.nodes]
    assert [turn.turn for turn in turns] == [*range(49)] * 20

    def outer(turn: Place) -> Place:
        return places[places[turn.parent or ""].parent or ""]

    assert [outer(turn).turn for turn in turns] == [i for i in range(20) for _ in range(49)]
    assert len(places) == 1 + 20 + 20 + 20 * 49


def test_modules_hold_their_calls_and_the_loops_of_forward() -> None:
    trace = traced(
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.blocks = nn.Sequential(nn.ReLU(), nn.Tanh())\n"
        "    def forward(self, x):\n"
        "        for k in range(2):\n"
        "            x = self.blocks(x)\n"
        "        return x\n"
        "net = Net()\n"
        "for epoch in range(1):\n"
        "    y = net(x)"
    )
    inside = [f"0:epoch = 0 / net · Net / {k}:k = {k} / blocks · Sequential / " for k in range(2)]
    assert [path(trace, n.place) for n in trace.nodes] == [
        before + last for before in inside for last in ("0 · ReLU", "1 · Tanh")
    ]
    assert len({n.place for n in trace.nodes}) == 4


def test_a_recorded_pass_holds_its_functions_and_the_hooks_it_calls() -> None:
    trace = traced(
        "y = (x ** 3).sum()\nx.register_hook(lambda g: g * 2)\nfor i in range(1):\n    y.backward(create_graph=True)"
    )
    made = [path(trace, n.place) for n in trace.nodes if n.pass_id is not None]
    assert made[0] == "0:i = 0 / p0"
    assert "0:i = 0 / p0 / <lambda>" in made


def test_loops_and_turns_name_their_statement() -> None:
    trace = traced("for epoch in range(2):\n    y = x * 2")
    loop, first, second = trace.places
    assert (loop.kind, loop.title, loop.parent) == ("loop", "for epoch in range(2)", None)
    assert [(p.kind, p.title, p.parent, p.turn, p.variable) for p in (first, second)] == [
        ("turn", f"epoch = {k}", loop.id, k, f"epoch = {k}") for k in range(2)
    ]
    assert loop.span is not None
    assert (loop.span.line, loop.span.end_line) == (4, 5)
    assert trace.tensors[-1].place == second.id


def test_turns_in_which_nothing_was_recorded_are_not_told() -> None:
    trace = traced("for i in range(200_000): pass\nfor i in range(1000):\n    if i == 500: y = x * 2")
    assert [(p.kind, p.turn) for p in trace.places] == [("loop", None), ("turn", 500)]


def test_nothing_of_the_program_is_called_for_a_text() -> None:
    source = (
        "class Loud:\n    def __repr__(self): print('repr'); return ''\n    __str__ = __repr__\n"
        "class Odd(int):\n    def __repr__(self): print('odd'); return ''\n"
        "for a in (Loud(), Odd(3), (Odd(1), 2)): y = x * 2"
    )
    trace = traced(source)
    assert trace.stdout == ""
    assert [p.variable for p in trace.places] == [None] * 4
