"""What stands for the program itself is no group; what a program calls is."""

from __future__ import annotations

import pytest

from gradflow.engine.picture.groups import Group, groups_of
from gradflow.engine.picture.turns import in_turn
from gradflow.engine.run import run

MAIN = """import torch
def f(x):
    return (x * x).exp()
x = torch.ones(2, requires_grad=True)
"""


def outline(source: str) -> list[str]:
    """The groups that are no lines, indented."""
    trace = run(MAIN + source)
    assert trace.error is None, trace.error
    alive = in_turn(trace)
    nodes = [node for node in trace.nodes if node.id in alive.ids]
    tensors = [tensor for tensor in trace.tensors if tensor.id in alive.ids]

    def written(group: Group) -> list[str]:
        inner = [line for child in group.children if child.kind != "line" for line in written(child)]
        return [f"{'  ' * group.depth}{group.kind} {group.title}", *inner]

    return [line for group in groups_of(trace, nodes, tensors, alive.stacked) for line in written(group)]


@pytest.mark.parametrize(
    ("source", "groups"),
    [
        pytest.param("def main():\n    f(x).sum().backward()\nmain()", ["call f"], id="a function that trains"),
        pytest.param(
            "def main():\n    return f(x).sum()\nmain().backward()", ["call main", "  call f"], id="one that computes"
        ),
        pytest.param(
            "def main(k):\n    f(x * k).sum().backward()\nmain(1)\nmain(2)\nmain(3)",
            ["call main", "  call f"] * 3,
            id="one of many",
        ),
        pytest.param(
            "def train():\n    for k in range(3):\n        x.grad = None\n        f(x).sum().backward()\n"
            "train()\ny = x\nfor k in range(20): y = y.exp()",
            ["turn 3", "  call f"],
            id="a loop in a function that trains, beside more than it",
        ),
    ],
)
def test_a_function_that_trains_and_holds_most_of_the_picture_is_no_group(source: str, groups: list[str]) -> None:
    found = outline(source)
    assert found[: len(groups)] == groups
    assert not any("call main" in line or "call train" in line for line in found[len(groups) :])
