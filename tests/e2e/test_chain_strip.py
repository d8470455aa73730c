"""Turns that read each other stand as a strip under the norm of the gradient, the one at hand open above it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.picture import expect_rest, slider, write_program
from tests.e2e.test_real_programs import PROGRAMS
from tests.e2e.test_training import attribute

RNN = PROGRAMS["a state that is handed on"][1]


def strip(page: Page) -> Locator:
    return page.get_by_role("group", name="Turns of the chain", exact=True)


def expect_turn(page: Page, number: int, of: int = 15) -> None:
    """Waits until a turn is the one at hand, in the picture and in the strip."""
    expect(page.get_by_role("group", name=f"turn {number} of {of}", exact=True)).to_be_visible()
    expect(strip(page).locator("[aria-current=step]")).to_have_text(str(number))


def to_backward(page: Page, number: int) -> None:
    """To a beat of the backward pass in a turn."""
    expect(strip(page)).to_be_visible()
    last = int(attribute(slider(page), "max"))
    slider(page).fill(str(last - 30))
    expect(slider(page)).to_have_value(str(last - 30))
    current = strip(page).locator("[aria-current=step]")
    for _ in range(20):
        at = int(current.inner_text())
        if at == number:
            return
        page.get_by_role("button", name="Next turn" if at < number else "Previous turn").click()
        expect(current).to_have_text(str(at + (1 if at < number else -1)))


@pytest.fixture
def chain(page: Page) -> Page:
    write_program(page, RNN)
    to_backward(page, 8)
    expect_turn(page, 8)
    return page


def test_the_strip_has_the_ends_and_the_turns_at_hand(chain: Page) -> None:
    expect(strip(chain).get_by_role("button")).to_have_text(
        ["1", "turns 2 to 6", "7", "8", "9", "turns 10 to 14", "15"]
    )
    expect(strip(chain)).to_contain_text("Norm of the gradient of h")
    expect(strip(chain)).to_contain_text(re.compile("from turn 15 to turn 1 it (shrinks|grows) [\\d.,e+]+ times"))


def bars(page: Page, look: str) -> int:
    """How many bars of the strip look so: those that look alike are one path."""
    drawings = strip(page).locator(f".bar{look}").evaluate_all("(paths) => paths.map((path) => path.getAttribute('d'))")
    return sum(drawing.count("M") for drawing in drawings)


def test_norms_are_known_once_the_gradient_has_come(chain: Page) -> None:
    expect(strip(chain).get_by_role("button", name=re.compile("^turn 9, norm "))).to_be_visible()
    expect(strip(chain).get_by_role("button", name="turn 1, not reached yet")).to_be_visible()
    assert 7 <= bars(chain, ".known") <= 9
    chain.get_by_role("button", name="Last step").click()
    expect(strip(chain).locator(".bar:not(.known)")).to_have_count(0)
    assert bars(chain, ".known") == 15


def test_a_turn_opens_by_its_button_and_by_its_bar(chain: Page) -> None:
    strip(chain).get_by_role("button", name=re.compile("^turn 15")).click()
    expect_turn(chain, 15)
    assert "backward" in chain.get_by_role("contentinfo", name="Playback").inner_text()
    strip(chain).get_by_role("button", name="turns 3 to 13").or_(
        strip(chain).get_by_role("button", name="turns 2 to 13")
    ).click()
    expect_turn(chain, 7)
    boxes = [each.bounding_box() for each in strip(chain).locator(".bar").all()]
    first = min((box for box in boxes if box is not None), key=lambda box: box["x"])
    chain.mouse.click(first["x"] + 1, first["y"] + first["height"] - 1)
    expect_turn(chain, 1)


def test_keys_go_from_turn_to_turn(chain: Page) -> None:
    beat = attribute(slider(chain), "aria-valuetext").split(", ")[1]
    chain.get_by_role("button", name="Step forward").focus()
    chain.keyboard.press("PageUp")
    expect_turn(chain, 7)
    chain.keyboard.press("PageDown")
    chain.keyboard.press("PageDown")
    expect_turn(chain, 9)
    assert attribute(slider(chain), "aria-valuetext").split(", ")[1] == beat
    strip(chain).locator("[aria-current=step]").focus()
    chain.keyboard.press("ArrowLeft")
    expect_turn(chain, 8)
    expect(strip(chain).locator("[aria-current=step]")).to_be_focused()


def test_a_bucket_counts_the_shares_that_have_come(chain: Page) -> None:
    leaf = chain.get_by_role("group", name="tensor U", exact=True)
    expect(leaf).to_contain_text(re.compile(r"\.grad share \d+ of 15"))
    expect(leaf.locator(".pips i")).to_have_count(15)
    expect(leaf.get_by_label("U.grad", exact=True)).to_have_text(re.compile(r"\d"))


@pytest.mark.parametrize(("width", "language"), [(1440, "EN"), (1024, "中文"), (390, "中文")])
def test_the_strip_keeps_within_the_page(open_page: OpenPage, width: int, language: str) -> None:
    page = open_page()
    write_program(page, RNN.replace("15", "120"))
    frames = page.locator(".strip .frames button")
    expect(frames.last).to_have_text("120")
    page.get_by_role("button", name=language, exact=True).click()
    page.set_viewport_size({"width": width, "height": 844})
    steps = page.get_by_role("slider")
    steps.fill(str(int(attribute(steps, "max")) // 2 + 100))
    expect_rest(page)
    found = page.evaluate(
        """() => {
          const strip = document.querySelector('.strip')
          const room = strip.getBoundingClientRect()
          const words = [...strip.querySelectorAll('text, button, .title > *')]
          const panel = document.querySelector('.inspector').getBoundingClientRect()
          return {
            small: words.filter((each) => parseFloat(getComputedStyle(each).fontSize) < 10.9).length,
            cut: words.filter((each) => each.scrollWidth > each.clientWidth + 1 && each.matches('button')).length,
            outside: words.filter((each) => {
              const place = each.getBoundingClientRect()
              return place.left < room.left - 1 || place.right > room.right + 1
            }).map((each) => each.textContent),
            covered: panel.left < room.right && panel.top < room.bottom && panel.bottom > room.top,
          }
        }"""
    )
    assert found == {"small": 0, "cut": 0, "outside": [], "covered": False}
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_short_loops_and_loops_that_train_have_no_strip(page: Page) -> None:
    write_program(page, RNN.replace("range(15)", "range(3)"))
    expect(page.get_by_role("group", name="tensor U", exact=True)).to_be_visible()
    expect(strip(page)).to_have_count(0)
