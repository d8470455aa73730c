"""The page that plays in a frame of another page, and the tag that makes the frame."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.picture import expect_rest, link, slider
from tests.e2e.test_page import violations
from tests.support.server import serving

PROGRAM = (
    "import torch\nx = torch.tensor([1., 2.], requires_grad=True)\ny = 3 * x\ny.backward(torch.tensor([1., 10.]))\n"
)

WIDE = (
    "import torch\n"
    + "".join(f"parameter_{k} = torch.full((3, 4), {k}., requires_grad=True)\n" for k in range(12))
    + "joined = torch.cat(({}))\njoined.sum().backward()\n".format(", ".join(f"parameter_{k}" for k in range(12)))
)
"""More leaves than fit beside each other: their row is as wide as the page."""


@pytest.fixture(scope="module")
def open_service() -> Iterator[str]:
    """A server that lets everyone frame its /embed."""
    with serving(embed_origins="*") as address:
        yield address


Site = Callable[[str], str]


@pytest.fixture
def site() -> Iterator[Site]:
    """Another site, with one page: gives its address."""
    pages: dict[str, str] = {"/program.py": PROGRAM}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = pages.get(self.path)
            self.send_response(404 if content is None else 200)
            self.send_header("Content-Type", "text/html" if self.path == "/" else "text/plain")
            self.end_headers()
            self.wfile.write((content or "").encode())

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()

    def with_page(content: str) -> str:
        pages["/"] = f"<!doctype html><link rel=icon href='data:,'><title>A lesson</title><h1>A lesson</h1>{content}"
        return f"http://127.0.0.1:{server.server_port}/"

    yield with_page
    server.shutdown()
    server.server_close()


def test_it_plays_and_opens_the_same_moment_in_the_playground(open_page: OpenPage, url: str) -> None:
    page = open_page("example=matrix-product&step=3", width=1090, height=508)
    page.goto(f"{url}/embed#example=matrix-product&step=3")
    expect(page.get_by_role("group", name="tensor c")).to_be_visible()
    expect(page.get_by_role("textbox", name="Program")).to_have_count(0)
    page.get_by_role("button", name="Step forward").click()
    page.wait_for_url(re.compile(r"step=3\.\d"))
    link = page.get_by_role("link", name="Open in playground")
    link.hover()
    with page.context.expect_page() as opened:
        link.click()
    expect(slider(opened.value)).to_have_value(slider(page).input_value())
    expect(opened.value.get_by_role("button", name="Program", exact=True)).to_be_visible()


@pytest.mark.parametrize(("width", "height"), [(1090, 508), (390, 560)])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(open_page: OpenPage, url: str, theme: str, width: int, height: int) -> None:
    page = open_page(width=width, height=height)
    page.goto(f"{url}/embed?theme={theme}#lang=zh")
    expect(page.locator("html")).to_have_attribute("data-theme", theme)
    expect(page.get_by_role("group", name="张量 c")).to_be_visible()
    page.get_by_role("button", name="详情").click()
    expect_rest(page)
    assert violations(page) == []
    page.get_by_role("button", name="详情").click()
    expect_rest(page)
    assert violations(page) == []


OVER = """() => {
  const zoom = document.querySelector('.zoom').getBoundingClientRect()
  const over = ({left, right, top, bottom}) =>
    left < zoom.right && right > zoom.left && top < zoom.bottom && bottom > zoom.top
  const graph = document.querySelectorAll('.sheet [data-tensor], .sheet [data-node], .sheet .row, .sheet .shelf')
  return [...graph].filter((each) => over(each.getBoundingClientRect())).map((each) => each.textContent)
}"""


@pytest.mark.parametrize(("width", "height"), [(1090, 508), (1440, 900)])
def test_the_zoom_lies_over_no_card(open_page: OpenPage, url: str, width: int, height: int) -> None:
    page = open_page(width=width, height=height, reduced_motion="reduce")
    page.goto(f"{url}/embed#{link(WIDE)}")
    expect(page.get_by_role("group", name="tensor joined", exact=True)).to_be_visible()
    for step in ("First step", "Last step"):
        page.get_by_role("button", name=step).click()
        expect_rest(page)
        assert page.evaluate(OVER) == []


def framed(page: Page) -> None:
    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("table", name="value of y").get_by_role("cell")).to_have_text(["3", "6"])
    frame.get_by_role("button", name="Last step").click()
    expect(frame.get_by_role("table", name="x.grad").get_by_role("cell")).to_have_text(["3", "30"])


@pytest.mark.parametrize(
    "tag",
    [
        f"<gradflow-graph>\n{PROGRAM}</gradflow-graph>",
        '<gradflow-graph src="program.py" theme="dark" lang="en" height="600"></gradflow-graph>',
    ],
)
def test_a_tag_on_another_site_shows_the_run(open_page: OpenPage, open_service: str, site: Site, tag: str) -> None:
    page = open_page()
    page.goto(site(f'<script src="{open_service}/embed.js"></script>{tag}'))
    framed(page)


def test_a_program_that_is_not_there_is_told_of(
    open_page: OpenPage, open_service: str, site: Site, complaints: list[str]
) -> None:
    page = open_page()
    page.goto(site(f'<script src="{open_service}/embed.js"></script><gradflow-graph src="no.py"></gradflow-graph>'))
    expect(page.get_by_text("no.py: 404 Not Found")).to_be_visible()
    complaints.clear()


def test_without_the_operators_leave_no_other_site_frames_it(
    open_page: OpenPage, url: str, site: Site, complaints: list[str]
) -> None:
    page = open_page()
    page.goto(site(f'<iframe src="{url}/embed"></iframe>'))
    expect(page.get_by_role("heading", name="A lesson")).to_be_visible()
    page.wait_for_function("() => performance.getEntriesByType('resource').length > 0")
    expect(page.frame_locator("iframe").get_by_role("group", name="tensor c")).to_have_count(0)
    assert any("frame-ancestors" in complaint for complaint in complaints)
    complaints.clear()
