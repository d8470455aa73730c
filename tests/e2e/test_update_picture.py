"""An optimizer's step is shown large: from every bucket into its value, in beats."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.picture import expect_rest, slider, write_program
from tests.e2e.test_chapters import expect_turn
from tests.e2e.test_training import TRAINING, attribute

BY_HAND = """import torch
x = torch.linspace(-1, 1, 20)
t = 2 * x - 1
slope = torch.zeros(1, requires_grad=True)
offset = torch.zeros(1, requires_grad=True)
for turn in range(3):
    loss = ((slope * x + offset - t) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        slope -= 0.1 * slope.grad
        offset -= 0.1 * offset.grad
    slope.grad.zero_()
    offset.grad.zero_()"""

MANY = """import torch
from torch import nn
torch.manual_seed(0)
layers = [layer for _ in range(6) for layer in (nn.Linear(5, 5), nn.Tanh())]
model = nn.Sequential(*layers)
opt = torch.optim.Adam(model.parameters(), lr=0.05)
for epoch in range(2):
    opt.zero_grad()
    loss = model(torch.randn(3, 5)).square().sum()
    loss.backward()
    opt.step()"""

LOOK = """() => {
  const picture = document.querySelector('section.update')
  const room = picture.getBoundingClientRect()
  const small = [], cut = [], outside = []
  const words = document.createTreeWalker(picture, NodeFilter.SHOW_TEXT)
  while (words.nextNode()) {
    const text = words.currentNode.textContent.trim()
    const holder = words.currentNode.parentElement
    const style = getComputedStyle(holder)
    if (!text) continue
    if (parseFloat(style.fontSize) < 10.9) small.push(text)
    if (style.overflowX === 'hidden' && holder.scrollWidth > holder.clientWidth + 1) cut.push(text)
    const place = holder.getBoundingClientRect()
    if (place.left < room.left - 1 || place.right > room.right + 1) outside.push(text)
  }
  return { small, cut, outside, wide: picture.scrollWidth > picture.clientWidth }
}"""
"""What is wrong with the picture: words under 11 pixels, words that are cut or stand beside it."""


def picture(page: Page) -> Locator:
    return page.get_by_role("region", name="Update of the leaves", exact=True)


def sentence(page: Page) -> Locator:
    return page.locator(".sentence")


def to_step(page: Page) -> None:
    """To the first beat of the step of the turn at hand, from its backward pass."""
    page.get_by_role("contentinfo", name="Playback").get_by_role("button", name="step", exact=True).click()
    expect(picture(page)).to_be_visible()


def fill_until(page: Page, words: str) -> None:
    """Moves the slider on until it stands at a beat of these words."""
    start = int(slider(page).input_value().split(".")[0])
    for step in range(start, int(attribute(slider(page), "max")) + 1):
        slider(page).fill(str(step))
        expect(slider(page)).to_have_value(str(step))
        if words in attribute(slider(page), "aria-valuetext"):
            return
    raise AssertionError(f"no beat says {words}")


@pytest.fixture
def training(page: Page) -> Page:
    write_program(page, TRAINING)
    expect_turn(page, 1)
    return page


def test_a_step_flows_from_every_bucket_into_its_value(training: Page) -> None:
    to_step(training)
    graph = training.get_by_role("group", name="tensor model.weight", exact=True)
    expect(graph).to_have_count(1)
    expect(sentence(training)).to_contain_text("Step. SGD changes model.weight and model.bias")
    value = training.get_by_role("table", name="value of model.weight", exact=True)
    grad = training.get_by_role("table", name="model.weight.grad", exact=True)
    before, held = value.inner_text(), grad.inner_text()
    assert training.locator(".update .chip").count() == 0
    training.get_by_role("button", name="Step forward").click()
    training.get_by_role("button", name="Step forward").click()
    expect(sentence(training)).to_contain_text(
        "Flow. Every bucket, times −0.01, flows into its value: 2 leaves at once"
    )
    expect(training.locator(".update .chip")).to_have_count(2)
    expect(picture(training)).to_contain_text("−0.01 · .grad")
    assert value.inner_text() == before
    training.get_by_role("button", name="Step forward").click()
    expect(sentence(training)).to_contain_text("Write. 2 values are new")
    expect(value).not_to_have_text(before)
    assert grad.inner_text() == held


def test_the_picture_is_that_of_its_turn_and_leads_to_those_beside_it(training: Page) -> None:
    to_step(training)
    turn = training.get_by_role("group", name="turn 1 of 5", exact=True)
    expect(turn).to_have_count(1)
    expect(turn.get_by_role("button", name="Previous turn")).to_be_disabled()
    turn.get_by_role("button", name="Next turn").click()
    expect_turn(training, 2)
    expect(training.get_by_role("group", name="turn 2 of 5", exact=True)).to_have_count(1)
    training.get_by_role("button", name="Step forward").focus()
    training.keyboard.press("PageDown")
    expect_turn(training, 3)
    expect(picture(training)).to_be_visible()
    training.keyboard.press("]")
    expect(picture(training)).to_have_count(0)
    expect(training.get_by_role("group", name="turn 4 of 5", exact=True)).to_be_visible()


def test_what_an_optimizer_keeps_is_renewed_first(page: Page) -> None:
    write_program(page, TRAINING.replace("SGD(model.parameters(), lr=0.01)", "Adam(model.parameters())"))
    expect_turn(page, 1)
    to_step(page)
    fill_until(page, "renew the state")
    expect(sentence(page)).to_contain_text(
        "State. Adam first renews what it keeps for each leaf: exp_avg and exp_avg_sq"
    )
    row = page.get_by_role("group", name="tensor model.weight", exact=True)
    expect(row.get_by_role("img", name="model.weight, exp_avg", exact=True)).to_be_visible()
    expect(row.locator(".changing")).to_have_count(2)
    fill_until(page, "flow into the values")
    expect(sentence(page)).to_contain_text("What Adam makes of every bucket flows into its value")
    expect(page.locator(".update .chip")).to_have_count(2)


def test_an_update_by_hand_is_shown_line_by_line(page: Page) -> None:
    write_program(page, BY_HAND)
    expect_turn(page, 1, 3)
    fill_until(page, "flow into the values")
    expect(sentence(page)).to_contain_text("slope -= 0.1 * slope.grad takes the bucket of slope into its value")
    leaves = picture(page).get_by_role("group", name=re.compile("^tensor "))
    expect(leaves).to_have_count(2)
    expect(leaves.nth(0).locator(".chip")).to_have_count(1)
    expect(leaves.nth(1).locator(".chip")).to_have_count(0)
    before = leaves.nth(1).get_by_role("table", name="value of offset").inner_text()
    fill_until(page, "write slope")
    fill_until(page, "flow into the values")
    expect(leaves.nth(1).locator(".chip")).to_have_count(1)
    fill_until(page, "write offset")
    expect(leaves.nth(1).get_by_role("table", name="value of offset")).not_to_have_text(before)


@pytest.mark.parametrize("width", [1440, 1024, 390])
@pytest.mark.parametrize(("name", "source"), [("training", TRAINING), ("by hand", BY_HAND), ("many", MANY)])
def test_words_can_be_read_and_nothing_is_cut(open_page: OpenPage, width: int, name: str, source: str) -> None:
    page = open_page(color_scheme="dark" if width == 1024 else "light")
    write_program(page, source)
    expect(slider(page)).to_have_attribute("aria-valuetext", re.compile(r"\(turn 1 of \d\)$"))
    page.set_viewport_size({"width": width, "height": 844})
    fill_until(page, "flow into the values")
    expect(picture(page)).to_be_visible()
    expect_rest(page)
    found: dict[str, Any] = page.evaluate(LOOK)
    assert found == {"small": [], "cut": [], "outside": [], "wide": False}, name
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_less_motion_shows_the_chip_half_way(open_page: OpenPage) -> None:
    page = open_page(reduced_motion="reduce")
    write_program(page, TRAINING)
    expect_turn(page, 1)
    fill_until(page, "flow into the values")
    left = float(page.locator(".update .chip").first.evaluate("(chip) => parseFloat(chip.style.left)"))
    assert 40 < left < 60
