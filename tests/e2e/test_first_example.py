"""What a reader sees on opening the page, and that it plays."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.picture import EXAMPLE_STEPS, cell, expect_complete, expect_rest, expect_table, slider, table

A = [["6", "15"], ["6", "15"]]
B = [["4", "4", "4"], ["6", "6", "6"]]


def test_the_first_example_is_there_without_a_click(page: Page) -> None:
    expect(page.get_by_role("group", name="tensor a")).to_be_visible()
    expect_table(page, "value of c", [["9", "12", "15"], ["19", "26", "33"]])
    expect_table(page, "gradient of c", [["1", "1", "1"]] * 2)
    expect(page.get_by_role("textbox", name="Program", exact=True)).to_contain_text("c = a.mm(b)")
    expect(page.get_by_text("step 4 of 4")).to_be_visible()


def test_the_first_picture_needs_no_answer_from_the_server(page: Page, complaints: list[str]) -> None:
    page.route("**/api/**", lambda route: route.abort())
    page.reload()
    expect_table(page, "value of c", [["9", "12", "15"], ["19", "26", "33"]])
    assert {line.partition(":")[0] for line in complaints} <= {"Failed to load resource"}
    complaints.clear()


def test_it_plays_to_the_end_and_the_buckets_are_full(page: Page) -> None:
    page.get_by_role("button", name="Speed: 1×").click()
    page.get_by_role("button", name="Speed: 2×").click()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    expect(page.get_by_text("The backward pass is complete.")).to_be_visible()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect_table(page, "a.grad", A)
    expect_table(page, "b.grad", B)


def test_buttons_step_through_every_beat(page: Page) -> None:
    page.get_by_role("button", name="First step").click()
    beats = [
        "step 1 of 4, 1 a",
        "step 2 of 4, 2 b",
        "step 3 of 4, 3 c",
        "step 4 of 4, arrive",
        "step 4 of 4, rule",
        "step 4 of 4, share to b",
        "step 4 of 4, add b",
        "step 4 of 4, share to a",
        "step 4 of 4, add a",
        "step 4 of 4, print",
    ]
    assert len(beats) == EXAMPLE_STEPS
    for beat in beats:
        page.get_by_role("button", name="Step forward", exact=True).click()
        expect(slider(page)).to_have_attribute("aria-valuetext", beat)
    page.get_by_role("button", name="Step back", exact=True).click()
    expect(slider(page)).to_have_attribute("aria-valuetext", beats[-2])


def test_scrubbing_passes_through_the_same_pictures_both_ways(page: Page) -> None:
    expect_complete(page)
    graph = page.locator("#view")

    def picture(step: int) -> str:
        slider(page).fill(str(step))
        expect(slider(page)).to_have_value(str(step))
        expect_rest(page)
        return graph.inner_html()

    steps = range(1, EXAMPLE_STEPS + 1)
    forward = {step: picture(step) for step in steps}
    backward = {step: picture(step) for step in reversed(steps)}
    assert len(set(forward.values())) == EXAMPLE_STEPS
    assert forward == backward


def test_the_slider_follows_the_keyboard(page: Page) -> None:
    slider(page).press("Home")
    expect(slider(page)).to_have_value("1")
    slider(page).press("ArrowRight")
    expect(slider(page)).to_have_value("2")
    slider(page).press("End")
    expect(slider(page)).to_have_value(str(EXAMPLE_STEPS))


def test_a_typed_gradient_cell_changes_the_gradients(page: Page) -> None:
    page.get_by_role("button", name="Last step").click()
    cell(page, "[0, 0]").fill("0")
    expect_table(page, "a.grad", [["5", "11"], ["6", "15"]])
    expect_table(page, "b.grad", [["3", "4", "4"], ["4", "6", "6"]])
    expect(page.get_by_label("Output", exact=True).last).to_contain_text("tensor([[ 5., 11.],")
    page.get_by_role("button", name="undo").click()
    expect_table(page, "a.grad", A)


def test_presets_give_whole_gradients(page: Page) -> None:
    page.get_by_role("button", name="Last step").click()
    cell(page, "[0, 1]").focus()
    page.get_by_role("button", name="one-hot 0,1").click()
    expect_table(page, "a.grad", [["2", "5"], ["0", "0"]])
    page.get_by_role("button", name="c itself").click()
    expect_table(page, "gradient of c", [["9", "12", "15"], ["19", "26", "33"]])
    page.get_by_role("button", name="zeros").click()
    expect_table(page, "a.grad", [["0", "0"], ["0", "0"]])


def test_a_cell_can_be_dragged(page: Page) -> None:
    page.get_by_role("button", name="Last step").click()
    expect_complete(page)
    box = cell(page, "[0, 0]").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 40, steps=5)
    page.mouse.up()
    expect(cell(page, "[0, 0]")).to_have_value("2")
    expect_table(page, "a.grad", [["7", "19"], ["6", "15"]])


def test_what_is_no_number_is_shown_and_not_sent(page: Page) -> None:
    cell(page, "[1, 2]").fill("1e")
    expect(cell(page, "[1, 2]")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("Not a number; the last one still counts.")).to_be_visible()
    assert table(page, "gradient of c") == [["1", "1", "1"]] * 2


def test_arrow_keys_move_between_cells(page: Page) -> None:
    cell(page, "[0, 0]").focus()
    page.keyboard.press("ArrowRight")
    expect(cell(page, "[0, 1]")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(cell(page, "[1, 1]")).to_be_focused()
    page.keyboard.type("7")
    expect(cell(page, "[1, 1]")).to_have_value("7")
