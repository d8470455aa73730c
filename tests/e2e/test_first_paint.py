"""What is there before the large parts of the page have come, and that nothing is lost when they do."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.picture import expect_complete, expect_rest, expect_table, program


def hold(page: Page, *chunks: str, alone: bool = False) -> Callable[[], None]:
    """Keeps parts of the page back; returns what lets them come. ``alone``: it is opened anew without what is shown in its address,
    to which the page adds that a moment after it has come."""
    held: list[Route] = []
    released = False

    def keep(route: Route) -> None:
        if released:
            route.continue_()
        else:
            held.append(route)

    def release() -> None:
        nonlocal released
        released = True
        for route in held:
            route.continue_()

    address = page.url.partition("#")[0] if alone else page.url
    page.goto("about:blank")
    for chunk in chunks:
        page.route(f"**/assets/{chunk}-*.js", keep)
    page.goto(address)
    return release


def test_the_first_picture_waits_for_no_large_part(page: Page) -> None:
    release = hold(page, "CodeEditor", "katex", "worker", "Inspector")
    expect_table(page, "value of c", [["9", "12", "15"], ["19", "26", "33"]])
    expect(program(page)).to_have_value(re.compile(r"c = a\.mm\(b\)"))
    expect(page.locator(".cm-editor")).to_have_count(0)
    release()
    expect(page.locator(".cm-editor")).to_be_visible()
    expect(page.locator(".katex").first).to_be_visible()


def test_what_is_typed_before_the_editor_has_come_is_kept(page: Page) -> None:
    release = hold(page, "CodeEditor")
    expect(program(page)).to_contain_text("c = a.mm(b)")
    program(page).focus()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("import torch\nx = torch.ones(2, requires_grad=True)\ny = 3 * x")
    expect_table(page, "value of y", [["3", "3"]])
    page.keyboard.press("ArrowLeft")
    release()
    expect(page.locator(".cm-editor")).to_be_visible()
    expect(program(page)).to_be_focused()
    page.keyboard.type("2 * ")
    expect(program(page)).to_contain_text("y = 3 * 2 * x")
    expect_table(page, "value of y", [["6", "6"]])


def test_the_page_works_where_the_editor_never_comes(page: Page, complaints: list[str]) -> None:
    page.route("**/assets/CodeEditor-*.js", lambda route: route.abort())
    page.reload()
    program(page).fill("import torch\nx = torch.ones(2, requires_grad=True)\ny = 3 * x")
    expect_table(page, "value of y", [["3", "3"]])
    assert {line.partition(":")[0] for line in complaints} == {"Failed to load resource"}
    complaints.clear()


def test_the_plain_text_stands_where_the_editors_text_will(open_page: OpenPage) -> None:
    page = open_page()
    release = hold(page, "CodeEditor")
    expect_rest(page)
    before = program(page).bounding_box()
    release()
    expect_complete(page)
    line = page.locator(".cm-line").first.bounding_box()
    assert before is not None
    assert line is not None
    assert abs(before["x"] - line["x"]) <= 1
    assert abs(before["y"] - line["y"]) <= 1


PLACES = """() => [...document.querySelectorAll('[data-tensor], [data-node], header h1, .bar button')]
  .filter((element) => element.checkVisibility())
  .map((element) => [element.innerText, ...['x', 'y', 'width', 'height'].map((side) => element.getBoundingClientRect()[side])])"""
"""What stands where: words, and the box around them."""


@pytest.mark.parametrize(
    "options",
    [{}, {"height": 800}, {"width": 1920, "height": 1080, "color_scheme": "dark"}, {"locale": "zh-CN"}],
    ids=["wide", "low", "large and dark", "Chinese"],
)
def test_the_first_example_is_drawn_before_any_script(open_page: OpenPage, options: dict[str, Any]) -> None:
    page = open_page(**options)
    release = hold(page, "start", alone=True)
    expect(page.locator("#prerendered [data-tensor]").filter(visible=True)).to_have_count(3)
    theme = page.locator("html").get_attribute("data-theme")
    before = page.evaluate(PLACES)
    release()
    expect_complete(page)
    assert theme == options.get("color_scheme", "light")
    after = {words: box for words, *box in page.evaluate(PLACES)}
    for words, *box in before:
        assert after[words] == pytest.approx(box, abs=1), words


WATCH = """window.gaps = null
const look = () => {
  const drawn = document.querySelector('[data-tensor]') !== null
  if (drawn) window.gaps ??= 0
  else if (window.gaps !== null) window.gaps += 1
  requestAnimationFrame(() => setTimeout(look))
}
look()"""
"""Counts the frames without a picture after the first one with it."""


def test_the_picture_is_never_gone_again(open_page: OpenPage) -> None:
    page = open_page("example=02_sum")
    page.add_init_script(WATCH)
    page.goto(page.url.partition("#")[0])
    expect_complete(page)
    assert page.evaluate("window.gaps") == 0


@pytest.mark.parametrize(("fragment", "options"), [("example=06_accumulation", {}), ("", {"width": 1024})])
def test_nothing_is_shown_that_will_not_be_there(open_page: OpenPage, fragment: str, options: dict[str, Any]) -> None:
    page = open_page(fragment, **options)
    hold(page, "start")
    expect(page.locator("#prerendered [data-tensor]").first).to_be_attached()
    expect(page.locator("#prerendered [data-tensor]").filter(visible=True)).to_have_count(0)


FIRST_LOAD = 355_000
"""Bytes, gzipped, that the page may take before its layout engine and KaTeX come; its fonts, of no text, not counted."""

LATER = re.compile(r"/assets/(worker|katex|KaTeX_\w+)-|\.woff2$")


def size_as_served(url: str) -> int:
    """How many bytes come for an address to who takes gzip."""
    with urlopen(Request(url, headers={"Accept-Encoding": "gzip"})) as answer:
        return len(answer.read())


def test_the_first_load_is_small(page: Page, url: str) -> None:
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(request.url))
    page.reload()
    expect_complete(page)
    expect(page.locator(".cm-editor")).to_be_visible()
    expect(page.locator(".katex").first).to_be_visible()
    sizes = {each: size_as_served(each) for each in asked if each.startswith(url) and not LATER.search(each)}
    assert any("CodeEditor" in each for each in sizes)
    assert sum(sizes.values()) < FIRST_LOAD, sorted(sizes.items(), key=lambda item: -item[1])
