"""All that can be done is found by its name and done by keys; and axe finds nothing wherever one gets to by them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.picture import expect_complete, expect_rest
from tests.e2e.test_page import violations

QUIET = 404
"""Of short links, where the service gives none."""


def palette(page: Page, text: str) -> None:
    """Finds something by its name, and does it."""
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Find an action").fill(text)
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("combobox", name="Find an action")).to_have_count(0)


def test_examples_and_actions_are_found_by_name(page: Page) -> None:
    expect_complete(page)
    palette(page, "broadcasting")
    expect(page.get_by_label("Examples")).to_contain_text("Broadcasting")
    palette(page, "switch dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    palette(page, "jacobian")
    expect(page.get_by_role("tab", name="Jacobian")).to_have_attribute("aria-selected", "true")


def test_a_lesson_is_found_by_name(page: Page) -> None:
    expect_complete(page)
    palette(page, "lesson jacobian")
    expect(page.get_by_role("region", name="Lesson", exact=True)).to_contain_text("The Jacobian, one pass a row")


def test_the_palette_opens_from_the_program_and_leaves_it_as_it_was(page: Page) -> None:
    expect_complete(page)
    page.keyboard.press("c")
    expect(page.get_by_role("textbox", name="Program", exact=True)).to_be_focused()
    before = page.get_by_role("textbox", name="Program", exact=True).inner_text()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Find an action")).to_be_focused()
    page.keyboard.type("nothing is called so")
    expect(page.get_by_text("Nothing of that name.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("textbox", name="Program", exact=True)).to_be_focused()
    assert page.get_by_role("textbox", name="Program", exact=True).inner_text() == before


def test_the_menu_of_examples_goes_to_what_is_typed(page: Page) -> None:
    expect_complete(page)
    page.keyboard.press("m")
    page.keyboard.type("broad")
    expect(page.get_by_role("menuitemradio", name=re.compile("Broadcasting"))).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Examples")).to_contain_text("Broadcasting")


WITHOUT_KEY = """() => [...document.querySelectorAll('header button, main button, footer button, .presets button')]
  .filter((each) => each.checkVisibility() && !each.closest('[data-tensor], [data-node], [data-group], .inspector'))
  .filter((each) => !each.hasAttribute('aria-keyshortcuts'))
  .map((each) => each.getAttribute('aria-label') ?? each.textContent)"""


def test_every_control_has_a_key_of_its_own(page: Page) -> None:
    expect_complete(page)
    by_commands = {"First step", "Step back", "Play", "Step forward", "Last step", "Keyboard and help", "EN", "Fit"}
    assert set(page.evaluate(WITHOUT_KEY)) <= by_commands
    keys = page.evaluate(
        "() => [...document.querySelectorAll('[aria-keyshortcuts]')].filter((each) => each.checkVisibility())"
        ".flatMap((each) => each.getAttribute('aria-keyshortcuts').split(' '))"
    )
    assert len(keys) == len(set(keys))


def test_the_help_lists_the_keys_and_finds_them(page: Page) -> None:
    expect_complete(page)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Share", exact=True)).to_be_visible()
    dialog.get_by_role("searchbox", name="Find a key").fill("theme")
    expect(dialog.get_by_role("definition")).to_have_text(["Switch to the dark theme"])
    expect(dialog.locator("kbd")).to_have_text(["T"])


def test_the_run_is_told_in_words(page: Page) -> None:
    expect_complete(page)
    page.keyboard.press("w")
    dialog = page.get_by_role("dialog", name="The run in words")
    row = dialog.get_by_role("row", name=re.compile("^a "))
    expect(row.get_by_role("cell")).to_have_text(["2×2", "[[1, 2], [3, 4]]", "[[6, 15], [6, 15]]"])
    expect(dialog.get_by_role("heading", name="backward #1")).to_be_visible()
    expect(dialog.get_by_role("listitem").filter(has_text="a.grad = [[6, 15], [6, 15]]")).to_contain_text("Add.")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_axe_finds_nothing_in_any_dialog(open_page: OpenPage, language: str, theme: str, complaints: list[str]) -> None:
    page = expect_complete(open_page(f"lang={language}", color_scheme=theme))
    page.emulate_media(reduced_motion="reduce")
    found = {}
    for key, opened in {
        "Control+k": "dialog[open]",
        "?": "dialog[open]",
        "w": "dialog[open]",
        "s": "dialog[open]",
        "/": "dialog[open]",
        "l": "dialog[open]",
        "m": "[role=menu]",
        "x": "[role=menu]",
    }.items():
        page.keyboard.press(key)
        expect(page.locator(opened), f"{key} opens").to_be_visible()
        expect_rest(page)
        if key == "w":
            expect(page.locator("dialog .text")).to_have_attribute("tabindex", "0")
        found[key] = violations(page)
        page.keyboard.press("Escape")
        expect(page.locator(opened)).to_have_count(0)
    assert {key: wrong for key, wrong in found.items() if wrong} == {}
    complaints[:] = [each for each in complaints if str(QUIET) not in each]
