"""The timeline of a training loop: a chapter for each turn, its acts, and the loss above."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.picture import slider, write_program
from tests.e2e.test_training import TRAINING, attribute

ACTS = ["zero", "forward", "backward", "step"]


def transport(page: Page) -> Locator:
    """The bar at the bottom."""
    return page.get_by_role("contentinfo", name="Playback")


def expect_turn(page: Page, number: int, of: int = 5) -> None:
    """Waits until the cursor is in a turn."""
    expect(slider(page)).to_have_attribute("aria-valuetext", re.compile(rf"\(turn {number} of {of}\)$"))


@pytest.fixture
def training(page: Page) -> Page:
    """The page with a training loop of five turns, in the first of them."""
    write_program(page, TRAINING)
    expect_turn(page, 1)
    page.get_by_role("button", name="Step forward").focus()
    return page


def test_keys_go_from_turn_to_turn_and_keep_the_beat(training: Page) -> None:
    beat = attribute(slider(training), "aria-valuetext").split(", ")[1].split(" (")[0]
    training.keyboard.press("PageDown")
    training.keyboard.press("PageDown")
    expect_turn(training, 3)
    assert attribute(slider(training), "aria-valuetext").split(", ")[1].split(" (")[0] == beat
    training.keyboard.press("PageUp")
    expect_turn(training, 2)


def test_acts_are_buttons_and_have_keys(training: Page) -> None:
    training.keyboard.press("PageDown")
    for act in ACTS:
        transport(training).get_by_role("button", name=act, exact=True).click()
        expect(transport(training)).to_contain_text(re.compile(rf"turn 2 of 5\s*{act}"))
    training.keyboard.press("[")
    expect(transport(training)).to_contain_text(re.compile(r"turn 2 of 5\s*backward, step 1 of"))
    training.keyboard.press("]")
    training.keyboard.press("]")
    expect_turn(training, 3)


def test_a_loss_leads_to_its_turn(training: Page) -> None:
    points = training.get_by_role("group", name="loss by turn").get_by_role("button")
    expect(points).to_have_count(5)
    points.nth(3).click()
    expect_turn(training, 4)
    expect(points.nth(3)).to_have_attribute("aria-current", "step")
    training.keyboard.press("ArrowRight")
    expect(points.nth(4)).to_be_focused()
    expect_turn(training, 5)


def test_what_is_scrubbed_into_opens(training: Page) -> None:
    box = slider(training).bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    training.mouse.move(box["x"] + 20, middle)
    training.mouse.down()
    training.mouse.move(box["x"] + box["width"] - 100, middle, steps=8)
    training.mouse.up()
    expect(transport(training)).to_contain_text(re.compile(r"turn 5 of 5\s*backward, step"))
    expect(transport(training).get_by_role("button", name="zero", exact=True)).to_be_visible()


@pytest.mark.parametrize("width", [390, 1440])
def test_many_turns_keep_within_the_page(open_page: OpenPage, width: int) -> None:
    page = open_page(width=1440)
    write_program(page, TRAINING.replace("range(5)", "range(400)"))
    expect_turn(page, 1, 400)
    page.set_viewport_size({"width": width, "height": 844})
    expect(slider(page)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert transport(page).locator(".ruler *").count() < 150
