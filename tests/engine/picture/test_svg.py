"""Tests of the picture in SVG."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from gradflow.backend.jail.answers import check_svg
from gradflow.engine.picture.contents import NothingToDraw
from gradflow.engine.picture.palette import PALETTES
from gradflow.engine.picture.svg import to_svg
from gradflow.engine.picture.view import WHOLE, View
from gradflow.engine.run import InvalidRequest, run

PRODUCT = (
    "import torch\na = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)\nb = torch.ones(2, 3, requires_grad=True)\n"
    "c = a.mm(b)\nc.backward(torch.ones(2, 3))"
)
STEPS = (
    "import torch\na = torch.tensor([3.], requires_grad=True)\nb = torch.tensor([5.], requires_grad=True)\n"
    "c = a * b\nd = c.exp()\nd.backward()"
)
FLOW = PALETTES["light"].flow


def drawn(source: str, view: View = WHOLE) -> str:
    """A picture that is well-formed, and such that the service would hand it on."""
    svg = to_svg(run(source), view)
    ET.fromstring(svg)
    check_svg(svg.encode())
    return svg


def texts(svg: str) -> list[str]:
    """Its lines of text."""
    return ["".join(each.itertext()) for each in ET.fromstring(svg).iter() if each.tag.endswith("}text")]


def test_values_gradients_and_formulas_are_in_it() -> None:
    told = texts(drawn(PRODUCT))
    assert told[told.index("a") :][:7] == ["a", "2×2", "1", "2", "3", "4", ".grad"]
    assert told.count("MmBackward0") == 1
    assert {"a = c\u2009b⊤", "b = a⊤\u2009c"} <= set(told)


def test_a_bucket_has_a_double_line_and_is_empty_before_the_pass() -> None:
    double = rf'fill="none" stroke="{FLOW}"/>\n<rect [^>]*fill="none" stroke="{FLOW}"/>'
    assert len(re.findall(double, drawn(STEPS))) == 2
    before = drawn(STEPS, View(step=0))
    assert re.search(double, before) is None
    assert texts(before).count("None") == before.count('stroke-dasharray="3 3"') == 2


@pytest.mark.parametrize(("step", "flowing"), [(0, 1), (1, 3), (2, 5), (None, 5)])
def test_gradients_point_backward_as_far_as_the_pass_has_come(step: int | None, flowing: int) -> None:
    svg = drawn(STEPS, View(step=step))
    heads = re.findall(rf'<path d="M[\d.]+ [\d.]+l[\d.]+ [\d.]+h-[\d.]+z" fill="{FLOW}"/>', svg)
    assert len(heads) == flowing
    assert svg.count('stroke-opacity="0.14"') == bool(step)


def test_a_chosen_step_has_its_formula_and_those_to_come_have_none() -> None:
    told = texts(drawn(STEPS, View(step=1)))
    assert "c = d ⊙ d" in told
    assert not [each for each in told if each.startswith(("a =", "b ="))]


def test_infinite_numbers_are_hatched() -> None:
    svg = drawn("import torch\nx = torch.tensor([1., float('inf'), float('nan')])")
    assert svg.count('fill="url(#hatch)"') == 2
    assert "hatch" not in drawn(PRODUCT)


def test_modules_and_the_turn_are_frames_and_parameters_stand_in_theirs() -> None:
    svg = drawn(
        "import torch\nnet = torch.nn.Sequential(torch.nn.Linear(1, 1))\nopt = torch.optim.SGD(net.parameters(), 0.1)\n"
        "for _ in range(2):\n    opt.zero_grad()\n    net(torch.ones(1, 1)).sum().backward()\n    opt.step()"
    )
    told = texts(svg)
    assert [each for each in told if each.startswith("turn 2 of 2")]
    assert {"net · Sequential", "0 · Linear", "net.0.weight"} <= set(told)
    [(x, y, w, h)] = [
        tuple(map(float, each))
        for each in re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" rx="14"', svg)
        if each[0] != "0"
    ][1:2]
    at = re.search(r'translate\(([\d.]+) ([\d.]+)\)"><title>tensor net\.0\.weight', svg)
    assert at is not None
    assert x < float(at[1]) < x + w
    assert y < float(at[2]) < y + h


def test_text_of_a_program_cannot_become_markup() -> None:
    svg = drawn("import torch\nx = torch.ones(1)\n(x + {'<b>&\"': 1}['<b>&\"']) * 2")
    assert any("'<b>&\"'" in each for each in texts(svg))
    assert {each.tag.rpartition("}")[2] for each in ET.fromstring(svg).iter()} <= {
        "svg",
        "g",
        "title",
        "rect",
        "path",
        "text",
        "tspan",
    }


def test_both_themes_have_their_colours() -> None:
    for theme, palette in PALETTES.items():
        svg = drawn(PRODUCT, View(theme))
        assert palette.paper in svg
        assert palette.flow in svg


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(NothingToDraw):
        to_svg(run("x = 1"))
    with pytest.raises(InvalidRequest, match="there is no step 3"):
        to_svg(run(STEPS), View(step=3))
    with pytest.raises(InvalidRequest, match="at most 2 are drawn"):
        to_svg(run(STEPS), most=2)
