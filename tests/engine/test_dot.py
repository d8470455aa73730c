"""Tests of the picture in Graphviz's language, and of what belongs to it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradflow.engine import dot
from gradflow.engine.dot import NothingToDraw, to_dot
from gradflow.engine.run import run
from gradflow.engine.visibility import visible

PALETTE = Path(dot.__file__).parent / "palette.json"


def names(source: str) -> tuple[list[str], list[str]]:
    """The tensors, by name or expression, and the functions that a program's picture shows."""
    tensors, nodes = visible(run("import torch\n" + source))
    return [t.names[0] if t.names else t.expression for t in tensors], [n.op for n in nodes]


def test_both_themes_have_the_same_colours() -> None:
    palette = json.loads(PALETTE.read_text(encoding="utf-8"))
    assert list(palette) == ["light", "dark"]
    assert list(palette["light"]) == list(palette["dark"])


def test_the_picture_is_in_the_colours_of_its_theme() -> None:
    trace = run("import torch\nx = torch.ones(1, requires_grad=True)\n(x * 2).backward()")
    for theme, palette in dot.PALETTES.items():
        source = to_dot(trace, theme)
        assert f'bgcolor="{palette.paper}"' in source
        assert f'color="{palette.flow}"' in source


def test_what_leads_to_the_output_is_shown() -> None:
    source = "x = torch.ones(1, requires_grad=True)\nlog = x.detach() * 3\ny = x * 2\ny.backward()"
    assert names(source) == (["x", "y"], ["mul"])


def test_a_branch_that_could_be_differentiated_is_shown_too() -> None:
    source = "x = torch.ones(1, requires_grad=True)\ny = x * 2\nz = x + 1\ny.backward()"
    assert names(source) == (["x", "y", "z"], ["mul", "add"])


def test_a_program_that_differentiates_nothing_is_shown_whole() -> None:
    assert names("x = torch.ones(1)\ny = x * 2") == (["x", "y"], ["mul"])


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("x = 1", "the program makes no tensor"),
        ("x =", "SyntaxError: invalid syntax"),
        ("raise ValueError", "ValueError"),
    ],
)
def test_nothing_to_draw(source: str, reason: str) -> None:
    with pytest.raises(NothingToDraw) as raised:
        to_dot(run(source))
    assert str(raised.value) == f"There is nothing to draw: {reason}"
    assert raised.value.location == ("source",)
