"""Reading the page as a reader does: by accessible names."""

from __future__ import annotations

import base64
import zlib

from playwright.sync_api import Locator, Page, expect

EXAMPLE_STEPS = 10
"""Beats of the first example: three tensors, then arrive, rule, share, add, share, add, and what it prints."""


def table(page: Page, name: str) -> list[list[str]]:
    """The cells of a table of the graph, row by row."""
    rows = page.get_by_role("table", name=name, exact=True).get_by_role("row").all()
    return [row.get_by_role("cell").all_inner_texts() for row in rows]


def expect_table(page: Page, name: str, rows: list[list[str]]) -> None:
    """Waits until a table of the graph shows these cells."""
    cells = page.get_by_role("table", name=name, exact=True).get_by_role("cell")
    expect(cells).to_have_text([cell for row in rows for cell in row])
    assert table(page, name) == rows


def slider(page: Page) -> Locator:
    return page.get_by_role("slider", name="Step", exact=True)


REST = """() => new Promise((rest) => {
  const picture = () => document.querySelector('.layer')?.style.transform
  let [before, same] = [picture(), 0]
  const look = () => {
    const now = picture()
    const still = now === before && document.fonts.status === 'loaded' && document.getAnimations().length === 0
    same = still ? same + 1 : 0
    before = now
    same < 3 ? requestAnimationFrame(look) : rest(true)
  }
  look()
})"""


def expect_complete(page: Page) -> Page:
    """Waits until all has come that comes after the first picture, and until nothing moves."""
    expect(page.get_by_role("slider")).to_be_enabled()
    expect(page.locator("[aria-label^='tensor'], [aria-label^='张量']").first).to_be_visible()
    expect(page.locator(".cm-editor")).to_be_attached()
    expect(page.locator(".inspector .katex, .jacobian .katex, .scalar .verdict").first).to_be_attached()
    expect_rest(page)
    return page


def expect_rest(page: Page) -> None:
    """Waits until formulas and fonts are there and nothing moves: from here on places and colours can be read."""
    expect(page.locator(".waiting")).to_have_count(0)
    page.evaluate(REST)


def cell(page: Page, index: str, of: str = "c") -> Locator:
    """An editable cell of the gradient."""
    return page.get_by_role("group", name=f"gradient of {of}", exact=True).get_by_label(f"gradient of {of} {index}")


def program(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Program", exact=True)


def write_program(page: Page, source: str) -> None:
    """Replaces the program as a reader does who pastes one into the editor."""
    expect(page.locator(".cm-editor")).to_be_attached()
    program(page).click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(source)


def link(source: str) -> str:
    """A program as the fragment of a link holds it."""
    pack = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = pack.compress(source.encode()) + pack.flush()
    return "code=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")
