"""Tests of pictures that are too large for cards, and of what every picture keeps to: text in its box, boxes apart."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import combinations
from typing import NamedTuple

import pytest

from gradflow.backend.jail.answers import check_svg
from gradflow.engine.examples import load_examples
from gradflow.engine.picture.letters import width
from gradflow.engine.picture.svg import TALLEST, to_svg
from gradflow.engine.picture.view import WHOLE, View
from gradflow.engine.run import run

NAME = "{http://www.w3.org/2000/svg}"
TRAINING = """import torch
import torch.nn as nn
torch.manual_seed(0)
x = torch.randn(16, 4)
t = (x.sum(1, keepdim=True) > 0).float()
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    opt.zero_grad()
    loss = nn.functional.binary_cross_entropy_with_logits(model(x), t)
    loss.backward()
    opt.step()
"""
DEEP = """import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(*[nn.Sequential(nn.Linear(3, 3), nn.Tanh()) for _ in range(8)])
(net(torch.ones(2, 3)) ** 2).mean().backward()
"""
WIDE = """import torch
w = torch.randn(100, 2, requires_grad=True)
v = torch.full((9, 9), float("nan"))
(w.exp().sum() * v.sum()).backward()
"""
SOURCES = {each.id: each.source for each in load_examples()} | {"training": TRAINING, "deep": DEEP, "wide": WIDE}


class Element(NamedTuple):
    """A card, a pill, a box or a row of a picture."""

    title: str
    place: tuple[float, float]
    size: tuple[float, float]
    inner: ET.Element


def drawn(source: str, view: View = WHOLE) -> ET.Element:
    svg = to_svg(run(source), view)
    check_svg(svg.encode())
    return ET.fromstring(svg)


def elements(svg: ET.Element) -> list[Element]:
    found = []
    for group in svg.iter(f"{NAME}g"):
        x, y = map(float, re.findall(r"[-\d.]+", group.get("transform", "")))
        box = next(rect for rect in group.iter(f"{NAME}rect") if rect.get("x") == rect.get("y") == "0")
        size = float(box.get("width", "")), float(box.get("height", ""))
        found.append(Element("".join(group.find(f"{NAME}title").itertext()), (x, y), size, group))  # type: ignore[union-attr]
    return found


def lines(element: Element) -> list[tuple[str, float, float, float]]:
    """The text, from, to, at what height."""
    found = []
    for text in element.inner.iter(f"{NAME}text"):
        spans = list(text.iter(f"{NAME}tspan")) or [text]
        for span in spans:
            told, size = span.text or "", float(span.get("font-size") or text.get("font-size", ""))
            long = width(told, size, bold="font-weight" in span.attrib)
            x = float(span.get("x", "")) - {"middle": long / 2, "end": long}.get(text.get("text-anchor", ""), 0.0)
            found.append((told, x, x + long, float(span.get("y", ""))))
    return found


@pytest.mark.parametrize("name", SOURCES)
def test_text_is_in_its_box_and_boxes_are_apart(name: str) -> None:
    svg = drawn(SOURCES[name])
    placed = elements(svg)
    for element in placed:
        for text, left, right, y in lines(element):
            assert left >= 0 and right <= element.size[0] + 0.5, (element.title, text)  # noqa: PT018
            assert 0 < y < element.size[1], (element.title, text)
    across, down = float(svg.get("width", "")), float(svg.get("height", ""))
    for one, other in combinations(placed, 2):
        apart = [
            one.place[k] + one.size[k] <= other.place[k] or other.place[k] + other.size[k] <= one.place[k]
            for k in (0, 1)
        ]
        assert any(apart), (one.title, other.title)
    assert all(e.place[0] + e.size[0] <= across and e.place[1] + e.size[1] <= down for e in placed)


def test_what_is_too_large_for_cards_has_rows() -> None:
    found = {element.title: element for element in elements(drawn(TRAINING))}
    assert "ReluBackward0" not in found  # it stands with what it made
    weight = [text for text, *_ in lines(found["tensor model.0.weight"])]
    assert weight[0] == "model.0.weight"
    assert "8×4" in weight
    assert any(re.fullmatch(r"\.grad 0\.\d+", text) for text in weight)
    assert found["tensor model.0.weight"].size[1] < 110


def test_a_module_with_one_function_is_told_in_its_row() -> None:
    texts = ["".join(text.itertext()) for text in drawn(TRAINING).iter(f"{NAME}text")]
    assert texts.count("1 · ReLU") == 1
    frames = [rect for rect in drawn(TRAINING) if rect.tag == f"{NAME}rect" and rect.get("rx") == "14"]
    assert len(frames) == 3  # model, 0 and 2


def test_a_deep_model_is_no_tower() -> None:
    svg = drawn(DEEP)
    assert float(svg.get("height", "")) < TALLEST


def test_before_the_pass_places_are_empty() -> None:
    svg = drawn(TRAINING, View(step=0))
    texts = ["".join(text.itertext()) for text in svg.iter(f"{NAME}text")]
    assert texts.count(".grad None") == 4


def test_what_has_many_numbers_is_drawn_in_colours() -> None:
    w = next(each for each in elements(drawn(WIDE)) if each.title == "tensor w")
    assert [text for text, *_ in lines(w)] == ["w", "100×2", ".grad"]
    colours = {path.get("fill") for path in w.inner.iter(f"{NAME}path")}
    assert 2 < len(colours) <= 66
    v = next(each for each in elements(drawn(WIDE)) if each.title == "tensor v")
    assert [path.get("fill") for path in v.inner.iter(f"{NAME}path")] == ["url(#hatch)"]


def test_formulas_have_their_arrays() -> None:
    source = (
        "import torch\na = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)\nb = torch.tensor([[5.], [6.]])\n"
        "c = a.mm(b)\nc.backward(torch.tensor([[7.], [8.]]))"
    )
    pill = next(each for each in elements(drawn(source)) if each.title == "MmBackward0")
    texts = [text for text, *_ in lines(pill)]
    assert texts[texts.index("35") :] == ["35", "42", "40", "48", " = ", "7", "8", "\u2009", "5", "6"]
