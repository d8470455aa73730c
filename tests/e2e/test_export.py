"""What is taken away: pictures of the view at hand, films of a pass, a page that is one file, a text, a link."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.picture import expect_complete, expect_table, slider, write_program
from tests.e2e.test_page import violations
from tests.support.packed import unpacked

SVG = "{http://www.w3.org/2000/svg}"


def take(page: Page, item: str, to: Path) -> bytes:
    """Takes the view away as one of the items of the menu, and gives what is in the file."""
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=item).click()
    file = to / download.value.suggested_filename
    download.value.save_as(file)
    return file.read_bytes()


def words(svg: bytes) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_view_at_hand_becomes_a_drawing_in_light_colours(open_page: OpenPage, theme: str, tmp_path: Path) -> None:
    page = expect_complete(open_page("example=matrix-product&step=5.5", color_scheme=theme))
    svg = take(page, "SVG", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["matrix-product.svg"]
    found = words(svg)
    assert [word for word in found if word in ("9", "12", "15", "19", "26", "33")][:6] == [
        "9",
        "12",
        "15",
        "19",
        "26",
        "33",
    ]
    assert {"Share.", "a", "b", "c", "mm", "MmBackward0", "@", "None", "value", "gradient"} <= set(found)
    assert "Export" not in found
    root = ElementTree.fromstring(svg)
    assert root.find(f"{SVG}rect").attrib["fill"] == "#fff"  # type: ignore[union-attr]
    inks = {text.attrib["fill"] for text in root.iter(f"{SVG}text")}
    assert "#171a20" in inks
    assert "#eceff4" not in inks
    assert b"foreignObject" not in svg
    assert svg.count(b"@font-face") >= 3
    assert not re.search(rb'(?:href|src)[=:]\s*(?:url\()?["\']?https?:', svg)
    expect(page.locator("html")).to_have_attribute("data-theme", theme)


def test_other_views_become_drawings_too(open_page: OpenPage, tmp_path: Path) -> None:
    page = expect_complete(open_page("example=matrix-product&view=jacobian"))
    assert "Jacobian of" in " ".join(words(take(page, "SVG", tmp_path)))


def test_a_png_has_twice_the_pixels_of_the_drawing(open_page: OpenPage, tmp_path: Path) -> None:
    page = expect_complete(open_page("example=matrix-product&step=5.5"))
    svg = ElementTree.fromstring(take(page, "SVG", tmp_path))
    png = take(page, "PNG", tmp_path)
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    size = [int.from_bytes(png[16:20]), int.from_bytes(png[20:24])]
    assert size == [2 * int(svg.attrib["width"]), 2 * int(svg.attrib["height"])]


@pytest.mark.parametrize(("item", "begins"), [("PDF", b"%PDF-"), ("DOT", b"digraph")])
def test_the_server_draws_the_whole_graph(page: Page, item: str, begins: bytes, tmp_path: Path) -> None:
    assert take(page, item, tmp_path).startswith(begins)


def test_a_pass_becomes_a_gif_that_begins_again(open_page: OpenPage, tmp_path: Path) -> None:
    page = expect_complete(open_page("example=plus-one"))
    before = slider(page).input_value()
    gif = take(page, "GIF", tmp_path)
    assert gif[:6] == b"GIF89a"
    assert b"NETSCAPE2.0\x03\x01\x00\x00" in gif
    assert gif.count(b"\x21\xf9\x04") > 10  # pictures
    expect(slider(page)).to_have_value(before)


def test_a_pass_becomes_a_video(open_page: OpenPage, tmp_path: Path) -> None:
    page = expect_complete(open_page("example=plus-one"))
    video = take(page, "WebM", tmp_path)
    assert video[:4] == b"\x1a\x45\xdf\xa3"
    assert b"V_VP8" in video


def test_the_trace_becomes_json(page: Page, tmp_path: Path) -> None:
    trace = json.loads(take(page, "JSON", tmp_path))
    assert trace["schema"] == 2
    assert [tensor["names"] for tensor in trace["tensors"]][:3] == [["a"], ["b"], ["c"]]


def test_the_run_becomes_a_page_that_plays_without_a_network(
    open_page: OpenPage, browser: Browser, tmp_path: Path
) -> None:
    page = expect_complete(open_page("example=matrix-product&step=3&lang=zh"))
    page.get_by_role("button", name="EN", exact=True).click()
    assert len(take(page, "HTML", tmp_path)) < 600_000
    context = browser.new_context(offline=True, viewport={"width": 1090, "height": 508})
    try:
        alone = context.new_page()
        complaints: list[str] = []
        asked: list[str] = []
        alone.on("pageerror", lambda error: complaints.append(str(error)))
        alone.on("console", lambda message: complaints.append(message.text))
        alone.on("request", lambda request: asked.append(request.url))
        address = (tmp_path / "matrix-product.html").as_uri()
        alone.goto(address)
        expect(alone.get_by_role("group", name="tensor c")).to_be_visible()
        alone.get_by_role("button", name="Play").click()
        expect_table(alone, "a.grad", [["6", "15"], ["6", "15"]])
        expect(alone.locator(".katex").first).to_be_visible()
        assert alone.get_by_role("link", name="Open in playground").get_attribute("href").startswith("http://127")  # type: ignore[union-attr]
        assert [url for url in asked if url != address and not url.startswith("data:")] == []
        assert complaints == []
        assert violations(alone) == []
    finally:
        context.close()


TRAINING = """import torch
from torch import nn
torch.manual_seed(0)
x = torch.randn(20, 2)
net = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01, weight_decay=0.01)
for turn in range(30):
    loss = nn.functional.mse_loss(net(x), x[:, :1] * x[:, 1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


def test_a_network_trained_by_adam_is_a_page_of_600_kb_with_the_same_numbers(
    open_page: OpenPage, browser: Browser, tmp_path: Path
) -> None:
    page = open_page()
    write_program(page, TRAINING)
    expect(page.get_by_role("group", name="turn 1 of 30")).to_be_visible()
    assert len(take(page, "HTML", tmp_path)) < 600_000
    given = json.loads(take(page, "JSON", tmp_path))
    context = browser.new_context(offline=True)
    try:
        alone = context.new_page()
        (file,) = tmp_path.glob("*.html")
        alone.goto(file.as_uri())
        expect(alone.get_by_role("group", name="turn 1 of 30")).to_be_visible()
    finally:
        context.close()
    packed = re.search('id="run">([^<]*)<', file.read_text(encoding="utf-8"))
    assert packed is not None
    assert unpacked(packed[1])["trace"] == given


def test_the_run_is_copied_as_markdown(open_page: OpenPage) -> None:
    page = expect_complete(open_page("example=matrix-product", permissions=["clipboard-read", "clipboard-write"]))
    page.get_by_role("button", name="Export").click()
    page.get_by_role("menuitem", name="Markdown").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.startswith("# Matrix product\n\n[Open in playground](http://")
    assert "```python\nimport torch\n" in text
    assert "```mermaid\nflowchart TD\n" in text
    assert "| `a` | 2×2 | `[[1, 2], [3, 4]]` | `[[6, 15], [6, 15]]` |" in text
    assert "## backward #1\n\n1. **Arrive.**" in text
    assert "   - `a.grad` = `[[6, 15], [6, 15]]`" in text


def test_this_moment_is_shared_as_link_code_and_frame(open_page: OpenPage, url: str, complaints: list[str]) -> None:
    page = expect_complete(
        open_page("example=matrix-product&step=3", permissions=["clipboard-read", "clipboard-write"])
    )
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog", name="Share this moment")
    link = f"{url}/#example=matrix-product&step=3&lang=en"
    expect(dialog.get_by_role("textbox", name="Link", exact=True)).to_have_value(link)
    expect(dialog.get_by_role("img", name="QR code of the link")).to_be_visible()
    frame = link.replace("/#", "/embed#").replace("&", "&amp;")
    expect(dialog.get_by_role("textbox", name="Frame for a page")).to_have_value(
        re.compile(re.escape(f'src="{frame}"'))
    )
    expect(dialog.get_by_role("textbox", name="Tag for a page")).to_have_value(re.compile("c = a.mm"))
    assert violations(page) == []
    dialog.get_by_role("button", name="Copy: Link").click()
    expect(dialog).to_be_hidden()
    assert page.evaluate("navigator.clipboard.readText()") == link
    complaints[:] = [each for each in complaints if "404" not in each and "405" not in each]  # no short links here


def test_the_page_is_printed_without_what_is_there_to_be_pressed(page: Page) -> None:
    expect_complete(page)
    page.emulate_media(media="print")
    for name in ("Share", "Play", "Keyboard and help"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_hidden()
    expect(page.get_by_role("group", name="tensor c")).to_be_visible()
    expect(page.get_by_role("textbox", name="Program", exact=True)).to_be_visible()


def print_by_menu(page: Page) -> None:
    """What a browser does for `print`, but for the paper."""
    page.evaluate("window.print = () => (window.printed = dispatchEvent(new Event('beforeprint')))")
    page.get_by_role("button", name="Export").click()
    page.get_by_role("menuitem", name="Print the page").click()
    page.wait_for_function("window.printed")


def print_by_browser(page: Page) -> None:
    """The browser's own command, which the page hears of when it is too late to load anything."""
    with page.expect_response("**/assets/paper-*.js"):
        page.keyboard.press("Control")
    page.wait_for_function(
        "() => dispatchEvent(new Event('beforeprint')) && document.querySelector('.on-paper') !== null"
    )


@pytest.mark.parametrize("printed", [print_by_menu, print_by_browser])
@pytest.mark.parametrize("fragment", ["example=matrix-product&step=5.5", "example=matrix-product&view=jacobian"])
def test_paper_has_the_program_and_the_whole_picture(
    open_page: OpenPage, fragment: str, printed: Callable[[Page], None]
) -> None:
    page = expect_complete(open_page(fragment))
    printed(page)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 718, "height": 1047})  # A4 within its margins
    expect(page.get_by_role("textbox", name="Program", exact=True)).to_be_visible()
    drawing = page.locator(".on-paper svg")
    expect(drawing).to_contain_text("mm")
    box = drawing.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 718
    assert page.evaluate("document.documentElement.scrollWidth <= 718")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(drawing).to_have_count(0)
