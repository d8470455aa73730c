"""The page around the picture: its URL, languages, themes, sizes, keys, and whether everyone can use it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.e2e.conftest import ROOT, OpenPage
from tests.e2e.picture import cell, expect_complete, expect_rest, expect_table, program, slider, write_program

AXE = (ROOT / "frontend/node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")
CJK = re.compile(r"[㐀-鿿]")


def violations(page: Page) -> list[str]:
    """What axe finds, in words."""
    page.evaluate(f"() => {{ {AXE} }}")
    found = page.evaluate("() => axe.run()")["violations"]
    return [f"{rule['id']}: {[node['html'][:160] for node in rule['nodes']]}" for rule in found]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("view", ["graph", "jacobian", "scalar"])
def test_axe_finds_nothing(open_page: OpenPage, language: str, theme: str, view: str) -> None:
    page = expect_complete(open_page(f"lang={language}&view={view}", color_scheme=theme))
    page.emulate_media(reduced_motion="reduce")
    assert violations(page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_on_an_error(open_page: OpenPage, theme: str) -> None:
    page = open_page("example=error-nonscalar", color_scheme=theme)
    expect(page.get_by_role("alert")).to_be_visible()
    expect_rest(page)
    assert violations(page) == []


@pytest.mark.parametrize("width", [390, 1024])
def test_axe_finds_nothing_on_small_screens(open_page: OpenPage, width: int) -> None:
    page = expect_complete(open_page(width=width, height=844))
    assert violations(page) == []


def test_the_url_reproduces_program_gradient_step_and_view(open_page: OpenPage) -> None:
    page = open_page()
    write_program(
        page, "import torch\nx = torch.tensor([1., 2.], requires_grad=True)  # 张量 𝒙\ny = x * x\ny.backward(x)"
    )
    expect_table(page, "value of y", [["1", "4"]])
    cell(page, "[1]", of="y").fill("-3")
    slider(page).fill("4")
    page.get_by_role("tab", name="Jacobian").click()
    page.wait_for_url(re.compile(r"#code=[^&]+&step=3\.\d+&view=jacobian"))
    again = open_page(page.url.partition("#")[2])
    program = again.get_by_role("textbox", name="Program", exact=True)
    expect(program).to_contain_text("# 张量 𝒙")
    expect(program).to_contain_text("y.backward(torch.tensor([1., -3.]))")
    expect(cell(again, "[1]", of="y")).to_have_value("-3")
    expect(slider(again)).to_have_value("4")
    expect(again.get_by_role("heading", name="Jacobian of y")).to_be_visible()


def test_an_untouched_example_is_named_in_the_url(open_page: OpenPage) -> None:
    page = open_page("example=broadcasting&step=5")
    expect(page.get_by_label("Examples")).to_contain_text("Broadcasting")
    page.wait_for_url(re.compile(r"#example=broadcasting&step=5&lang=en$"))


def test_the_history_is_not_spammed(page: Page) -> None:
    before = page.evaluate("history.length")
    for step in range(1, 9):
        slider(page).fill(str(step))
    page.wait_for_url(re.compile(r"step=7\.\d+"))
    assert page.evaluate("history.length") == before


def test_back_returns_to_the_program_that_an_example_replaced(page: Page) -> None:
    write_program(page, "import torch\nmine = torch.ones(2, requires_grad=True)\n(mine * 3).sum().backward()")
    page.wait_for_url(re.compile("#code="))
    page.get_by_role("button", name="Examples").click()
    page.get_by_role("menuitemradio", name="Broadcasting").click()
    expect(page.get_by_role("group", name="tensor row")).to_be_visible()
    page.wait_for_url(re.compile("#example=broadcasting"))
    page.go_back()
    expect(program(page)).to_contain_text("mine = torch.ones")


@pytest.mark.parametrize(
    "fragment",
    [
        "code=!!!!",
        "code=AAAA&step=NaN",
        "example=../../etc/passwd",
        "gradient=0:9x9:1",
        "view=%3Cscript%3E",
        "%",
        "=&=&",
    ],
)
def test_a_broken_link_still_opens_the_page(open_page: OpenPage, fragment: str) -> None:
    page = open_page(fragment)
    expect(page.get_by_role("group", name="tensor c")).to_be_visible()


def test_the_page_speaks_chinese(open_page: OpenPage) -> None:
    page = open_page(locale="zh-CN")
    expect(page.get_by_role("button", name="播放", exact=True)).to_be_visible()
    assert page.locator("html").get_attribute("lang") == "zh-Hans"
    names = [button.get_attribute("aria-label") or button.inner_text() for button in page.get_by_role("button").all()]
    code = re.compile(r"^(EN|[\d.]+×|[−+]|[a-z]\[?.*\]?|\d+%)$")
    assert [name for name in names if not CJK.search(name) and not code.match(name) and "Backward" not in name] == []
    page.get_by_role("button", name="EN", exact=True).click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    assert page.locator("html").get_attribute("lang") == "en"
    page.reload()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_the_theme_is_the_systems_until_it_is_chosen(open_page: OpenPage) -> None:
    page = open_page(color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_role("button", name="Switch to the light theme").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")


def test_keys_play_step_and_help(page: Page) -> None:
    slider(page).fill("1")
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    expect(slider(page)).to_have_value("2")
    page.keyboard.press("End")
    expect(page.get_by_text("The backward pass is complete.")).to_be_visible()
    page.keyboard.press("Home")
    expect(slider(page)).to_have_value("1")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_keys_belong_to_the_editor_while_one_types(page: Page) -> None:
    before = slider(page).input_value()
    page.get_by_role("textbox", name="Program", exact=True).click()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Home")
    page.keyboard.type(" ? ")
    assert slider(page).input_value() == before
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_a_phone_shows_one_pane_at_a_time(open_page: OpenPage) -> None:
    page = expect_complete(open_page(width=390, height=844, has_touch=True))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("tab", name="Program").click()
    expect(page.get_by_role("textbox", name="Program", exact=True)).to_be_visible()
    expect(page.get_by_role("group", name="tensor c")).to_be_hidden()
    page.get_by_role("tab", name="Gradient").click()
    cell(page, "[0, 0]").fill("0")
    page.get_by_role("tab", name="Graph").click()
    page.get_by_role("button", name="Last step").click()
    expect_table(page, "a.grad", [["5", "11"], ["6", "15"]])


def test_a_phone_has_all_three_views_and_nothing_over_their_headings(open_page: OpenPage) -> None:
    page = expect_complete(open_page(width=390, height=844, has_touch=True))
    for tab, heading in {"Jacobian": "Jacobian of c", "Scalar": "The same gradients from a scalar"}.items():
        page.get_by_role("tab", name=tab).click()
        expect(page.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
        expect(page.get_by_role("button", name="Predict", exact=True)).to_be_hidden()
    page.get_by_role("tab", name="Jacobian").click()
    table = page.get_by_role("table", name="Jacobian of c with respect to a")
    assert table.evaluate("table => table.parentElement.scrollWidth <= table.parentElement.clientWidth")


@pytest.mark.parametrize("height", [664, 844])
def test_a_phone_shows_the_cells_over_the_graph_that_follows_them(open_page: OpenPage, height: int) -> None:
    page = expect_complete(open_page(width=390, height=height, has_touch=True))
    page.get_by_role("tab", name="Gradient").click()
    page.get_by_role("button", name="Last step").click()
    cell(page, "[0, 0]").fill("0")
    expect_table(page, "a.grad", [["5", "11"], ["6", "15"]])
    expect_rest(page)
    for name in "abc":
        expect(page.get_by_role("group", name=f"tensor {name}")).to_be_in_viewport(ratio=0.95)


@pytest.mark.parametrize("width", [390, 1024])
def test_an_error_is_told_of_where_the_program_is_out_of_sight(open_page: OpenPage, width: int) -> None:
    page = open_page("example=error-nonscalar", width=width)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("grad can be implicitly created only for scalar outputs")
    expect(alert.get_by_role("button", name="Fix").first).to_be_in_viewport()
    if width < 700:
        page.get_by_role("tab", name="Graph").click()
        expect(page.get_by_role("group", name="tensor c")).to_be_visible()
    else:
        page.get_by_role("button", name="Close").first.click()
    expect(alert).to_be_hidden()


def test_touch_targets_of_the_phone_are_large_enough(open_page: OpenPage) -> None:
    page = expect_complete(open_page(width=390, height=844, has_touch=True))
    names = [
        "Play",
        "Step back",
        "Step forward",
        "First step",
        "Last step",
        "Share",
        "Export",
        "Keyboard and help",
        "中文",
    ]
    for name in names:
        box = page.get_by_role("button", name=name, exact=True).bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44, name


@pytest.mark.parametrize("height", [664, 844])
def test_the_phone_shows_all_of_the_first_example(open_page: OpenPage, height: int) -> None:
    page = expect_complete(open_page(width=390, height=height, has_touch=True))
    pane = page.get_by_role("region", name="Computation graph").bounding_box()
    boxes = [page.get_by_role("group", name=f"tensor {name}").bounding_box() for name in "abc"]
    assert pane is not None
    for box in boxes:
        assert box is not None
        assert box["y"] >= pane["y"]
        assert box["y"] + box["height"] <= pane["y"] + pane["height"]


def test_the_phone_has_export_and_help(open_page: OpenPage) -> None:
    page = expect_complete(open_page(width=390, height=844, has_touch=True))
    page.get_by_role("button", name="Export").click()
    expect(page.get_by_role("menuitem", name="PNG")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Keyboard and help").click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_the_graph_beside_the_jacobian_is_seen_whole(page: Page) -> None:
    expect_complete(page)
    page.get_by_role("tab", name="Jacobian").click()
    pane = page.get_by_role("region", name="Computation graph")
    expect(pane).to_have_css("width", "360px")
    expect_rest(page)
    for name in "abc":
        expect(page.get_by_role("group", name=f"tensor {name}")).to_be_in_viewport(ratio=0.99)
        box, room = page.get_by_role("group", name=f"tensor {name}").bounding_box(), pane.bounding_box()
        assert box is not None
        assert room is not None
        assert room["x"] <= box["x"] <= box["x"] + box["width"] <= room["x"] + room["width"]


def test_the_program_is_a_drawer_on_a_tablet(open_page: OpenPage) -> None:
    page = expect_complete(open_page(width=1024, height=768))
    expect(page.get_by_role("textbox", name="Program", exact=True)).to_be_hidden()
    page.get_by_role("button", name="Program", exact=True).click()
    expect(page.get_by_role("textbox", name="Program", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("textbox", name="Program", exact=True)).to_be_hidden()


def test_views_show_the_same_sum(page: Page) -> None:
    page.get_by_role("tab", name="Jacobian").click()
    jacobian = page.get_by_role("table", name="Jacobian of c with respect to a")
    expect(jacobian.get_by_role("row").last).to_contain_text("6156")
    page.get_by_role("tab", name="As a scalar").click()
    expect(page.get_by_text("The same numbers, because differentiation is linear.")).to_be_visible()
    expect(page.locator("pre", has_text="(c * torch.ones_like(c)).sum().backward()")).to_be_visible()


def test_colours_of_the_readers_own_tell_what_ours_tell(open_page: OpenPage) -> None:
    page = open_page(forced_colors="active")
    expect_complete(page)
    fill = "element => getComputedStyle(element).backgroundColor"
    chosen = page.get_by_role("tab", name="Graph").evaluate(fill)
    assert chosen != page.get_by_role("tab", name="Jacobian").evaluate(fill)
    active = page.locator(".pill.active")
    assert active.evaluate("element => getComputedStyle(element).outlineStyle") == "solid"
    # Chromium puts a plate behind each text; one behind a bar would hide the letter below it.
    letters = page.locator(".inspector .katex").first
    assert letters.evaluate("element => getComputedStyle(element).forcedColorAdjust") == "none"


def test_two_fingers_come_nearer_and_one_goes_through_the_run(open_page: OpenPage) -> None:
    page = expect_complete(open_page("step=4", width=390, height=844, has_touch=True, is_mobile=True))
    fingers = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        at = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})

    def box_of(place: Locator) -> FloatRect:
        box = place.bounding_box()
        assert box is not None
        return box

    card = page.get_by_role("group", name="tensor c", exact=True)
    before = box_of(card)
    x, y = before["x"] + before["width"] / 2, before["y"] + before["height"] / 2
    touch("touchStart", (x - 20, y), (x + 20, y))
    touch("touchMove", (x - 40, y), (x + 40, y))
    touch("touchEnd")
    expect_rest(page)
    nearer = box_of(card)
    assert nearer["width"] > 1.5 * before["width"]
    touch("touchStart", (x, y))
    touch("touchMove", (x + 30, y + 40))
    touch("touchMove", (x + 60, y + 80))
    touch("touchEnd")
    expect_rest(page)
    moved = box_of(card)
    assert moved["width"] == pytest.approx(nearer["width"])
    assert (moved["x"] - nearer["x"], moved["y"] - nearer["y"]) == pytest.approx((60, 80), abs=20)

    scrubber = page.get_by_role("slider", name="Step", exact=True)
    track = box_of(scrubber)
    at = track["y"] + track["height"] / 2
    for part, told in ((0.02, "^1$"), (0.98, "^(9|10)$")):
        touch("touchStart", (track["x"] + 0.5 * track["width"], at))
        touch("touchMove", (track["x"] + part * track["width"], at))
        touch("touchEnd")
        expect(scrubber).to_have_value(re.compile(told))
