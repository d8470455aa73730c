"""Tests of the picture in Graphviz's language."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradflow.engine import dot
from gradflow.engine.dot import NothingToDraw, to_dot
from gradflow.engine.run import run

PALETTE = Path(dot.__file__).parent / "palette.json"


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


def test_a_leaf_has_one_card_with_its_last_values() -> None:
    source = (
        "import torch\nweight = torch.ones(1, requires_grad=True)\nopt = torch.optim.SGD([weight], 0.25)\n"
        "for _ in range(2):\n    (weight * 3).sum().backward()\n    opt.step()\n(weight * 3).sum().backward()"
    )
    assert to_dot(run(source)).count("<B>weight</B>") == 1
