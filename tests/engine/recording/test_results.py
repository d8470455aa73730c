"""Tests of the names that tensors get from functions of the program that return them."""

from __future__ import annotations

import pytest

from gradflow.engine.run import run

PRELUDE = """import torch
def f(a):
    b = a * 2
    return b.exp() + 1
def two(a):
    return a * 3, a.sin()
class Model(torch.nn.Module):
    def forward(self, a):
        return a.cos() * 1
    def encode(self, a):
        return a.tan() * 1
model = Model()
x = torch.ones(2, requires_grad=True)
"""


def named(statement: str) -> list[list[str]]:
    """The names of what two turns of a loop make, without those that have none."""
    body = "".join(f"    {line}\n" for line in statement.splitlines())
    trace = run(f"{PRELUDE}for turn in range(2):\n{body}")
    assert trace.error is None, trace.error
    return [t.names for t in trace.tensors if t.names and t.names != ["x"]]


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("loss = f(x)", [["b"], ["loss"]]),
        ("loss = other = f(x)", [["b"], ["loss", "other"]]),
        ("p, q = two(x)", [["p"], ["q"]]),
        ("p, *rest = two(x)\nrest = None", [["p"]]),
        ("(p, q), r = two(x), f(x)", [["p"], ["q"], ["b"], ["r"]]),
        ("y = model(x)", [["y"]]),
        ("y = model.encode(x)", [["y"]]),
        ("model.kept = f(x)", [["b"]]),
    ],
)
def test_every_turn_names_what_functions_of_the_program_return(statement: str, names: list[list[str]]) -> None:
    found = named(statement)
    assert found[: len(names)] == names
    assert found[len(names) :] == names


def test_what_is_no_tensor_is_left_alone() -> None:
    source = (
        f"{PRELUDE}def g(a):\n    return a\nn, (s, t), d = g(3), g('ab'), g({{}})\nu = g(g)(2.5)\nprint(n, s, t, d, u)"
    )
    trace = run(source)
    assert (trace.error, trace.stdout) == (None, "3 a b {} 2.5\n")


def test_an_error_stands_at_the_call_that_raised_it() -> None:
    trace = run("def f(a):\n    return a.nothing\nfor k in range(2):\n    y = f(k)")
    assert trace.error is not None
    assert [(frame.function, frame.span and (frame.span.line, frame.span.column)) for frame in trace.error.frames] == [
        ("<module>", (4, 8)),
        ("f", (2, 11)),
    ]
    trace = run("def f():\n    return 1, 2, 3\np, q = f()")
    assert trace.error is not None
    assert trace.error.message == "too many values to unpack (expected 2)"
